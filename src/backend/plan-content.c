/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/plan-content.h"

#include "rules/rule-saved.h"

void plan_content_done(struct plan_content *c)
{
	strbuf_done(&c->text);
}

void plan_content_add(struct plan_content *c, const struct rule *r, const struct service *service,
		      enum addr_family family)
{
	if (strbuf_error(&c->text) < 0)
		return;
	strbuf_reset(&c->text);
	rule_print_saved(r, service, family, &c->text);
	if (strbuf_error(&c->text) == 0)
		seen_content_add(&c->sum, strbuf_text(&c->text), c->text.len);
}

int plan_content_there(const struct iptables_seen *seen, enum seen_table t,
		       const struct chain *chain, const struct service *service,
		       enum addr_family family, bool *ret)
{
	_cleanup_(plan_content_done) struct plan_content content = {0};

	/* Most chains of a host without any need no rule to be printed. */
	if (!iptables_seen_chain(seen, t, chain->name)) {
		*ret = false;
		return 0;
	}
	for (size_t i = 0; i < chain->rules.n; i++)
		plan_content_add(&content, &chain->rules.items[i], service, family);
	if (strbuf_error(&content.text) < 0)
		return strbuf_error(&content.text);
	*ret = iptables_seen_content(seen, t, chain->name, &content.sum);
	return 0;
}
