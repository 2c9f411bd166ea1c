/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>

#include "backend/backend.h"
#include "base/file.h"

#define RECORD_MAX (64u << 20)

char *ipvs_memory_path(const char *directory)
{
	char *path = NULL;

	return asprintf(&path, "%s/owned", directory) < 0 ? NULL : path;
}

static int load(void *userdata, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *path = ipvs_memory_path(userdata);

	if (!path)
		return -ENOMEM;
	return file_read(AT_FDCWD, path, RECORD_MAX, ret_data, ret_size, NULL);
}

static int save(void *userdata, const char *data, size_t size)
{
	_cleanup_free_ char *path = ipvs_memory_path(userdata);
	int r;

	if (!path)
		return -ENOMEM;
	r = file_make_dirs(userdata, 0755);
	return r < 0 ? r : file_write_atomic(path, data, size, 0600);
}

struct ipvs_memory ipvs_memory_in(const char *directory)
{
	return (struct ipvs_memory){
		.load = load,
		.save = save,
		.userdata = (void *)(uintptr_t)directory,
	};
}
