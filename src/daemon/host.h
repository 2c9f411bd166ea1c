/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/* What of the configuration does not go with this host: model/host-check.h. */

/* Looks at the host again; what was known stays when that fails. */
void host_refresh_facts(struct manager *m);

/* The world or the host changed: what there is to say is worked out a little later, so that a
 * change of one endpoint does not cost a look at all services. */
void host_check_later(struct manager *m);
/* Works it out now, if it was not since. In m->host_problems. */
void host_check_now(struct manager *m);
