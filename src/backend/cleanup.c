/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/ipvs-host.h"
#include "backend/ipvs-remove.h"

/* The command's clean-up of all modes: what rules guard goes before them, what they look into after
 * them. */

int backend_cleanup(const struct ipvs_memory *memory, char **ret_message)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	struct ipvs_removal removal;
	char *message = NULL;
	int r;

	ipvs_removal_begin(&removal, memory, &o);
	ipvs_remove_servers(&removal, &o);
	r = iptables_backend_cleanup(&message);
	if (r < 0)
		ipvs_outcome_fail_text(&o, _ADDR_FAMILY_INVALID, r, message);
	ipvs_remove_sets(&o);
	ipvs_host_restore(&removal.owned, &o);
	if (o.error == 0)
		ipvs_removal_record(&removal, false, &o);
	ipvs_removal_done(&removal);
	ipvs_outcome_log_warnings(&o);
	if (o.error < 0)
		*ret_message = ipvs_outcome_text(&o);
	return o.error;
}
