/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/strbuf.h"

/*
 * Parts of the clean-up script (backend_cleanup_script() in backend.h), which does the work of
 * cleanup.h where svcroute's programs are gone.
 */

/* Shell functions drop_counter NAME, drop_set NAME, drop_server PROTOCOL ADDRESS:PORT: by the
 * programs for it, or over netlink. What is not there is no failure. Kernel headers:
 * nfnetlink_acct.h, ipset/ip_set.h, ip_vs.h, genetlink.h. */
extern const char cleanup_script_objects[];

/* Of ipvs mode, before and after what takes rules away. record: where the record is. */
void ipvs_cleanup_script_before(const char *record, struct strbuf *out);
void ipvs_cleanup_script_after(struct strbuf *out);
