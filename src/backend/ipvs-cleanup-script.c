/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "backend/cleanup-script.h"
#include "backend/ipvs-remove.h"
#include "base/strbuf.h"

/* The part of the clean-up script that is ipvs mode's; it decides as ipvs-remove.c does. */

static const char script_before[] =
	"# Virtual servers and addresses of ipvs mode. Without a record those are ours that stand "
	"at\n"
	"# addresses of kube-ipvs0.\n"
	"addresses() {\n"
	"\tif [ -e \"$record\" ]; then\n"
	"\t\tsed -n 's/^address //p' \"$record\"\n"
	"\telse\n"
	"\t\tip -o addr show dev kube-ipvs0 2>/dev/null | awk '\n"
	"\t\t\t$4 !~ /^fe80:/ && (($3 == \"inet\" && $4 ~ /\\/32$/) || $4 ~ /\\/128$/) {\n"
	"\t\t\t\tsub(/\\/.*/, \"\", $4); print $4\n"
	"\t\t\t}' | while read -r address; do\n"
	"\t\t\tservers \"$address\" | grep -q . && echo \"$address\"\n"
	"\t\tdone\n"
	"\tfi\n"
	"}\n"
	"\n"
	"# Protocol and address:port of the virtual servers at an address.\n"
	"servers() {\n"
	"\tipvsadm-save -n 2>/dev/null | awk -v want=\"$1\" '$1 == \"-A\" {\n"
	"\t\taddress = $3\n"
	"\t\tsub(/:[0-9]*$/, \"\", address)\n"
	"\t\tgsub(/[][]/, \"\", address)\n"
	"\t\tif (address == want) print $2 == \"-t\" ? \"tcp\" : $2 == \"-u\" ? \"udp\" : "
	"\"sctp\", $3\n"
	"\t}'\n"
	"}\n"
	"\n"
	"wanted() {\n"
	"\tif [ -e \"$record\" ]; then\n"
	"\t\tsed -n 's/^server //p' \"$record\"\n"
	"\telse\n"
	"\t\taddresses | while read -r address; do servers \"$address\"; done\n"
	"\tfi\n"
	"}\n"
	"\n"
	"if [ -e \"$record\" ] || have ipvsadm; then\n"
	"\tours=$(addresses)\n"
	"\tservers=$(wanted)\n"
	"\tfor address in $ours; do\n"
	"\t\tcase $address in *:*) full=$address/128 ;; *) full=$address/32 ;; esac\n"
	"\t\tif ip -o addr show dev kube-ipvs0 2>/dev/null | grep -qF \" $full \"; then\n"
	"\t\t\tip addr del \"$full\" dev kube-ipvs0 || status=1\n"
	"\t\tfi\n"
	"\tdone\n"
	"\twhile read -r protocol server; do\n"
	"\t\tif [ -n \"$server\" ] && [ -e /proc/net/ip_vs ]; then\n"
	"\t\t\tdrop_server \"$protocol\" \"$server\" || status=1\n"
	"\t\tfi\n"
	"\tdone <<EOF\n"
	"$servers\n"
	"EOF\n"
	"elif [ -e /proc/net/ip_vs ] && [ \"$(wc -l </proc/net/ip_vs)\" -gt 3 ]; then\n"
	"\techo \"virtual servers stay: there is no program ipvsadm\" >&2\n"
	"\tstatus=1\n"
	"fi\n"
	"if ip -d link show kube-ipvs0 2>/dev/null | grep -qw dummy &&\n"
	"\t! ip -o addr show dev kube-ipvs0 | grep -qv ' fe80:'; then\n"
	"\tip link del kube-ipvs0 || status=1\n"
	"fi\n"
	"\n";

void ipvs_cleanup_script_before(const char *record, struct strbuf *out)
{
	strbuf_add(out, "record='");
	for (const char *c = record; *c; c++) {
		if (*c == '\'')
			strbuf_add(out, "'\\'");
		strbuf_add_char(out, *c);
	}
	strbuf_add(out, "'\n");
	strbuf_add(out, script_before);
}

void ipvs_cleanup_script_after(struct strbuf *out)
{
	/* asking for a set would load the module */
	strbuf_add(out, "if [ -e /sys/module/ip_set ]; then\n\tfor set in");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		for (int i = 0; i < _SET_MAX; i++)
			strbuf_addf(out, " \\\n\t\t%s", ipvs_set_rows[i].names[f]);
	strbuf_add(out, "; do\n"
			"\t\tdrop_set \"$set\" || status=1\n"
			"\tdone\n"
			"fi\n"
			"# A value that is no longer the one we wrote is somebody else's.\n"
			"back() {\n"
			"\tif [ \"$(cat \"/proc/sys/$1\" 2>/dev/null)\" = \"$2\" ]; then\n"
			"\t\techo \"$3\" >\"/proc/sys/$1\" || status=1\n"
			"\tfi\n"
			"}\n"
			"if [ -e \"$record\" ]; then\n"
			"\twhile read -r kind path value; do\n"
			"\t\tcase $kind,$path in\n");
	for (size_t i = 0; i < n_ipvs_sysctls; i++)
		strbuf_addf(out, "\t\tsysctl,%s) back \"$path\" %" PRId64 " \"$value\" ;;\n",
			    ipvs_sysctls[i].path, ipvs_sysctls[i].value);
	strbuf_add(out, "\t\tesac\n"
			"\tdone <\"$record\"\n"
			"\tif [ \"$status\" = 0 ]; then rm -f \"$record\"; fi\n"
			"fi\n");
}
