/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * reload: a pass of the daemon, without the kernel: files are read again, rules compiled, what has
 * to be written is planned. When it fails the old world and its rules must be what they were, and a
 * new config must find what the files say now.
 *
 * answers: after such a pass, in which nothing fails, all that the daemon is asked on its socket.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "control/control.h"
#include "faults.h"
#include "pass.h"
#include "wrap.h"

static struct {
	char directory[SCRATCH_MAX];
	struct local_addrs *addrs;
	struct config *config;
	struct pass old;
	char *old_text;
	char *fresh_text; /* what a new config makes of B */
	struct config_change *changes;
	size_t n_changes, changes_allocated;
} reload;

/* The config that failed may still be asked what there is to say. */
static void ask_broken(void)
{
	const struct diags *d = config_problems(reload.config);

	for (size_t i = 0; i < d->n; i++) {
		_cleanup_free_ char *text = diag_format(&d->items[i]);

		if (!text)
			abort();
	}
	json_decref(control_verdict_json(1, "no memory", d));
	json_decref(control_settings_json(&reload.old.world->settings->s,
					  config_origin(reload.config)));
	json_decref(control_services_json(reload.old.world, reload.config, "node-1", "east", NULL));
	(void)config_n_refused(reload.config);
	(void)config_n_files(reload.config);
	(void)config_directories(reload.config);
}

static int check_old(void)
{
	_cleanup_pass_ struct pass again = {reload.addrs, world_ref(reload.old.world), {0}};
	_cleanup_free_ char *kept = pass_text(NULL, &reload.old), *compiled = NULL;

	if (!kept || !streq(kept, reload.old_text))
		return wrong("the rules in force changed");
	if (pass_compile(&again, NULL) < 0)
		return wrong("the old world does not compile");
	compiled = pass_text(NULL, &again);
	if (!compiled || !streq(compiled, reload.old_text))
		return wrong("the old world changed");
	return 0;
}

/* replace: as the daemon does it, the one that failed goes when the new one is there. */
static int check_fresh(bool replace)
{
	const struct config_places places = {.root = reload.directory};
	_cleanup_(config_freep) struct config *fresh = NULL;
	_cleanup_pass_ struct pass next = {.addrs = reload.addrs};
	_cleanup_strbuf_ struct strbuf ignored = {0};
	_cleanup_free_ char *text = NULL;

	if (config_new(&places, &fresh) < 0)
		return wrong("no new config");
	if (replace)
		reload.config = config_free(reload.config);
	if (pass_run(fresh, NULL, 0, NULL, &next, &ignored) < 0)
		return wrong("a new config cannot read the files");
	text = pass_text(fresh, &next);
	if (!text)
		return wrong("no text of the new world");
	if (!reload.fresh_text)
		reload.fresh_text = TAKE_PTR(text);
	else if (!streq(text, reload.fresh_text))
		return wrong("a new config makes something else of the files");
	return 0;
}

static void free_all(void)
{
	pass_done(&reload.old);
	reload.config = config_free(reload.config);
	reload.addrs = local_addrs_unref(reload.addrs);
	free(reload.old_text);
	free(reload.fresh_text);
	free(reload.changes);
}

static int finish(struct pass *next, int status)
{
	pass_done(next);
	free_all();
	return status;
}

static int run(int n, char **arguments)
{
	_cleanup_strbuf_ struct strbuf out = {0};
	_cleanup_free_ char *text = NULL;
	struct pass next = {.addrs = reload.addrs};
	int r, status;

	(void)n;
	(void)arguments;
	r = pass_run(reload.config, reload.changes, reload.n_changes, &reload.old, &next, &out);
	faults_stop();
	if (r < 0) {
		(void)fprintf(stderr, "reload: %s\n", strerror(-r));
		ask_broken();
		status = r == -ENOMEM ? check_old() : wrong("not -ENOMEM");
		if (status == 0)
			status = check_fresh(true);
		return finish(&next, status ? status : 1);
	}
	text = pass_text(reload.config, &next);
	(void)printf("%s%s", text ? text : "", strbuf_text(&out));
	return finish(&next, check_old());
}

static int run_answers(int n, char **arguments)
{
	_cleanup_strbuf_ struct strbuf out = {0};
	struct pass next = {.addrs = reload.addrs};
	int r;

	(void)n;
	(void)arguments;
	faults_pause(true);
	r = pass_run(reload.config, NULL, 0, &reload.old, &next, &out);
	if (r < 0)
		return wrong("the pass failed");
	strbuf_reset(&out);
	faults_pause(false);
	r = pass_answers(reload.config, next.world, &out);
	faults_stop();
	if (r < 0)
		(void)fprintf(stderr, "reload: %s\n", strerror(-r));
	else
		(void)printf("%s", strbuf_text(&out));
	return finish(&next, r == -ENOMEM ? 1 : r);
}

static int note_change(const char *text)
{
	static const char *const kinds[_CONFIG_KIND_MAX] = {
		[CONFIG_SETTINGS] = "settings/",
		[CONFIG_SERVICES] = "services/",
		[CONFIG_ENDPOINTS] = "endpoints/",
	};
	int r = array_reserve(&reload.changes, &reload.changes_allocated, reload.n_changes + 1);

	for (int kind = 0; r == 0 && kind < _CONFIG_KIND_MAX; kind++) {
		struct config_change *to = &reload.changes[reload.n_changes];
		size_t n = strlen(kinds[kind]);

		if (strncmp(text, kinds[kind], n) != 0 || strlen(text + n) >= sizeof(to->name))
			continue;
		to->kind = (enum config_kind)kind;
		(void)strcpy(to->name, text + n);
		reload.n_changes++;
		return 0;
	}
	return r < 0 ? r : -EINVAL;
}

static int prepare(int n, char **arguments)
{
	const struct config_places places = {.root = reload.directory};
	_cleanup_strbuf_ struct strbuf ignored = {0};
	int r;

	if (n < 3)
		return -EINVAL;
	r = scratch_make(reload.directory);
	if (r == 0)
		r = scratch_switch(reload.directory, arguments[1]);
	if (r == 0)
		r = pass_addrs(&reload.addrs);
	if (r == 0)
		r = config_new(&places, &reload.config);
	reload.old.addrs = reload.addrs;
	if (r == 0)
		r = pass_run(reload.config, NULL, 0, NULL, &reload.old, &ignored);
	if (r == 0)
		r = scratch_switch(reload.directory, arguments[2]);
	for (int i = 3; r == 0 && i < n; i++)
		r = note_change(arguments[i]);
	if (r < 0)
		return r;
	reload.old_text = pass_text(NULL, &reload.old);
	return reload.old_text && check_fresh(false) == 0 ? 0 : -EIO;
}

static void clean_up(void)
{
	free_all();
	fault_remove_tree(reload.directory);
}

const struct fault_mode fault_mode_reload = {
	.name = "reload",
	.error_prefix = "reload: ",
	.keeps_blocks = true,
	.prepare = prepare,
	.run = run,
	.clean_up = clean_up,
};

const struct fault_mode fault_mode_answers = {
	.name = "answers",
	.error_prefix = "reload: ",
	.keeps_blocks = true,
	.prepare = prepare,
	.run = run_answers,
	.clean_up = clean_up,
};
