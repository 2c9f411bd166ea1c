/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/checks.h"
#include "model/index-internal.h"

static const char *const settings_port_keys[_SETTINGS_PORT_MAX] = {
	[SETTINGS_HEALTHZ] = "HealthzBindAddress",
	[SETTINGS_METRICS] = "MetricsBindAddress",
};

int index_add_clash(struct index_clashes *c, const char *file_a, const char *file_b,
		    struct diags **ret_diags)
{
	int r = array_reserve(&c->items, &c->allocated, c->n + 1);

	if (r < 0)
		return r;
	c->items[c->n] = (struct index_clash){.files = {file_a, file_b}};
	*ret_diags = &c->items[c->n++].diags;
	return 0;
}

/* Of the clash that was added last. */
static struct diags *index_clash_mirror(struct index_clashes *c)
{
	return &c->items[c->n - 1].mirror;
}

/* The claims are those of the definition that they were set from; the slot may have others since,
 * until it is built. */
void owner_place(const struct owner *o, struct place *ret)
{
	service_value_place(slot_of(o)->claimed, o->value, ret);
}

const char *owner_field(const struct owner *o, char buf[SERVICE_VALUE_MAX])
{
	return service_value_field(slot_of(o)->claimed, o->value, buf);
}

const char *owner_text(const struct owner *o, char buf[SERVICE_VALUE_MAX])
{
	return service_value_text(slot_of(o)->claimed, o->value, buf);
}

const char *owner_place_text(const struct owner *o, struct strbuf *b)
{
	struct place at;

	owner_place(o, &at);
	return place_text(&at, b);
}

static int tell_twice(struct diags *d, const struct slot *s, const struct service_def *def,
		      const struct service_def *other)
{
	const struct service_value name = {.key = VALUE_NAME};
	_cleanup_strbuf_ struct strbuf b = {0};
	char field[SERVICE_VALUE_MAX];
	struct place at, there;

	service_value_place(def, name, &at);
	service_value_place(other, name, &there);
	check_tell(d, CHECK_S4_TWICE, &at, s->key, service_value_field(def, name, field), s->key,
		   place_text(&there, &b));
	return strbuf_error(&b) ? -ENOMEM : d->error;
}

int index_clash_twice(struct index_clashes *c, const struct slot *s)
{
	for (size_t i = 1; i < s->n_defs; i++) {
		const struct service_def *first = s->defs[0].def, *def = s->defs[i].def;
		struct diags *d;
		int r = index_add_clash(c, s->defs[0].file, s->defs[i].file, &d);

		if (r == 0)
			r = tell_twice(d, s, def, first);
		if (r == 0)
			r = tell_twice(index_clash_mirror(c), s, first, def);
		if (r < 0)
			return r;
	}
	return 0;
}

bool slot_read_before(const struct slot *a, const struct slot *b)
{
	int c = strcmp(a->defs[0].file, b->defs[0].file);

	return c ? c < 0 : a->defs[0].def->position < b->defs[0].def->position;
}

static const char *claim_text(const struct claim_key *key, struct strbuf *b)
{
	char text[ADDR_PORT_TEXT_MAX];

	if (key->kind == CLAIM_NODE_PORT)
		strbuf_addf(b, "%u", key->port);
	else
		strbuf_add(b, addr_port_format(&key->addr, key->port, text));
	strbuf_addf(b, "/%s", svc_proto_text((enum svc_proto)key->protocol));
	return strbuf_text(b);
}

/* The service gives way whatever the order: it clashes with itself. */
static int clash_settings(struct index_clashes *c, const struct claim *claim,
			  const struct owner *first, const struct owner *second)
{
	_cleanup_strbuf_ struct strbuf value = {0}, setting = {0};
	const struct slot *s = slot_of(second);
	char field[SERVICE_VALUE_MAX];
	struct place at;
	struct diags *d;
	int r;

	r = index_add_clash(c, s->defs[0].file, s->defs[0].file, &d);
	if (r < 0)
		return r;
	strbuf_addf(&setting, "%s=", settings_port_keys[first->value.index]);
	owner_place(second, &at);
	check_tell(d, CHECK_X10_PORT, &at, s->key, owner_field(second, field),
		   claim_text(&claim->key, &value), strbuf_text(&setting));
	return strbuf_error(&value) || strbuf_error(&setting) ? -ENOMEM : d->error;
}

