/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/backend.h"
#include "backend/cleanup-script.h"
#include "backend/ipvs-plan-rules.h"
#include "backend/plan-jumps.h"
#include "base/strbuf.h"
#include "kernel/nfacct.h"

/*
 * The clean-up as a script for hosts where the programs are gone already: iptables-save, awk and
 * iptables-restore. It decides as plan-cleanup.c does.
 */

static const char script_head[] = "#!/bin/sh\n"
				  "# Removes the iptables rules and chains of svcroute and "
				  "kube-proxy: both variants (nft and legacy),\n"
				  "# IPv4 and IPv6. Rules of others stay. May be run again; exit "
				  "status 1: something could not be removed.\n"
				  "set -u\n"
				  "LC_ALL=C\n"
				  "export LC_ALL\n"
				  "status=0\n"
				  "\n"
				  "# Standard input: a save of all tables. Standard output: input "
				  "for a restore of one table, or nothing.\n"
				  "plan() {\n"
				  "\tawk -v want=\"$1\" '\n";

/* What follows the list of jumps, still inside of awk's BEGIN. */
static const char script_program[] =
	"\t\tn = split(\"KUBE-SERVICES KUBE-EXTERNAL-SERVICES KUBE-FORWARD KUBE-NODEPORTS\" \\\n"
	"\t\t\t\" KUBE-PROXY-FIREWALL KUBE-FIREWALL KUBE-PROXY-CANARY KUBE-NODE-PORT\" \\\n"
	"\t\t\t\" KUBE-SOURCE-RANGES-FIREWALL KUBE-IPVS-FILTER KUBE-IPVS-OUT-FILTER\", list, \" "
	"\")\n"
	"\t\tfor (i = 1; i <= n; i++) fixed[\"filter \" list[i]] = 1\n"
	"\t\tn = split(\"KUBE-SERVICES KUBE-NODEPORTS KUBE-POSTROUTING KUBE-MARK-MASQ "
	"KUBE-PROXY-CANARY\" \\\n"
	"\t\t\t\" KUBE-NODE-PORT KUBE-LOAD-BALANCER\", list, \" \")\n"
	"\t\tfor (i = 1; i <= n; i++) fixed[\"nat \" list[i]] = 1\n"
	"\t\tfixed[\"mangle KUBE-PROXY-CANARY\"] = 1\n"
	"\t}\n"
	"\tfunction ours(name) {\n"
	"\t\tif ((want \" \" name) in fixed) return 1\n"
	"\t\treturn want == \"nat\" && name ~ /^KUBE-(SVC|SVL|SEP|FW|EXT)-/\n"
	"\t}\n"
	"\t# The target of a rule; what stands in quotes does not count.\n"
	"\tfunction target(rule,   words, k, m) {\n"
	"\t\tgsub(/\\\\./, \"\", rule)\n"
	"\t\tgsub(/\"[^\"]*\"/, \"\", rule)\n"
	"\t\tm = split(rule, words, / +/)\n"
	"\t\tfor (k = 1; k < m; k++) if (words[k] == \"-j\" || words[k] == \"-g\") return words[k "
	"+ 1]\n"
	"\t\treturn \"\"\n"
	"\t}\n"
	"\tfunction rank(name) {\n"
	"\t\tif (want != \"nat\") return 0\n"
	"\t\tif (name ~ /^KUBE-FW-/) return 1\n"
	"\t\tif (name ~ /^KUBE-EXT-/) return 2\n"
	"\t\tif (name ~ /^KUBE-SVC-/) return 3\n"
	"\t\tif (name ~ /^KUBE-SVL-/) return 4\n"
	"\t\treturn name ~ /^KUBE-SEP-/ ? 5 : 0\n"
	"\t}\n"
	"\t/^\\*/ { table = substr($0, 2); next }\n"
	"\t/^:KUBE-(KUBELET-CANARY|IPTABLES-HINT) / { shared = 1 }\n"
	"\t/^:/ { if (table == want && $2 == \"-\" && ours(substr($1, 2))) chains[++n_chains] = "
	"substr($1, 2); next }\n"
	"\t!/^-A / { next }\n"
	"\ttable == \"filter\" && $2 == \"KUBE-FIREWALL\" { if ($0 != firewall) shared = 1 }\n"
	"\ttable == want && (!ours($2) || $2 == \"KUBE-FIREWALL\") { rules[++n_rules] = $0 }\n"
	"\tEND {\n"
	"\t\tfor (i = 1; i <= n_rules; i++) {\n"
	"\t\t\tto = target(rules[i])\n"
	"\t\t\tif ((want \" \" rules[i]) in jump) {\n"
	"\t\t\t\tif (to != \"KUBE-FIREWALL\" || !shared) out[++n_out] = \"-D\" substr(rules[i], "
	"3)\n"
	"\t\t\t} else if (to != \"\") held[to] = rules[i]\n"
	"\t\t}\n"
	"\t\tfor (r = 0; r <= 5; r++) for (i = 1; i <= n_chains; i++) {\n"
	"\t\t\tname = chains[i]\n"
	"\t\t\tif (rank(name) != r || (name == \"KUBE-FIREWALL\" && shared)) continue\n"
	"\t\t\thead[++n_head] = \":\" name \" - [0:0]\"\n"
	"\t\t\tif (name in held) print \"# \" name \" stays, emptied: \" held[name] > "
	"\"/dev/stderr\"\n"
	"\t\t\telse tail[++n_tail] = \"-X \" name\n"
	"\t\t}\n"
	"\t\tif (n_head + n_out == 0) exit\n"
	"\t\tprint \"*\" want\n"
	"\t\tfor (i = 1; i <= n_head; i++) print head[i]\n"
	"\t\tfor (i = 1; i <= n_out; i++) print out[i]\n"
	"\t\tfor (i = 1; i <= n_tail; i++) print tail[i]\n"
	"\t\tprint \"COMMIT\"\n"
	"\t}'\n"
	"}\n"
	"\n"
	"clean() {\n"
	"\tcommand -v \"$1-save\" >/dev/null || return 0\n"
	"\tfor table in nat filter mangle; do\n"
	"\t\tif ! saved=$(\"$1-save\" 2>/dev/null); then\n"
	"\t\t\techo \"$1-save failed\" >&2\n"
	"\t\t\tstatus=1\n"
	"\t\t\treturn 0\n"
	"\t\tfi\n"
	"\t\tinput=$(printf '%s\\n' \"$saved\" | plan \"$table\" 2>&1) || status=1\n"
	"\t\tstays=$(printf '%s\\n' \"$input\" | grep '^#')\n"
	"\t\tif [ -n \"$stays\" ]; then\n"
	"\t\t\tprintf '%s: %s\\n' \"$1\" \"$stays\" >&2\n"
	"\t\t\tstatus=1\n"
	"\t\tfi\n"
	"\t\tif [ -n \"$input\" ]; then\n"
	"\t\t\tprintf '%s\\n' \"$input\" | \"$1-restore\" -w 5 --noflush || status=1\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"\n";

