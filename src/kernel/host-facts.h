/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/host.h"

/*
 * Looks at this host: addresses, default gateways, point-to-point peers, sysctls; and, when asked
 * for, the sockets that have ports. What cannot be read (sysctls, sockets) is left out. Addresses
 * of the link that the ipvs mode makes are not the host's own. -errno when even addresses or routes
 * cannot be read, -ENOMEM. *ret is finished; free it with host_facts_done().
 */
int host_facts_read(bool with_sockets, struct host_facts *ret);
