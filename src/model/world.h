/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/service.h"
#include "model/settings.h"

/* Settings shared by several worlds: reference-counted, immutable. */
struct shared_settings {
	unsigned refs;
	struct settings s;
};
struct shared_settings *shared_settings_ref(struct shared_settings *s);
struct shared_settings *shared_settings_unref(struct shared_settings *s);

/*
 * The picture of what is wanted: immutable, reference-counted. Services are sorted bytewise by
 * namespace, then name (spec/iptables.md section 3.7: the order of all rules).
 */
struct world {
	unsigned refs;
	struct shared_settings *settings;
	struct service **services; /* each holds a reference */
	size_t n_services;
	size_t n_endpoints; /* sum over the services, both families */
};
struct world *world_ref(struct world *w);
struct world *world_unref(struct world *w); /* accepts and returns NULL */
DEFINE_CLEANUP(struct world, world_unref);

/* Order of services: namespace, then name, bytewise. ("a-b/x" sorts after "a/x": the slash ends the namespace.) */
int service_key_compare(const char *a, const char *b);

/* Takes references of its own. The services must be sorted and unique. -ENOMEM. */
int world_new(struct shared_settings *settings, struct service *const *services, size_t n, struct world **ret);
/* Binary search; NULL when there is none. */
struct service *world_find(const struct world *w, const char *key);