static const char script_calls[] =
	"clean iptables-nft\n"
	"clean ip6tables-nft\n"
	"# Legacy tables exist only when listed here; looking at others would make them.\n"
	"if [ -n \"$(cat /proc/net/ip_tables_names 2>/dev/null)\" ]; then clean iptables-legacy; "
	"fi\n"
	"if [ -n \"$(cat /proc/net/ip6_tables_names 2>/dev/null)\" ]; then clean ip6tables-legacy; "
	"fi\n";

static void add_awk_string(struct strbuf *out, const char *text)
{
	strbuf_add_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_add_char(out, '\\');
		strbuf_add_char(out, *text);
	}
	strbuf_add_char(out, '"');
}

static int add_jump(enum rule_table table, const char *saved, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf key = {0};

	strbuf_addf(&key, "%s %s", rule_table_text(table), saved);
	if (strbuf_error(&key) < 0)
		return strbuf_error(&key);
	strbuf_add(out, "\t\tjump[");
	add_awk_string(out, strbuf_text(&key));
	strbuf_add(out, "] = 1\n");
	return 0;
}

int backend_cleanup_script(const char *record, struct strbuf *out)
{
	static const char *const counters[] = {NFACCT_INVALID, NFACCT_LOCALHOST};
	int r = 0;

	strbuf_add(out, script_head);
	strbuf_add(out, "\tBEGIN {\n\t\tfirewall = ");
	add_awk_string(out, plan_firewall_rule);
	strbuf_add_char(out, '\n');
	for (size_t i = 0; r == 0 && i < n_ruleset_jumps; i++)
		r = add_jump(ruleset_jumps[i].table, ruleset_jumps[i].saved, out);
	for (size_t i = 0; r == 0 && i < n_ipvs_jumps; i++) {
		_cleanup_strbuf_ struct strbuf saved = {0};

		ipvs_jump_print_saved(&ipvs_jumps[i], &saved);
		r = strbuf_error(&saved);
		if (r == 0)
			r = add_jump(ipvs_jumps[i].table, strbuf_text(&saved), out);
	}
	if (r < 0)
		return r;
	strbuf_add(out, script_program);
	strbuf_add(out, cleanup_script_objects);
	ipvs_cleanup_script_before(record, out);
	strbuf_add(out, script_calls);
	for (size_t i = 0; i < ELEMENTSOF(counters); i++)
		strbuf_addf(out, "drop_counter %s || status=1\n", counters[i]);
	ipvs_cleanup_script_after(out);
	strbuf_add(out, "exit \"$status\"\n");
	return strbuf_error(out);
}
