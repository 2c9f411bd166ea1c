/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "backend/backend.h"
#include "backend/iptables-run.h"
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

/* Runs a program to its end; 0 when it did its work. The caller looks at c and calls child_done().
 */
static int run_program(struct child *c, const char *const *argv, const void *input, size_t size,
		       struct outcome *o)
{
	_cleanup_free_ char *errors = NULL;
	int status = child_start(c, argv, input, size);

	if (status == 0)
		status = child_wait(c);
	if (status == 0)
		return 0;
	if (child_errors(c, &errors) < 0)
		errors = NULL;
	note(o, status < 0 ? status : -EIO, helper_failure_text(argv[0], status, errors));
	return -EIO;
}

static int look(enum iptables_variant v, enum addr_family f, struct iptables_seen *ret,
		struct outcome *o)
{
	const char *argv[] = {iptables_program(v, f, true), NULL};
	_cleanup_(child_done) struct child c;
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r;

	child_init(&c);
	r = run_program(&c, argv, NULL, 0, o);
	if (r < 0)
		return r;
	r = child_output(&c, &text, &size);
	if (r == 0)
		r = iptables_seen_read(text, size, ret);
	if (r < 0)
		note(o, r, helper_failure_text(argv[0], r, NULL));
	return r;
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
	bool in_use;
	int r;

	/* A table that was never made holds nothing, and must not be made by looking. */
	r = iptables_variant_in_use(v, f, &in_use);
	if (r < 0) {
		struct strbuf b = {0};

		strbuf_addf(&b, "%s, %s: cannot find out whether it is in use: %s",
			    iptables_variant_name(v), addr_family_name(f), strerror(-r));
		note(o, r, strbuf_take(&b));
		return;
	}
	if (!in_use || look(v, f, &seen, o) < 0)
		return;
	r = iptables_plan_cleanup(&seen, f, &plan);
	if (r < 0) {
		note(o, r, NULL);
		return;
	}
	for (size_t i = 0; i < ELEMENTSOF(plan.texts); i++) {
		_cleanup_(child_done) struct child c;

		child_init(&c);
		if (plan.texts[i])
			(void)run_program(&c, RESTORE_ARGV(iptables_program(v, f, false)),
					  plan.texts[i], plan.sizes[i], o);
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
