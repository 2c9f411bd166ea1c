/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/mode.h"

#include <errno.h>

#include "base/log.h"

static int new_iptables(struct manager *m, struct backend **ret)
{
	return iptables_backend_new(m->event, ret);
}

static int new_ipvs(struct manager *m, struct backend **ret)
{
	const struct ipvs_memory memory = ipvs_memory_in(m->state_directory);

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
	/* One of the two would undo what the other does. */
	if (ipvs_remains_busy(m->remains))
		return -EAGAIN;
	m->remains = ipvs_remains_free(m->remains);
	if (m->former && m->former_mode == mode) {
		/* Changed back before the other one had a good sync. */
		m->backend->ops->free(m->backend);
		m->backend = TAKE_PTR(m->former);
	} else {
		r = modes[mode](m, &b);
		if (r < 0)
			return r;
		if (m->former)
			m->backend->ops->free(m->backend);
		else {
			m->former = m->backend;
			m->former_mode = m->mode;
		}
		m->backend = b;
	}
	m->mode = mode;
	m->mode_settled = false;
	m->sync_full = true;
	return 0;
}

void mode_synced(struct manager *m)
{
	const struct ipvs_memory memory = ipvs_memory_in(m->state_directory);

	if (m->mode_settled)
		return;
	m->mode_settled = true;
	if (m->former)
		m->former = m->former->ops->free(m->former);
	if (m->mode == MODE_IPVS)
		return; /* it takes away by itself what others left */
	if (m->once)
		(void)ipvs_remains_remove(&memory);
	else if (ipvs_remains_new(m->event, &memory, &m->remains) < 0)
		(void)log_oom();
}

void mode_done(struct manager *m)
{
	ipvs_remains_free(m->remains);
	if (m->former)
		m->former->ops->free(m->former);
	if (m->backend)
		m->backend->ops->free(m->backend);
}
