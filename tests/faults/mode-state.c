/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * The state directory holds the contents of A; the files are those of B.
 *
 * start: a start of the daemon, which looks there for what is broken in B. When it fails nothing
 * there may have changed, and the next start must find what this one would have.
 *
 * keep: what is in force with B is kept. When it fails the directory holds the whole of A, or the
 * whole of B.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "faults.h"
#include "pass.h"
#include "wrap.h"

static struct {
	char directory[SCRATCH_MAX];
	char *state; /* the state directory */
	struct local_addrs *addrs;
	struct config *a, *b;
	struct world *world_a, *world_b;
	char *contents_a, *contents_b; /* as contents_text() tells them */
	char *start_text;
} state;

static int new_config(bool with_state, struct config **ret)
{
	const struct config_places places = {.root = state.directory};
	_cleanup_(config_freep) struct config *c = NULL;
	int r = config_new(&places, &c);

	if (r == 0 && with_state)
		r = config_set_state(c, state.state);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(c);
	return 0;
}

/* told: as the daemon, which forgets the texts that are kept; else they stay for another save. */
static int save(struct config *c, bool told)
{
	_cleanup_free_ struct accepted_wanted *list = NULL;
	_cleanup_free_ char *step = NULL;
	size_t n;
	int r = config_keep(c, &list, &n);

	if (r == 0)
		r = accepted_save(state.state, list, n, &step);
	config_kept(c, told && r == 0);
	return r;
}

/* What a start finds; NULL when anything is missing or put aside. */
static char *contents_text(void)
{
	_cleanup_(accepted_freep) struct accepted *a = NULL;
	_cleanup_strbuf_ struct strbuf out = {0};
	_cleanup_diags_ struct diags d = {0};
	const struct accepted_file *f;
	size_t pos = 0;

	if (accepted_load(state.state, &a, &d) < 0 || d.n)
		return NULL;
	while ((f = accepted_next(a, &pos))) {
		_cleanup_free_ char *text = NULL;
		size_t size;

		if (accepted_read(a, f, &text, &size) < 0)
			return NULL;
		strbuf_addf(&out, "%s %s\n%s\n", f->id, f->path, text);
	}
	return strbuf_take(&out);
}

static void free_all(void)
{
	world_unref(state.world_a);
	world_unref(state.world_b);
	config_free(state.a);
	config_free(state.b);
	local_addrs_unref(state.addrs);
	free(state.contents_a);
	free(state.contents_b);
	free(state.start_text);
	free(state.state);
}

/* A new daemon: its config, its rules, as a text. */
static int start(char **ret)
{
	_cleanup_(config_freep) struct config *c = NULL;
	_cleanup_pass_ struct pass p = {.addrs = state.addrs};
	_cleanup_strbuf_ struct strbuf plan = {0};
	int r = new_config(true, &c);

	if (r == 0)
		r = pass_run(c, NULL, 0, NULL, &p, &plan);
	if (r < 0)
		return r;
	faults_stop();
	*ret = pass_text(c, &p);
	return *ret ? 0 : -EIO;
}

/* The directory holds the one or the other; either may be NULL. */
static int check_state(const char *one, const char *other)
{
	_cleanup_free_ char *now = contents_text();

	if (now && ((one && streq(now, one)) || (other && streq(now, other))))
		return 0;
	return wrong("the state directory does not hold what it should");
}

static int run_start(int n, char **arguments)
{
	_cleanup_free_ char *text = NULL, *again = NULL;
	int r = start(&text), status;

	(void)n;
	(void)arguments;
	faults_stop();
	if (r == 0)
		(void)printf("%s", text);
	else
		(void)fprintf(stderr, "state: %s\n", strerror(-r));
	status = check_state(state.contents_a, NULL);
	if (r < 0 && r != -ENOMEM)
		status = wrong("not -ENOMEM");
	if (status == 0 && (start(&again) < 0 || !streq(again, state.start_text)))
		status = wrong("the next start finds something else");
	free_all();
	return status ? status : r < 0 ? 1 : 0;
}

static int run_keep(int n, char **arguments)
{
	int r, status;

	(void)n;
	(void)arguments;
	faults_pause(true);
	/* Another run has been here: A once more. */
	if (save(state.a, false) < 0 || check_state(state.contents_a, NULL) != 0)
		return wrong("cannot begin");
	faults_pause(false);
	r = save(state.b, true);
	faults_stop();
	if (r < 0)
		(void)fprintf(stderr, "state: %s\n", strerror(-r));
	status = check_state(r == 0 ? NULL : state.contents_a, state.contents_b);
	if (status == 0 && r < 0) {
		if (r != -ENOMEM)
			status = wrong("not -ENOMEM");
		else if (!config_unkept(state.b))
			status = wrong("the failure is not remembered");
		else if (save(state.b, true) < 0)
			status = wrong("the next save fails");
		else
			status = check_state(NULL, state.contents_b);
	}
	free_all();
	return status ? status : r < 0 ? 1 : 0;
}

static int prepare(int n, char **arguments)
{
	int r;

	if (n < 3)
		return -EINVAL;
	r = scratch_make(state.directory);
	state.state = file_root_path(state.directory, "/var/lib/svcroute");
	if (r == 0)
		r = state.state ? scratch_switch(state.directory, arguments[1]) : -ENOMEM;
	if (r == 0)
		r = pass_addrs(&state.addrs);
	if (r == 0)
		r = new_config(true, &state.a);
	if (r == 0)
		r = config_refresh(state.a, NULL, 0, &state.world_a);
	if (r == 0)
		r = save(state.a, false);
	state.contents_a = contents_text();
	if (r == 0)
		r = scratch_switch(state.directory, arguments[2]);
	if (r == 0)
		r = start(&state.start_text);
	/* One config for each, so that each has texts to keep. */
	if (r == 0)
		r = new_config(true, &state.b);
	if (r == 0)
		r = config_refresh(state.b, NULL, 0, &state.world_b);
	return r < 0 ? r : state.contents_a ? 0 : -EIO;
}

static int prepare_keep(int n, char **arguments)
{
	int r = prepare(n, arguments);

	if (r == 0)
		r = save(state.b, false);
	if (r == 0)
		state.contents_b = contents_text();
	return r < 0								? r
	       : state.contents_b && !streq(state.contents_a, state.contents_b) ? 0
										: -EIO;
}

static void clean_up(void)
{
	fault_remove_tree(state.directory);
	free_all();
}

const struct fault_mode fault_mode_start = {
	.name = "start",
	.error_prefix = "state: ",
	.keeps_blocks = true,
	.prepare = prepare,
	.run = run_start,
	.clean_up = clean_up,
};

const struct fault_mode fault_mode_keep = {
	.name = "keep",
	.error_prefix = "state: ",
	.keeps_blocks = true,
	.prepare = prepare_keep,
	.run = run_keep,
	.clean_up = clean_up,
};
