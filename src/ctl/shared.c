/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "base/file.h"
#include "base/num.h"
#include "control/client.h"
#include "ctl/ctl.h"
#include "kernel/host-facts.h"

/* A reload may wait for locks and load large tables. */
#define ASK_TIMEOUT_USEC (300 * USEC_PER_SEC)

int ctl_read_config(const struct ctl *c, struct config **ret_config, struct world **ret_world)
{
	const struct config_places places = {
		.root = c->root,
		.single = c->n_arguments ? c->arguments[0] : NULL,
	};
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_host_facts_ struct host_facts host = {0};
	struct world *world = NULL;
	int r;

	r = config_new(&places, &config);
	if (r < 0)
		return ctl_fail(CTL_FAILED, "no memory");
	config_set_notices(config, c->verbose);
	/* A directory, or addresses, that were named are those of another host. */
	if (c->n_arguments == 0 && !c->addresses) {
		r = host_facts_read(false, &host);
		if (r == -ENOMEM)
			return ctl_fail(CTL_FAILED, "no memory");
		if (r == 0)
			config_set_host(config, &host);
	}
	r = config_refresh(config, NULL, 0, &world);
	config_set_host(config, NULL);
	if (r < 0 && r != -EBADMSG && r != -EOPNOTSUPP)
		return ctl_fail(CTL_FAILED, "cannot read the configuration: %s", strerror(-r));
	*ret_config = TAKE_PTR(config);
	if (r < 0 || config_problems(*ret_config)->n_errors) {
		world_unref(world);
		return CTL_REFUSED;
	}
	*ret_world = world;
	return CTL_OK;
}

int ctl_ask(const struct ctl *c, int verb, const char *service, json_t **ret_body)
{
	_cleanup_free_ char *path = file_root_path(c->root, CONTROL_SOCKET);
	json_t *body = NULL;
	int status = 0, r;

	if (!path)
		return ctl_fail(CTL_FAILED, "no memory");
	r = control_request(path, (enum control_verb)verb, service, ASK_TIMEOUT_USEC, &status,
			    &body);
	if (r == -ENOMEM)
		return ctl_fail(CTL_FAILED, "no memory");
	if (r == -EACCES)
		return ctl_fail(CTL_FAILED,
				"no permission to use %s: root and the group svcroute may", path);
	if (r == -ENOENT || r == -ECONNREFUSED)
		return ctl_fail(CTL_NO_DAEMON,
				"the daemon does not run: nobody answers at %s (start it with "
				"'systemctl start svcroute')",
				path);
	if (r < 0)
		return ctl_fail(CTL_NO_DAEMON, "the daemon is not reachable at %s: %s", path,
				strerror(-r));
	if (status == 200 || status == 422 || (status == 500 && json_is_object(body))) {
		*ret_body = body;
		return CTL_OK;
	}
	json_decref(body);
	switch (status) {
	case 403:
		return ctl_fail(CTL_FAILED, "only root may do this");
	case 404:
		return ctl_fail(CTL_FAILED, "no such service: '%s'", service ? service : "");
	case 503:
		return ctl_fail(CTL_FAILED, "the daemon has no configuration yet, or is stopping");
	default:
		return ctl_fail(CTL_FAILED, "the daemon answered with status %d", status);
	}
}
