/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/runs.h"
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
	struct service **services; /* kept alive by runs */
	size_t n_services;
	struct runs runs;
	size_t n_endpoints; /* sum over the services, both families, served or not */
	size_t n_in_family[_ADDR_FAMILY_MAX]; /* services that exist in the family */
	size_t n_served[_ADDR_FAMILY_MAX];    /* their endpoints of the family */
};
struct world *world_ref(struct world *w);
struct world *world_unref(struct world *w); /* accepts and returns NULL */
DEFINE_CLEANUP(struct world, world_unref);

/* Order of services: namespace, then name, bytewise. ("a-b/x" sorts after "a/x": the slash ends the
 * namespace.) */
int service_key_compare(const char *a, const char *b);

/* Takes references of its own. The services must be sorted and unique. previous: the world before,
 * whose unchanged parts cost nothing; NULL for none. -ENOMEM. */
int world_new(struct shared_settings *settings, struct service *const *services, size_t n,
	      const struct world *previous, struct world **ret);
/* Binary search; NULL when there is none. */
struct service *world_find(const struct world *w, const char *key);
