/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/mode.h"

#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/log.h"

#define RECORD_NAME "owned"
#define RECORD_MAX (64u << 20)

static char *record_path(const struct manager *m)
{
	char *path = NULL;

	return asprintf(&path, "%s/" RECORD_NAME, m->state_directory) < 0 ? NULL : path;
}

static int load_record(void *userdata, char **ret_data, size_t *ret_size)
{
	_cleanup_free_ char *path = record_path(userdata);

	if (!path)
		return -ENOMEM;
	return file_read(AT_FDCWD, path, RECORD_MAX, ret_data, ret_size, NULL);
}

static int save_record(void *userdata, const char *data, size_t size)
{
	const struct manager *m = userdata;
	_cleanup_free_ char *path = record_path(m);
	int r;

	if (!path)
		return -ENOMEM;
	r = file_make_dirs(m->state_directory, 0755);
	return r < 0 ? r : file_write_atomic(path, data, size, 0600);
}

static struct ipvs_memory memory_of(struct manager *m)
{
	return (struct ipvs_memory){.load = load_record, .save = save_record, .userdata = m};
}

static int new_iptables(struct manager *m, struct backend **ret)
{
	return iptables_backend_new(m->event, ret);
}

static int new_ipvs(struct manager *m, struct backend **ret)
{
	const struct ipvs_memory memory = memory_of(m);

	return ipvs_backend_new(m->event, &memory, ret);
}

typedef int (*new_backend_t)(struct manager *m, struct backend **ret);

static const new_backend_t modes[_MODE_MAX] = {
	[MODE_IPTABLES] = new_iptables,
	[MODE_IPVS] = new_ipvs,
};

int mode_take_up(struct manager *m)
{
	enum svc_mode mode = m->world ? m->world->settings->s.mode : MODE_IPTABLES;
	struct backend *b;
	int r;

	if (m->backend && m->mode == mode)
		return 0;
	if (!modes[mode])
		return -EOPNOTSUPP; /* the settings refuse it */
	if (m->former && m->former_mode == mode) {
		/* Changed back before the other one had done anything good. */
		b = m->former;
		m->former = NULL;
	} else {
		r = modes[mode](m, &b);
		if (r < 0)
			return r;
	}
	if (m->backend && m->former)
		m->backend->ops->free(m->backend);
	else if (m->backend) {
		m->former = m->backend;
		m->former_mode = m->mode;
	}
	m->backend = b;
	m->mode = mode;
	m->mode_settled = false;
	m->sync_full = true;
	return 0;
}

void mode_synced(struct manager *m)
{
	if (m->mode_settled)
		return;
	m->mode_settled = true;
	if (m->former)
		m->former = m->former->ops->free(m->former);
}

void mode_done(struct manager *m)
{
	if (m->former)
		m->former->ops->free(m->former);
	if (m->backend)
		m->backend->ops->free(m->backend);
}
