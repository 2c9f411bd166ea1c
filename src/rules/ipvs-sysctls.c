/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "rules/ipvs-internal.h"

/* spec/ipvs.md section 5 */
const struct ipvs_sysctl ipvs_sysctls[] = {
	{"net/ipv4/vs/conntrack", 1, false, false},
	{"net/ipv4/vs/conn_reuse_mode", 0, false, true},
	{"net/ipv4/vs/expire_nodest_conn", 1, false, false},
	{"net/ipv4/vs/expire_quiescent_template", 1, false, false},
	{"net/ipv4/ip_forward", 1, false, false},
	{"net/ipv4/conf/all/arp_ignore", 1, true, false},
	{"net/ipv4/conf/all/arp_announce", 2, true, false},
};
const size_t n_ipvs_sysctls = ELEMENTSOF(ipvs_sysctls);

/* The number that a text begins with, and where it ends; 0 when there is none. */
static unsigned leading_number(const char **at)
{
	size_t n = strspn(*at, "0123456789");
	char digits[8];
	uint64_t value;

	if (n == 0 || n >= sizeof(digits))
		return 0;
	memcpy(digits, *at, n);
	digits[n] = '\0';
	*at += n;
	return num_parse_u64(digits, 0, UINT16_MAX, &value) == 0 ? (unsigned)value : 0;
}

static bool is_old_kernel(const char *release)
{
	unsigned major = leading_number(&release), minor = 0;

	if (*release == '.') {
		release++;
		minor = leading_number(&release);
	}
	return (major == 4 && minor >= 1) || (major == 5 && minor < 9);
}

bool ipvs_sysctl_wanted(const struct ipvs_sysctl *row, const struct settings *s,
			const char *release)
{
	if (row->strict_arp && !s->ipvs_strict_arp)
		return false;
	return !row->old_kernel || is_old_kernel(release);
}

void ipvs_print_sysctls(const struct settings *s, const char *release, struct strbuf *out)
{
	for (size_t i = 0; i < n_ipvs_sysctls; i++)
		if (ipvs_sysctl_wanted(&ipvs_sysctls[i], s, release))
			strbuf_addf(out, "%s=%" PRId64 "\n", ipvs_sysctls[i].path,
				    ipvs_sysctls[i].value);
}

void ipvs_print_timeouts(const struct settings *s, struct strbuf *out)
{
	uint64_t tcp = s->ipvs_tcp_timeout / USEC_PER_SEC;
	uint64_t fin = s->ipvs_tcp_fin_timeout / USEC_PER_SEC;
	uint64_t udp = s->ipvs_udp_timeout / USEC_PER_SEC;

	if (tcp || fin || udp)
		strbuf_addf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", tcp, fin, udp);
}
