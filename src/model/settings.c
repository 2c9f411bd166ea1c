/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/settings.h"

#include "model/settings-own.h"

/* What a struct settings owns, by kind: settings_done() and settings_copy() go over these. */
static const size_t owned_texts[] = {
	offsetof(struct settings, node_name),
	offsetof(struct settings, zone),
	offsetof(struct settings, bridge_interface),
	offsetof(struct settings, interface_name_prefix),
	offsetof(struct settings, ipvs_scheduler),
	offsetof(struct settings, userspace_capture),
	offsetof(struct settings, healthz_bind_address),
	offsetof(struct settings, metrics_bind_address),
};
static const size_t owned_prefixes[] = {
	offsetof(struct settings, cluster_cidr),
	offsetof(struct settings, node_cidr),
	offsetof(struct settings, node_port_addresses.prefixes),
	offsetof(struct settings, service_cidr),
	offsetof(struct settings, ipvs_exclude_cidrs),
};

static char **text_at(struct settings *s, size_t i)
{
	return (char **)(void *)((char *)s + owned_texts[i]);
}

static struct prefix_list *prefixes_at(struct settings *s, size_t i)
{
	return (struct prefix_list *)(void *)((char *)s + owned_prefixes[i]);
}

void settings_done(struct settings *s)
{
	for (size_t i = 0; i < ELEMENTSOF(owned_texts); i++)
		free(*text_at(s, i));
	for (size_t i = 0; i < ELEMENTSOF(owned_prefixes); i++)
		free(prefixes_at(s, i)->items);
	text_list_done(&s->node_port_addresses.interfaces);
	*s = (struct settings){0};
}

/* to has NULL and empty lists where from owns something. */
static int copy_owned(const struct settings *from, struct settings *to)
{
	struct settings borrowed = *from;
	int r;

	for (size_t i = 0; i < ELEMENTSOF(owned_texts); i++) {
		const char *text = *text_at(&borrowed, i);

		r = text ? own_text(text_at(to, i), text) : 0;
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < ELEMENTSOF(owned_prefixes); i++) {
		r = prefix_list_append(prefixes_at(to, i), prefixes_at(&borrowed, i));
		if (r < 0)
			return r;
	}
	return text_list_copy(&from->node_port_addresses.interfaces,
			      &to->node_port_addresses.interfaces);
}

int settings_copy(const struct settings *s, struct settings *ret)
{
	_cleanup_settings_ struct settings copy = *s;
	int r;

	/* First nothing of what s owns, so that giving up half-way frees none of it. */
	for (size_t i = 0; i < ELEMENTSOF(owned_texts); i++)
		*text_at(&copy, i) = NULL;
	for (size_t i = 0; i < ELEMENTSOF(owned_prefixes); i++)
		*prefixes_at(&copy, i) = (struct prefix_list){0};
	copy.node_port_addresses.interfaces = (struct text_list){0};

	r = copy_owned(s, &copy);
	if (r < 0)
		return r;
	*ret = copy;
	copy = (struct settings){0};
	return 0;
}

/* The defaults of the table, by the parsers of the table. A default that its own parser refuses
 * cannot get into a release: the unit test reads them all. */
int settings_init(struct settings *s)
{
	_cleanup_settings_ struct settings new = {0};
	int r;

	for (size_t i = 0; i < ELEMENTSOF(owned_texts); i++) {
		r = own_text(text_at(&new, i), "");
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];
		_cleanup_free_ char *reason = NULL, *hint = NULL;

		if (row->default_text[0] == '\0')
			continue;
		r = row->parse(row, row->default_text, &new, &reason, &hint);
		if (r < 0)
			return r;
	}
	new.min_sync_period_given = false;

	*s = new;
	new = (struct settings){0};
	return 0;
}

const char *setting_scope_text(enum setting_scope s)
{
	switch (s) {
	case SCOPE_NONE:
		return "nothing";
	case SCOPE_SYNC:
		return "full sync";
	case SCOPE_MODE:
		return "change of mode";
	case SCOPE_LISTEN:
		return "sockets opened again";
	case SCOPE_SYSCTL:
		return "kernel settings written again";
	}
	return "unknown";
}

const struct setting_row *setting_find(const char *section, const char *key)
{
	for (size_t i = 0; i < n_setting_rows; i++)
		if (streq(setting_rows[i].key, key) && streq(setting_rows[i].section, section))
			return &setting_rows[i];
	return NULL;
}

unsigned settings_changes(const struct settings *a, const struct settings *b)
{
	_cleanup_strbuf_ struct strbuf text_a = {0}, text_b = {0};
	unsigned changes = 0;

	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];

		strbuf_reset(&text_a);
		strbuf_reset(&text_b);
		row->print(row, a, &text_a);
		row->print(row, b, &text_b);
		if (strbuf_error(&text_a) < 0 || strbuf_error(&text_b) < 0)
			return ~0U;
		if (!streq(strbuf_text(&text_a), strbuf_text(&text_b)))
			changes |= 1U << row->scope;
	}
	/* "NodeIP=" and no NodeIP= print the same. */
	if (a->node_ip_given != b->node_ip_given)
		changes |= 1U << SCOPE_SYNC;
	return changes;
}

enum setting_scope settings_difference(const struct settings *a, const struct settings *b)
{
	unsigned changes = settings_changes(a, b);
	enum setting_scope highest = SCOPE_NONE;

	for (enum setting_scope scope = SCOPE_NONE; scope <= SCOPE_SYSCTL; scope++)
		if (changes & 1U << scope)
			highest = scope;
	return highest;
}
