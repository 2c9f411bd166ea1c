/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "model/checks.h"
#include "model/host-check-internal.h"

#define NAMES_SHOWN 5

const char *family_text(int family)
{
	return family == ADDR_IPV4 ? "IPv4" : "IPv6";
}

void name_list_add(struct name_list *l, const char *name)
{
	if (++l->n > NAMES_SHOWN)
		return;
	if (l->n > 1)
		strbuf_add(&l->text, ", ");
	strbuf_addf(&l->text, "'%s'", name);
}

const char *name_list_text(struct name_list *l)
{
	if (l->n > NAMES_SHOWN)
		strbuf_addf(&l->text, " and %zu more", l->n - NAMES_SHOWN);
	return strbuf_text(&l->text);
}

void name_list_done(struct name_list *l, struct diags *d)
{
	if (strbuf_error(&l->text) < 0)
		d->error = -ENOMEM;
	strbuf_done(&l->text);
}

/* The services that have node ports in a family. The health-check ports do not count: S64b is about
 * what answers to everybody. */
static void name_services(const struct host_check *c, int family, struct name_list *l)
{
	const struct world *w = c->view->world;

	for (size_t i = 0; i < w->n_services && c->n_node_ports > 0; i++) {
		const struct service_def *s = w->services[i]->def;

		if (!view_serves(s, (enum addr_family)family))
			continue;
		for (size_t j = 0; j < s->n_ports; j++) {
			if (s->ports[j].node_port == 0)
				continue;
			name_list_add(l, s->key);
			break;
		}
	}
}

/* A message about the setting. */
static void tell_setting(struct host_check *c, enum check check, const char *const *texts,
			 size_t n_texts)
{
	const struct setting_row *row = setting_find("Proxy", "NodePortAddresses");
	_cleanup_strbuf_ struct strbuf value = {0};
	const struct place *at = NULL;

	if (!row)
		return;
	if (c->places->origin && c->places->origin->places[row - setting_rows].file)
		at = &c->places->origin->places[row - setting_rows];
	row->print(row, &c->view->world->settings->s, &value);
	if (strbuf_error(&value))
		c->diags->error = -ENOMEM;
	check_tell_texts(c->diags, check, at, NULL, "Proxy.NodePortAddresses", strbuf_text(&value),
			 texts, n_texts);
}

static bool wants_primary(const struct settings *s)
{
	return s->node_port_addresses.primary ||
	       (!s->node_port_addresses.given && s->mode == MODE_NFTABLES);
}

/* Nothing was said of the family, though something was said: then all its addresses are open
 * (spec/model.md section 4.3). */
static bool leaves_open(const struct host_check *c, int family)
{
	const struct settings *s = &c->view->world->settings->s;
	const struct node_port_addresses *npa = &s->node_port_addresses;
	struct addr ip;

	if (npa->all || npa->localhost || npa->interfaces.n > 0)
		return false;
	if (npa->prefixes.n == 0 && !wants_primary(s))
		return false;
	for (size_t i = 0; i < npa->prefixes.n; i++)
		if (npa->prefixes.items[i].addr.family == family)
			return false;
	if (!wants_primary(s))
		return true;
	/* Whether the host has a primary address of the family is not known without the host. */
	if (!c->facts && !s->node_ip_given)
		return false;
	return !view_node_ip(c->view, (enum addr_family)family, &ip) ||
	       addr_kinds(&ip) & ADDR_IS_LOOPBACK;
}

/* The interface of another address of the family than ip that others may want to reach node ports
 * at; NULL: none. */
static const char *other_interface(const struct host_facts *f, const struct addr *ip,
				   const char *interface)
{
	for (size_t i = 0; i < f->n_addresses; i++) {
		const struct host_address *a = &f->addresses[i];

		if (a->addr.family == ip->family && !streq(a->interface, interface) &&
		    !streq(a->interface, "lo") &&
		    !(addr_kinds(&a->addr) & (ADDR_IS_LOOPBACK | ADDR_IS_LINK_LOCAL)))
			return a->interface;
	}
	return NULL;
}

/* On a router the primary address is often the one outside, and the only one. */
static bool tell_router(struct host_check *c, int family)
{
	const struct settings *s = &c->view->world->settings->s;
	const struct node_port_addresses *npa = &s->node_port_addresses;
	const struct host_address *own;
	char text[ADDR_TEXT_MAX];
	const char *other;
	struct addr ip;

	if (!wants_primary(s) || npa->all || npa->prefixes.n > 0 || npa->interfaces.n > 0 ||
	    !c->facts->forwards[family] || !view_node_ip(c->view, (enum addr_family)family, &ip))
		return false;
	own = host_find_address(c->facts, &ip);
	other = own ? other_interface(c->facts, &ip, own->interface) : NULL;
	if (!other)
		return false;
	tell_setting(c, CHECK_P43_ROUTER,
		     CHECK_TEXTS(addr_format(&ip, text), own->interface, other, other));
	return true;
}

void check_node_port_addresses(struct host_check *c)
{
	bool told_router = false;

	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		struct name_list names = {0};

		if (!c->facts || c->facts->usable[f])
			name_services(c, f, &names);
		if (names.n > 0 && leaves_open(c, f))
			tell_setting(c, CHECK_S64B_OPEN,
				     CHECK_TEXTS(family_text(f), family_text(f),
						 name_list_text(&names), family_text(f)));
		/* One message is enough, though there are two families. */
		if (names.n > 0 && c->facts && !told_router)
			told_router = tell_router(c, f);
		name_list_done(&names, c->diags);
	}
}
