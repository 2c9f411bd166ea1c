/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "backend/backend.h"
#include "base/host.h"
#include "config/config.h"
#include "daemon/server.h"
#include "daemon/watch.h"
#include "kernel/addresses.h"

/*
 * All state of the daemon, owned by main(). Who writes what:
 *   manager.c  making and taking apart, events from outside (files, addresses, signals)
 *   mode.c     which backend serves
 *   sync.c     when to read and when to write: see the drawing there
 *   host.c     what does not go with this host
 *   keep.c     the last good state on the disk
 *   ask.c      who asks on the control socket; answers that take long are made in a copy
 *   report.c   what is told: status line, log, answers on the control socket
 */

/* Somebody who asked for a reload or a resync and waits for the verdict. */
struct waiter {
	struct waiter *next;
	struct server_request *request; /* NULL: SIGHUP */
};

struct helper;

struct manager {
	sd_event *event;
	const char *root; /* of --root, NULL for none */
	bool once;	  /* one sync, then exit */

	struct config *config;
	bool config_broken;  /* memory ran out inside it */
	struct world *world; /* the newest that the files gave; NULL before the first */
	struct local_addrs *addrs;
	struct backend *backend;
	enum svc_mode mode;	/* of backend */
	struct backend *former; /* of the mode before, until the new one has had a good sync */
	enum svc_mode former_mode;
	bool mode_settled;	      /* the mode has had a good sync */
	struct ipvs_remains *remains; /* of ipvs mode, being taken away; NULL: none */
	struct watch *watch;
	struct address_monitor *monitor;
	struct server *server;

	/* Who asks for what takes long to tell. */
	struct asker *asking;	  /* came while a copy made answers */
	struct asker *asked;	  /* answered when it ends */
	struct helper *answering; /* the copy; NULL: none */

	/* What is to be done at the next occasion. */
	struct config_change *changes;
	size_t n_changes, changes_allocated;
	bool look_at_all; /* instead of changes */
	bool addresses_stale;
	bool sync_full;

	uint64_t watchdog_usec; /* 0: none */

	/* The sync runner. */
	sd_event_source *timer;
	bool running;
	bool stopping;
	uint64_t first_request_usec; /* monotonic; 0: nothing is wanted */
	uint64_t last_end_usec;	     /* monotonic; 0: never */
	unsigned n_failures;	     /* in a row */
	bool ready;		     /* READY=1 was sent */
	bool reloading;		     /* RELOADING=1 was sent */
	uint64_t busy_since_usec; /* monotonic; 0: no pass is put off for a file that is written */
	struct waiter *waiting; /* asked before the running pass began: answered by the next one */
	struct waiter *served;	/* answered when the running pass ends */

	/* This host, and what does not go with it. */
	struct host_facts host;
	bool host_known, host_stale; /* stale: host_problems are about an older world */
	sd_event_source *host_timer;
	struct diags host_problems;

	/* The last good state on the disk. */
	char *state_directory;
	sd_event_source *keep_child, *keep_timer;
	pid_t keep_pid;			  /* 0: no save runs */
	const struct config *keep_config; /* whose contents it saves */
	uint64_t keep_end_usec;		  /* monotonic; 0: none ended yet */
	bool keep_done;			  /* one ended well */
	int keep_error;			  /* of the last one; an errno, 0: none */

	/* For status. */
	uint64_t started_usec, last_sync_usec, last_change_usec, failing_since_usec; /* realtime */
	uint64_t last_duration_usec;
	bool last_full;
	uint64_t n_syncs, n_failed_syncs;
	char *last_error;
	char **told; /* messages logged before, so that each is logged once */
	size_t n_told;
	int exit_status; /* of the program */
};

struct manager_options {
	const char *root;
	bool once;
};

int manager_new(const struct manager_options *options, struct manager **ret);
struct manager *manager_free(struct manager *m);
DEFINE_CLEANUP(struct manager, manager_free);

/* Runs the event loop until it is told to stop. The program's exit status. */
int manager_run(struct manager *m);
