/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/read.h"
#include "model/world.h"

/*
 * From the objects of many files to one world, at the cost of what changed: keeps which file states
 * which service and which endpoint groups, builds struct service anew only for the keys that a
 * change touched, and knows every claim (address, port, protocol; node port; health-check port), so
 * that clashes are found without looking at everything (spec/model.md section 5).
 */
struct index;

int index_new(struct index **ret); /* -ENOMEM */
struct index *index_free(struct index *x);
DEFINE_CLEANUP(struct index, index_free);

/*
 * Puts a file's objects in, in place of what the file had. file is the identity: compared as text
 * it is the reading order, and it must stay valid until the file is taken out. What the lists of
 * objects hold is borrowed (the struct itself is not) until the file is put in again or taken out;
 * and it may only be freed after the next successful index_update(). -ENOMEM leaves the index
 * unusable: free it and start anew.
 */
int index_put_file(struct index *x, const char *file, const struct objects *objects);
/* Takes a file's objects out; a file that is not in is fine. -ENOMEM as above. */
int index_remove_file(struct index *x, const char *file);

/*
 * Two files that cannot both be taken as they are: they claim the same thing, or define the same
 * service, or the endpoints in the one cannot be matched to the service in the other. One of them
 * has to be replaced; both entries may be the same. Of n that claim one thing, n - 1 clash with the
 * first in reading order. A service that claims a port of the settings clashes with itself.
 */
struct index_clash {
	const char *files[2]; /* in reading order */
	struct diags diags;   /* placed in files[1], naming the other place too */
	struct diags mirror;  /* the same placed in files[0]; empty: diags is right for both */
};
struct index_clashes {
	struct index_clash *items;
	size_t n, allocated;
};
void index_clashes_done(struct index_clashes *c);
#define _cleanup_index_clashes_ _cleanup_(index_clashes_done)

/*
 * Builds the services touched since the last call and finds clashes. With none (ret_clashes->n ==
 * 0) *ret_world is the new world, which shares every unchanged service with the one before. With
 * clashes no world is made: take files out, or put their last good content in, and call again.
 * -ENOMEM as above.
 */
int index_update(struct index *x, struct shared_settings *settings,
		 struct index_clashes *ret_clashes, struct world **ret_world);

/*
 * X10: whether settings that are about to come into force want a port for the daemon itself that is
 * a node port or health-check port of a service now; the message is placed at the setting. Before
 * the first index_update() nothing is in the way. -EBADMSG, -ENOMEM.
 *
 * In index_update() the ports of the settings are claims that win against every service, so what is
 * in force has to be asked about first: settings that clash with it are what gives way.
 */
int index_check_settings(const struct index *x, const struct settings *s,
			 const struct settings_origin *origin, struct diags *d);

/* Adds the warnings about services as they are now: endpoints without a service, ports without
 * endpoints, copies that disagree, a cluster IP of several services, endpoints that are addresses
 * of other services. After an index_update() that made a world. */
void index_problems(const struct index *x, struct diags *d);

/* The definition of a service, borrowed from its file; of several the first. NULL: none. */
const struct service_def *index_definition(const struct index *x, const char *key);
/* Where the service is defined; file is borrowed from the definition. -ENOENT. */
int index_place(const struct index *x, const char *key, struct place *ret);
