/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "daemon/manager.h"

static void usage(FILE *f)
{
	(void)fprintf(f, "Usage: svcrouted [--once] [--root DIR]\n"
			 "\n"
			 "Routes services to their endpoints as the files in /etc/svcroute say.\n"
			 "\n"
			 "  --once        sync once, then exit with the rules in place\n"
			 "  --root DIR    use DIR/etc/svcroute, DIR/run/svcroute and so on\n"
			 "  --help        show this text\n"
			 "  --version     show the version\n"
			 "\n"
			 "Exit status: 0 stopped, or synced with --once; 1 failed; 2 wrong usage;\n"
			 "3 configuration refused. Rules stay on exit, whatever the reason.\n");
}

/* 0: go on; 1: done; 2: wrong usage. */
static int parse_arguments(int argc, char **argv, struct manager_options *ret)
{
	static const struct option options[] = {
		{"once", no_argument, NULL, 'o'},
		{"root", required_argument, NULL, 'r'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (c) {
		case 'o':
			ret->once = true;
			break;
		case 'r':
			ret->root = optarg;
			break;
		case 'h':
			usage(stdout);
			return 1;
		case 'v':
			(void)puts(SVCROUTE_VERSION);
			return 1;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc) {
		(void)fprintf(stderr, "svcrouted: unexpected argument '%s'\n", argv[optind]);
		return 2;
	}
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_(manager_freep) struct manager *m = NULL;
	struct manager_options options = {0};
	int r;

	r = parse_arguments(argc, argv, &options);
	if (r > 0)
		return r == 1 ? EXIT_SUCCESS : r;
	log_init(LOG_INFO, true);
	r = manager_new(&options, &m);
	if (r < 0)
		return EXIT_FAILURE;
	return manager_run(m);
}
