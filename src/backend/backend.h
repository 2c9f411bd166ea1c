/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "backend/counts.h"
#include "model/view.h"

/*
 * A mode's writer: makes the kernel be what a view says. It never decides what is wanted, only how
 * little has to be written. One sync at a time; nothing blocks the event loop.
 */
struct backend;

struct sync_result {
	int error; /* 0: the kernel holds the view; -EAGAIN: another program held the lock */
	const char
		*message; /* what failed, for people; NULL on success; valid during the callback */
	bool full;	  /* everything was written, not only what changed */
	size_t n_chains, n_rules, n_stale;
	size_t n_other;	     /* changes of virtual servers, sets, addresses */
	const char *written; /* what was, for people; NULL: what the first three say; as message */
	uint64_t duration_usec;
};
typedef void (*backend_done_t)(struct backend *b, const struct sync_result *result, void *userdata);

struct backend_ops {
	const char *name;
	/* Starts a sync; done is called from the loop, never from within. full: trust no account of
	 * earlier syncs. -EBUSY while one runs; another -errno: not started and done will not be
	 * called. */
	int (*sync)(struct backend *b, const struct view *view, bool full, backend_done_t done,
		    void *userdata);
	/* One line for status: variant, families. malloc'ed. */
	int (*describe)(struct backend *b, char **ret);
	/* Warnings that hold now (both variants in use, a family not usable), as texts. Owned by
	 * the backend. */
	const char *const *(*warnings)(struct backend *b, size_t *ret_n);
	/* What went through the kernel to the services wanted last; NULL: the mode does not count.
	 * service: only this one's; NULL: all. endpoints: those are wanted, too. Synchronous, and
	 * may take seconds: for a copy of the process. ret is empty at the call. -errno. */
	int (*count)(const struct backend *b, const char *service, bool endpoints,
		     struct counts *ret);
	/* Never kills a running child. */
	struct backend *(*free)(struct backend *b);
};
struct backend {
	const struct backend_ops *ops;
};

/* iptables mode. The variant is decided at the first sync by Backend= and by what the host uses. */
int iptables_backend_new(sd_event *event, struct backend **ret);

/*
 * Where ipvs mode's record of what is ours in the kernel is kept (ipvs-owned.h): the caller's.
 * load: -ENOENT when there is none yet. save may run in a copy of the process. Both synchronous;
 * -errno.
 */
struct ipvs_memory {
	int (*load)(void *userdata, char **ret_data, size_t *ret_size);
	int (*save)(void *userdata, const char *data, size_t size);
	void *userdata;
};
/* In a file of this directory, which is made when it is needed. The text stays the caller's, for as
 * long as the memory is used. */
struct ipvs_memory ipvs_memory_in(const char *directory);
char *ipvs_memory_path(const char *directory); /* of that file; malloc'ed, NULL without memory */

/* ipvs mode. memory is copied; its userdata must live as long as the backend. What iptables mode
 * left goes by itself, when the first sync is through. */
int ipvs_backend_new(sd_event *event, const struct ipvs_memory *memory, struct backend **ret);

/*
 * What ipvs mode left, to be taken away once another mode serves: at once, or when the TCP
 * connections that go its way have ended, which is looked at each minute; in copies of the process.
 * Nothing is loaded or made on a host that has nothing of it. -ENOMEM.
 */
struct ipvs_remains;
int ipvs_remains_new(sd_event *event, const struct ipvs_memory *memory, struct ipvs_remains **ret);
/* While it is, ipvs mode must not begin. Takes NULL. */
bool ipvs_remains_busy(const struct ipvs_remains *r);
struct ipvs_remains *ipvs_remains_free(struct ipvs_remains *r);
/* The same for programs without an event loop, once. Logs. */
int ipvs_remains_remove(const struct ipvs_memory *memory);

/* Takes away all that any mode of ours made (and kube-proxy left), in both variants and families;
 * synchronous, for the command. 0, or the first error with *ret_message (malloc'ed); what works is
 * done all the same. */
int backend_cleanup(const struct ipvs_memory *memory, char **ret_message);
/* The part of it that is rules, of all modes. */
int iptables_backend_cleanup(char **ret_message);
/* The whole as a self-contained shell script on out. record: path of the record of ipvs mode. */
struct strbuf;
int backend_cleanup_script(const char *record, struct strbuf *out);
