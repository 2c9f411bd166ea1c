/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-host.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "base/num.h"
#include "kernel/sysctl.h"

#define CONN_REUSE_MODE "net/ipv4/vs/conn_reuse_mode"

/* "net.ipv4.vs.conntrack" */
static const char *dotted(const char *path, char buf[64])
{
	size_t i;

	for (i = 0; i < 63 && path[i]; i++)
		buf[i] = (char)(path[i] == '/' ? '.' : path[i]);
	buf[i] = '\0';
	return buf;
}

static bool is_wanted(const struct settings *s, size_t row)
{
	struct utsname host;

	if (uname(&host) < 0)
		host.release[0] = '\0';
	return row < IPVS_SYSCTLS_MAX && ipvs_sysctl_wanted(&ipvs_sysctls[row], s, host.release);
}

void ipvs_host_look(const struct settings *s, struct ipvs_outcome *o)
{
	int64_t value;
	char name[64];

	for (size_t i = 0; i < n_ipvs_sysctls; i++) {
		const struct ipvs_sysctl *row = &ipvs_sysctls[i];

		if (is_wanted(s, i)) {
			if (sysctl_read_int(row->path, &value) == 0 && value != row->value) {
				o->sysctl_found[i] = true;
				o->sysctl_old[i] = value;
			}
		} else if (streq(row->path, CONN_REUSE_MODE) &&
			   sysctl_read_int(row->path, &value) == 0 && value == 0) {
			ipvs_outcome_warn(o,
					  "%s is 0 and stays so: on this kernel, which does not "
					  "need it, connections from a port used before may go to "
					  "a server that is gone",
					  dotted(row->path, name));
		}
	}
}

void ipvs_host_write(struct ipvs_doors *d, const struct settings *s, struct ipvs_outcome *o)
{
	const struct ipvs_timeouts wanted = {
		.tcp = (uint32_t)(s->ipvs_tcp_timeout / USEC_PER_SEC),
		.tcp_fin = (uint32_t)(s->ipvs_tcp_fin_timeout / USEC_PER_SEC),
		.udp = (uint32_t)(s->ipvs_udp_timeout / USEC_PER_SEC),
	};
	struct ipvs_timeouts is;
	int r;

	for (size_t i = 0; i < n_ipvs_sysctls; i++) {
		const struct ipvs_sysctl *row = &ipvs_sysctls[i];
		char name[64];

		if (!is_wanted(s, i))
			continue;
		r = sysctl_ensure_int(row->path, row->value);
		if (r < 0) {
			o->sysctl_found[i] = false;
			ipvs_outcome_warn(o, "sysctl %s cannot be set to %" PRId64 ": %s",
					  dotted(row->path, name), row->value, strerror(-r));
		}
	}
	if (!wanted.tcp && !wanted.tcp_fin && !wanted.udp)
		return;
	r = ipvs_get_timeouts(d->ipvs, &is);
	if (r == 0 && (!wanted.tcp || wanted.tcp == is.tcp) &&
	    (!wanted.tcp_fin || wanted.tcp_fin == is.tcp_fin) &&
	    (!wanted.udp || wanted.udp == is.udp))
		return;
	r = ipvs_set_timeouts(d->ipvs, &wanted);
	if (r < 0)
		ipvs_outcome_warn(o, "timeouts of IPVS cannot be set: %s", strerror(-r));
}

void ipvs_host_restore(const struct ipvs_owned *owned, struct ipvs_outcome *o)
{
	for (size_t i = 0; i < owned->n_sysctls; i++) {
		const struct ipvs_sysctl *row = &ipvs_sysctls[owned->sysctls[i].row];
		int64_t now;
		char name[64];
		int r;

		/* One that was changed again by somebody else is theirs. */
		if (sysctl_read_int(row->path, &now) < 0 || now != row->value)
			continue;
		r = sysctl_ensure_int(row->path, owned->sysctls[i].value);
		if (r < 0)
			ipvs_outcome_warn(o, "sysctl %s cannot be set back to %" PRId64 ": %s",
					  dotted(row->path, name), owned->sysctls[i].value,
					  strerror(-r));
	}
}
