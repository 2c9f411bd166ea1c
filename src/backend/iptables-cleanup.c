/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/backend.h"
#include "backend/iptables-run.h"
#include "backend/programs.h"
#include "kernel/nfacct.h"

/* The command's clean-up: no event loop, one program after the other. What fails does not stop the
 * rest. */

struct outcome {
	int error; /* the first */
	char *message;
};

/* Takes text, which may be NULL. */
static void note(struct outcome *o, int error, char *text)
{
	if (o->error == 0) {
		o->error = error;
		o->message = text;
	} else
		free(text);
}

static void note_kept(enum iptables_variant v, enum addr_family f, const struct cleanup_plan *plan,
		      struct outcome *o)
{
	for (size_t i = 0; i < plan->kept.n; i++) {
		struct strbuf b = {0};

		strbuf_addf(
			&b,
			"%s, %s: chain %s is emptied but stays: the foreign rule '%s' points at it",
			iptables_variant_name(v), addr_family_name(f), plan->kept.items[i].chain,
			plan->kept.items[i].rule);
		note(o, -EBUSY, strbuf_take(&b));
	}
}

static void clean(enum iptables_variant v, enum addr_family f, struct outcome *o)
{
	_cleanup_iptables_seen_ struct iptables_seen seen = {0};
	_cleanup_cleanup_plan_ struct cleanup_plan plan = {0};
	char *message = NULL;
	int r;

	r = programs_look(v, f, &seen, &message);
	if (r < 0) {
		note(o, r, message);
		return;
	}
	r = iptables_plan_cleanup(&seen, f, &plan);
	if (r < 0) {
		note(o, r, NULL);
		return;
	}
	for (size_t i = 0; i < ELEMENTSOF(plan.texts); i++) {
		bool missing;

		if (!plan.texts[i])
			continue;
		r = programs_load(v, f, plan.texts[i], plan.sizes[i], &missing, &message);
		if (r < 0)
			note(o, r, message);
	}
	note_kept(v, f, &plan, o);
}

int iptables_backend_cleanup(char **ret_message)
{
	struct outcome o = {0};
	int r;

	for (int v = 0; v < _VARIANT_MAX; v++)
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
			clean((enum iptables_variant)v, (enum addr_family)f, &o);
	/* Last: rules use them. */
	r = nfacct_delete();
	if (r < 0) {
		struct strbuf b = {0};

		strbuf_addf(&b, "nfacct counters cannot be deleted: %s", strerror(-r));
		note(&o, r, strbuf_take(&b));
	}
	if (o.error < 0)
		*ret_message = o.message;
	return o.error;
}
