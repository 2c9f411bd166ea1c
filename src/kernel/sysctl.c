/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/sysctl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/num.h"

#define PATH_SIZE 256

static int sysctl_path(const char *name, char path[PATH_SIZE])
{
	int n = snprintf(path, PATH_SIZE, "/proc/sys/%s", name);

	return n < 0 || n >= PATH_SIZE ? -ENAMETOOLONG : 0;
}

int sysctl_read_int(const char *name, int64_t *ret)
{
	char path[PATH_SIZE], line[64];
	int r;

	r = sysctl_path(name, path);
	if (r < 0)
		return r;
	r = file_read_line(path, line, sizeof(line));
	if (r < 0)
		return r;
	return num_parse_i64(line, INT64_MIN, INT64_MAX, ret);
}

int sysctl_ensure_int(const char *name, int64_t value)
{
	char path[PATH_SIZE], text[32];
	int64_t now;
	int r;

	r = sysctl_path(name, path);
	if (r < 0)
		return r;
	/* One that cannot be read is written all the same: it may be write-only or hold several
	 * numbers. */
	if (sysctl_read_int(name, &now) == 0 && now == value)
		return 0;
	(void)snprintf(text, sizeof(text), "%" PRId64, value);
	r = file_write_line(path, text);
	return r < 0 ? r : 1;
}

bool sysctl_ipv6_usable(void)
{
	/* Only asked for because that loads the module. */
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int64_t disabled;

	if (fd >= 0)
		(void)close(fd);
	if (access("/proc/net/if_inet6", F_OK) < 0)
		return false;
	return sysctl_read_int("net/ipv6/conf/all/disable_ipv6", &disabled) < 0 || disabled != 1;
}
