/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/ctl.h"

#define ANY ((size_t)-1)

const struct command commands[] = {
	{"status", "", "how the daemon is doing (also without any command)", CTL_VERBOSE, 0, 0,
	 cmd_status},
	{"services", "", "the services in force, with their ports", 0, 0, 0, cmd_services},
	{"endpoints", "[SERVICE]", "endpoints of all services or of one, and which are used", 0, 0,
	 1, cmd_endpoints},
	{"settings", "", "effective settings, and where each comes from", 0, 0, 0, cmd_settings},
	{"check", "[DIR]", "check the files, or those of DIR laid out as /etc/svcroute",
	 CTL_VERBOSE | CTL_STRICT, 0, 1, cmd_check},
	{"render", "[DIR]", "print the kernel input for the files, touching nothing",
	 CTL_MODE | CTL_FAMILY | CTL_ADDRESSES | CTL_NO_NFACCT, 0, 1, cmd_render},
	{"import", "FILE...", "make files of Kubernetes YAML or JSON; - is standard input",
	 CTL_OUTPUT | CTL_FORCE | CTL_NODE | CTL_VERBOSE, 1, ANY, cmd_import},
	{"reload", "", "have the daemon read its files now, and wait for the verdict", CTL_VERBOSE,
	 0, 0, cmd_reload},
	{"resync", "", "have the daemon write everything again, and wait", CTL_VERBOSE, 0, 0,
	 cmd_resync},
	{"cleanup", "", "take away all rules that are ours, and nothing else",
	 CTL_FORCE | CTL_PRINT_SCRIPT, 0, 0, cmd_cleanup},
};
const size_t n_commands = sizeof(commands) / sizeof(commands[0]);