static int tell_pair(struct diags *d, const struct claim *claim, const struct owner *told,
		     const struct owner *other)
{
	_cleanup_strbuf_ struct strbuf where = {0}, value = {0};
	bool node_port = claim->key.kind == CLAIM_NODE_PORT;
	char field[SERVICE_VALUE_MAX], text[SERVICE_VALUE_MAX];
	struct place at;

	owner_place(told, &at);
	check_tell(d, node_port ? CHECK_X2_NODE_PORT : CHECK_X1_ADDRESS, &at, slot_of(told)->key,
		   owner_field(told, field), claim_text(&claim->key, &value), slot_of(other)->key,
		   owner_text(other, text), owner_place_text(other, &where));
	return strbuf_error(&value) || strbuf_error(&where) ? -ENOMEM : d->error;
}

static int clash_pair(struct index_clashes *c, const struct claim *claim, const struct owner *first,
		      const struct owner *second)
{
	struct diags *d;
	int r;

	r = index_add_clash(c, slot_of(first)->defs[0].file, slot_of(second)->defs[0].file, &d);
	if (r == 0)
		r = tell_pair(d, claim, second, first);
	if (r == 0)
		r = tell_pair(index_clash_mirror(c), claim, first, second);
	return r;
}

const struct owner *claim_first_owner(const struct claim *claim)
{
	const struct owner *first = claim->owners;

	for (const struct owner *o = first->next; o && slot_of(first); o = o->next)
		if (!slot_of(o) || slot_read_before(slot_of(o), slot_of(first)))
			first = o;
	return first;
}

/* Each owner but the one that is read first is told. */
static int clash_claim(struct index_clashes *c, const struct claim *claim)
{
	const struct owner *o, *first = claim_first_owner(claim);
	int r;

	for (o = claim->owners; o; o = o->next) {
		if (o == first)
			continue;
		r = slot_of(first) ? clash_pair(c, claim, first, o)
				   : clash_settings(c, claim, first, o);
		if (r < 0)
			return r;
	}
	return 0;
}

int index_clash_claims(const struct index *x, struct index_clashes *c)
{
	const struct claim *claim;
	size_t pos = 0;

	while ((claim = claims_next_contested(&x->claims, &pos))) {
		int r = clash_claim(c, claim);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Settings */

/* Ports of the daemon's own listeners; 0 for "off". */
static void settings_ports(const struct settings *s, uint16_t ret[_SETTINGS_PORT_MAX])
{
	const char *const texts[_SETTINGS_PORT_MAX] = {
		[SETTINGS_HEALTHZ] = s->healthz_bind_address,
		[SETTINGS_METRICS] = s->metrics_bind_address,
	};
	struct addr ignored;

	for (int i = 0; i < _SETTINGS_PORT_MAX; i++) {
		ret[i] = 0;
		(void)addr_port_parse(texts[i], &ignored, &ret[i]);
	}
}

int index_claim_settings(struct index *x, const struct settings *s)
{
	uint16_t ports[_SETTINGS_PORT_MAX];

	settings_ports(s, ports);
	if (memcmp(ports, x->settings_ports, sizeof(ports)) == 0)
		return 0;
	memcpy(x->settings_ports, ports, sizeof(ports));
	return claims_set_ports(&x->claims, &x->settings_claimant, ports, _SETTINGS_PORT_MAX);
}

int index_check_settings(const struct index *x, const struct settings *s,
			 const struct settings_origin *origin, struct diags *d)
{
	uint16_t ports[_SETTINGS_PORT_MAX];
	size_t before = d->n_errors;

	settings_ports(s, ports);
	for (int i = 0; i < _SETTINGS_PORT_MAX; i++) {
		_cleanup_strbuf_ struct strbuf where = {0}, field = {0};
		const struct claim *claim = claims_find_node_port(&x->claims, ports[i], SVC_TCP);
		const struct owner *o = claim ? claim_first_owner(claim) : NULL;
		const struct slot *slot = o ? slot_of(o) : NULL;
		const struct setting_row *row = setting_find("Health", settings_port_keys[i]);
		char other[SERVICE_VALUE_MAX];

		if (!slot || !slot->n_defs || !row)
			continue;
		strbuf_addf(&field, "Health.%s", row->key);
		check_tell(d, CHECK_X10_SETTING, &origin->places[row - setting_rows], NULL,
			   strbuf_text(&field),
			   i == SETTINGS_HEALTHZ ? s->healthz_bind_address
						 : s->metrics_bind_address,
			   owner_text(o, other), slot->key, owner_place_text(o, &where));
		if (strbuf_error(&where) || strbuf_error(&field))
			return -ENOMEM;
	}
	if (d->error < 0)
		return d->error;
	return d->n_errors > before ? -EBADMSG : 0;
}
