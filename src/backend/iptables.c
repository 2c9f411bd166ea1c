/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/backend.h"
#include "backend/iptables-run.h"

const char *iptables_variant_name(enum iptables_variant v)
{
	return v == VARIANT_NFT ? "iptables-nft" : "iptables-legacy";
}

const char *addr_family_name(enum addr_family f)
{
	return f == ADDR_IPV4 ? "IPv4" : "IPv6";
}

static struct iptables_mode *upcast(struct backend *b)
{
	return (struct iptables_mode *)b;
}

static int iptables_sync(struct backend *backend, const struct view *view, bool full,
			 backend_done_t done, void *userdata)
{
	struct iptables_mode *b = upcast(backend);

	if (b->run)
		return -EBUSY;
	return iptables_run_start(b, view, full, done, userdata);
}

static int iptables_describe(struct backend *backend, char **ret)
{
	const struct iptables_mode *b = upcast(backend);
	_cleanup_strbuf_ struct strbuf text = {0};
	const char *separator = ", ";

	strbuf_add(&text, b->decided ? iptables_variant_name(b->variant)
				     : "iptables, variant not yet decided");
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

static const char *const *iptables_warnings(struct backend *backend, size_t *ret_n)
{
	return iptables_warnings_list(&upcast(backend)->warnings, ret_n);
}

static struct backend *iptables_free(struct backend *backend)
{
	struct iptables_mode *b = upcast(backend);

	if (!b)
		return NULL;
	(void)iptables_run_free(b->run);
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		(void)ruleset_unref(b->compiled[f]);
		(void)ruleset_unref(b->in_force[f]);
	}
	iptables_warnings_done(&b->warnings);
	(void)sd_event_unref(b->event);
	free(b);
	return NULL;
}

static const struct backend_ops iptables_ops = {
	.name = "iptables",
	.sync = iptables_sync,
	.describe = iptables_describe,
	.warnings = iptables_warnings,
	.free = iptables_free,
};

int iptables_backend_new(sd_event *event, struct backend **ret)
{
	struct iptables_mode *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	b->backend.ops = &iptables_ops;
	b->event = sd_event_ref(event);
	*ret = (struct backend *)b;
	return 0;
}
