/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/view.h"

/* All addresses of this network namespace, over rtnetlink, and the node IPs by detection
 * (spec/model.md section 4.2: source address of the default route, global scope, not temporary, not
 * deprecated). -errno. */
int addresses_read(struct local_addrs **ret);

/* From text, for `render --addresses LIST`: blank- or comma-separated addresses, each perhaps
 * "@interface". -EINVAL */
int addresses_from_text(const char *list, struct local_addrs **ret);

/* A socket that becomes readable when an address, link or route changes. */
struct address_monitor;
int address_monitor_new(struct address_monitor **ret);
struct address_monitor *address_monitor_free(struct address_monitor *m);
int address_monitor_fd(const struct address_monitor *m);
/* Reads what is there. True in *ret_changed when addresses may have changed (also when the socket
 * overflowed). */
int address_monitor_read(struct address_monitor *m, bool *ret_changed);
