/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/command.h"

#include "base/cleanup.h"

#define ANY ((size_t)-1)

/* Programs that only print the tables are not linked with what the rows call. */
#ifdef TABLES_ONLY
#define RUN(command) NULL
#else
#define RUN(command) command
#endif

const struct command commands[] = {
	{"status", "", "how the daemon is doing (also without any command)", CTL_VERBOSE, 0, 0,
	 RUN(cmd_status)},
	{"services", "", "the services in force, with their ports", 0, 0, 0, RUN(cmd_services)},
	{"endpoints", "[SERVICE]", "endpoints of all services or of one, and which are used", 0, 0,
	 1, RUN(cmd_endpoints)},
	{"settings", "", "effective settings, and where each comes from", 0, 0, 0,
	 RUN(cmd_settings)},
	{"check", "[DIR]", "check the files, or those of DIR laid out as /etc/svcroute",
	 CTL_VERBOSE | CTL_STRICT, 0, 1, RUN(cmd_check)},
	{"render", "[DIR]", "print the kernel input for the files, touching nothing",
	 CTL_MODE | CTL_FAMILY | CTL_ADDRESSES | CTL_NO_NFACCT, 0, 1, RUN(cmd_render)},
	{"import", "FILE...", "make files of Kubernetes YAML or JSON; - is standard input",
	 CTL_OUTPUT | CTL_FORCE | CTL_NODE | CTL_VERBOSE, 1, ANY, RUN(cmd_import)},
	{"reload", "", "have the daemon read its files now, and wait for the verdict", CTL_VERBOSE,
	 0, 0, RUN(cmd_reload)},
	{"resync", "", "have the daemon write everything again, and wait", CTL_VERBOSE, 0, 0,
	 RUN(cmd_resync)},
	{"sysctls", "", "set the sysctls that the files ask for, as the daemon would", 0, 0, 0,
	 RUN(cmd_sysctls)},
	{"cleanup", "", "take away all rules that are ours, and nothing else",
	 CTL_FORCE | CTL_PRINT_SCRIPT, 0, 0, RUN(cmd_cleanup)},
};
const size_t n_commands = ELEMENTSOF(commands);

const struct option_row option_rows[] = {
	{"root", "DIR", "go before every path: DIR/etc/svcroute and so on", 'R', 0},
	{"json", NULL, "JSON on standard output", 'J', 0},
	{"verbose", NULL, "say more (check: notices too)", 'v', CTL_VERBOSE},
	{"strict", NULL, "warnings are errors", 'S', CTL_STRICT},
	{"mode", "MODE", "instead of the mode set: iptables, ipvs, nftables, userspace", 'M',
	 CTL_MODE},
	{"family", "FAMILY", "ipv4 (default) or ipv6", 'F', CTL_FAMILY},
	{"addresses", "LIST", "local addresses instead of this host's, ADDRESS or ADDRESS@LINK",
	 'A', CTL_ADDRESSES},
	{"no-nfacct", NULL, "as for a kernel without nfacct", 'N', CTL_NO_NFACCT},
	{"output", "DIR", "write files below DIR instead of standard output", 'o', CTL_OUTPUT},
	{"node", "NAME", "which of several Nodes this host is", 'D', CTL_NODE},
	{"force", NULL, "replace existing files; clean up although the daemon runs", 'f',
	 CTL_FORCE},
	{"print-script", NULL, "print a shell script that does the same", 'P', CTL_PRINT_SCRIPT},
	{"help", NULL, "show this text", 'h', 0},
	{"version", NULL, "show the version", 'V', 0},
};
const size_t n_option_rows = ELEMENTSOF(option_rows);
_Static_assert(ELEMENTSOF(option_rows) <= OPTION_ROWS_MAX, "room for all in parse_options()");
