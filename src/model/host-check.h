/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/host.h"
#include "model/read.h"
#include "model/view.h"

/* What of a configuration does not go with the host that it is for: the rows ON_HOST of
 * model/checks.h. */

/*
 * What is refused when a file is read: external and load-balancer addresses that are a default
 * gateway of this host or the other end of a point-to-point link (S55, report C16). A gateway that
 * comes later does not take a service away; then there is a warning. -EBADMSG, -ENOMEM.
 */
int host_check_objects(const struct host_facts *f, const struct objects *o, struct diags *d);

/* Where things are written, for messages. */
struct host_check_places {
	/* The definition of a service in its file; NULL: not known. NULL: none is. */
	const struct service_def *(*service)(const void *userdata, const char *key);
	const void *userdata;
	const struct settings_origin *origin; /* NULL: not known */
};

/*
 * All that is warned of: addresses that this host or its neighbours have, node ports that are in
 * use or may be given to outgoing connections, families that are off, node ports that answer on
 * more or fewer addresses than one may think. f NULL: just what can be told without the host; the
 * view needs no addresses then. Costs what there is once, times a logarithm. Notices of which only
 * one is wanted are one message that names the first few services. -ENOMEM.
 */
int host_check_world(const struct host_facts *f, const struct view *v,
		     const struct host_check_places *places, struct diags *d);
