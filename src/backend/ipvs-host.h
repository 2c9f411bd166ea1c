/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-look.h"

/* What ipvs mode needs of the host besides: spec/ipvs.md section 5. */

/* Which sysctls have to be written, and what they were: into o->sysctl_found and sysctl_old. Only
 * looks. */
void ipvs_host_look(const struct settings *s, struct ipvs_outcome *o);
/* Writes them; what cannot be written is a warning. And the timeouts of IPVS. */
void ipvs_host_write(struct ipvs_doors *d, const struct settings *s, struct ipvs_outcome *o);
/* Sets back what a record tells. Warnings into o. */
void ipvs_host_restore(const struct ipvs_owned *owned, struct ipvs_outcome *o);
