/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/backend.h"
#include "backend/iptables-run.h"
#include "backend/ipvs-run.h"

static struct ipvs_mode *upcast(struct backend *b)
{
	return (struct ipvs_mode *)b;
}

static int ipvs_sync(struct backend *backend, const struct view *view, bool full,
		     backend_done_t done, void *userdata)
{
	struct ipvs_mode *b = upcast(backend);

	if (b->run)
		return -EBUSY;
	return ipvs_run_start(b, view, full, done, userdata);
}

static int ipvs_describe(struct backend *backend, char **ret)
{
	const struct ipvs_mode *b = upcast(backend);
	_cleanup_strbuf_ struct strbuf text = {0};
	const char *separator = ", ";

	strbuf_add(&text, b->decided ? iptables_variant_name(b->variant)
				     : "iptables variant not yet decided");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		if (!b->served[f])
			continue;
		strbuf_add(&text, separator);
		strbuf_add(&text, addr_family_name((enum addr_family)f));
		separator = " and ";
	}
	*ret = strbuf_take(&text);
	return *ret ? 0 : -ENOMEM;
}

static const char *const *ipvs_warnings(struct backend *backend, size_t *ret_n)
{
	struct ipvs_mode *b = upcast(backend);

	for (size_t i = 0; i < b->n_warnings; i++)
		b->warning_list[i] = b->warnings[i];
	*ret_n = b->n_warnings;
	return b->warning_list;
}

static struct backend *ipvs_free(struct backend *backend)
{
	struct ipvs_mode *b = upcast(backend);

	if (!b)
		return NULL;
	(void)ipvs_run_free(b->run);
	ipvs_drains_done(b);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		(void)ipvs_state_unref(b->compiled[f]);
		(void)ipvs_state_unref(b->in_force[f]);
	}
	for (size_t i = 0; i < b->n_warnings; i++)
		free(b->warnings[i]);
	free(b->warnings);
	free(b->warning_list);
	ipvs_owned_done(&b->owned);
	(void)shared_settings_unref(b->settings);
	(void)local_addrs_unref(b->addrs);
	(void)sd_event_unref(b->event);
	free(b);
	return NULL;
}

static const struct backend_ops ipvs_ops = {
	.name = "ipvs",
	.sync = ipvs_sync,
	.describe = ipvs_describe,
	.warnings = ipvs_warnings,
	.count = ipvs_count,
	.free = ipvs_free,
};

int ipvs_backend_new(sd_event *event, const struct ipvs_memory *memory, struct backend **ret)
{
	struct ipvs_mode *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->backend.ops = &ipvs_ops;
	b->event = sd_event_ref(event);
	b->memory = *memory;
	*ret = (struct backend *)b;
	return 0;
}
