/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pass.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/iptables-plan.h"
#include "base/file.h"
#include "control/control.h"
#include "control/json.h"

#define LOCAL_ADDRESSES "192.0.2.10@eth0 2001:db8:2::10@eth0 127.0.0.1@lo ::1@lo 10.1.0.1@br0"
#define WRONG 70

static const struct kernel_facts facts = {.nfacct = true};
static const struct plan_options options = {.blocks = true};

int scratch_make(char ret[SCRATCH_MAX])
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_free_ char *etc = NULL;

	(void)snprintf(ret, SCRATCH_MAX, "%s/svcroute-faults-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(ret))
		return -errno;
	etc = file_root_path(ret, "/etc");
	return etc ? file_make_dirs(etc, 0700) : -ENOMEM;
}

int scratch_switch(const char *scratch, const char *directory)
{
	_cleanup_free_ char *link = file_root_path(scratch, "/etc/svcroute");
	_cleanup_free_ char *temporary = file_root_path(scratch, "/etc/new");
	_cleanup_free_ char *target = realpath(directory, NULL);

	if (!target || !link || !temporary)
		return -ENOENT;
	return symlink(target, temporary) < 0 || rename(temporary, link) < 0 ? -errno : 0;
}

void pass_done(struct pass *p)
{
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		p->rules[f] = ruleset_unref(p->rules[f]);
	p->world = world_unref(p->world);
}

int pass_addrs(struct local_addrs **ret)
{
	return addresses_from_text(LOCAL_ADDRESSES, ret);
}

int pass_compile(struct pass *p, const struct pass *previous)
{
	const struct view view = {.world = p->world, .addrs = p->addrs};
	int r = 0;

	for (int f = 0; f < _ADDR_FAMILY_MAX && r == 0; f++)
		r = ruleset_compile(&view, (enum addr_family)f, &facts,
				    previous ? previous->rules[f] : NULL, &p->rules[f]);
	return r;
}

int pass_plan(const struct pass *p, const struct pass *previous, struct strbuf *out)
{
	int r = 0;

	for (int f = 0; f < _ADDR_FAMILY_MAX && r == 0; f++) {
		_cleanup_iptables_plan_ struct iptables_plan plan = {0};
		_cleanup_iptables_seen_ struct iptables_seen seen = {0};

		if (!previous)
			r = iptables_seen_read("", 0, &seen);
		if (r == 0)
			r = iptables_plan_make(previous ? previous->rules[f] : NULL, p->rules[f],
					       previous ? NULL : &seen, &options, &plan);
		for (size_t i = 0; r == 0 && i < plan.n_steps; i++)
			strbuf_add_bytes(out, plan.steps[i].text, plan.steps[i].size);
	}
	return r < 0 ? r : strbuf_error(out);
}

static int add_json(json_t *value, struct strbuf *out)
{
	_cleanup_free_ char *text = json_print(value);

	json_decref(value);
	if (!text)
		return -ENOMEM;
	strbuf_addf(out, "%s\n", text);
	return strbuf_error(out);
}

int pass_answers(const struct config *c, const struct world *w, struct strbuf *out)
{
	const struct settings *s = &w->settings->s;
	const struct control_status status = {
		.version = "0",
		.mode = svc_mode_text(s->mode),
		.backend = "nft",
		.state = "ok",
		.node_name = s->node_name,
		.n_services = w->n_services,
		.n_endpoints = w->n_endpoints,
		.n_files = config_n_files(c),
		.n_files_refused = config_n_refused(c),
		.problems = config_problems(c),
	};
	int r;

	r = add_json(control_status_json(&status), out);
	if (r == 0)
		r = add_json(control_services_json(w, c, s->node_name, s->zone, NULL), out);
	if (r == 0)
		r = add_json(control_endpoints_json(w, NULL, s->node_name, s->zone, NULL), out);
	if (r == 0)
		r = add_json(control_settings_json(s, config_origin(c)), out);
	if (r == 0)
		r = add_json(control_verdict_json(3, "files were refused", config_problems(c)),
			     out);
	return r;
}

int pass_run(struct config *c, const struct config_change *changes, size_t n_changes,
	     const struct pass *previous, struct pass *ret, struct strbuf *out)
{
	int r = config_refresh(c, changes, n_changes, &ret->world);

	if (r == 0)
		r = pass_compile(ret, previous);
	if (r == 0)
		r = pass_plan(ret, previous, out);
	return r;
}

char *pass_text(const struct config *c, const struct pass *p)
{
	_cleanup_strbuf_ struct strbuf out = {0};

	if (pass_plan(p, NULL, &out) < 0 || (c && pass_answers(c, p->world, &out) < 0))
		return NULL;
	return strbuf_take(&out);
}

int wrong(const char *what)
{
	(void)fprintf(stderr, "wrong: %s\n", what);
	return WRONG;
}
