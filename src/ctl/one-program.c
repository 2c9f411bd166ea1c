/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"

/*
 * Both programs in one file, for packages and small hosts (make SMALL=1): nearly all of their code
 * is the same. The name it was called by decides which one it is; svcroutectl is a link.
 */

int svcrouted_main(int argc, char **argv);
int svcroutectl_main(int argc, char **argv);

int main(int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : "", *slash = strrchr(name, '/');

	return streq(slash ? slash + 1 : name, "svcroutectl") ? svcroutectl_main(argc, argv)
							      : svcrouted_main(argc, argv);
}
