/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/load-settings.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/ini.h"

/* What is being tried for one file: its newest text, its last good one, or nothing. */
struct attempt {
	char *newest; /* owned; NULL: could not be read */
	size_t newest_size;
	bool refused;
};

static void read_newest(struct config_file *const *files, size_t n, struct attempt *attempts,
			int *error)
{
	size_t i;

	for (i = 0; i < n && *error == 0; i++) {
		int r;

		config_file_clear_diags(files[i]);
		files[i]->unread = false;
		r = config_file_read(files[i], &attempts[i].newest, &attempts[i].newest_size);
		if (r == -EBADMSG)
			attempts[i].refused = true;
		else if (r < 0)
			*error = r;
	}
}

/* One pass over all files. A file whose newest text is refused marks itself and has to be passed
 * again. */
static int pass(struct config_file *const *files, size_t n, struct attempt *attempts,
		struct settings *s, struct settings_origin *origin, bool *ret_again)
{
	size_t i;
	int r;

	*ret_again = false;
	for (i = 0; i < n; i++) {
		struct config_file *f = files[i];
		const char *text = attempts[i].refused ? f->text : attempts[i].newest;
		size_t size = attempts[i].refused ? f->text_size : attempts[i].newest_size;
		_cleanup_diags_ struct diags told = {0};

		if (!text)
			continue;
		r = ini_read(text, size, f->path, s, origin, &told);
		if (r == -ENOMEM)
			return r;
		if (!attempts[i].refused)
			diags_move(&f->diags, &told);
		if (r == -EBADMSG && !attempts[i].refused) {
			attempts[i].refused = true;
			*ret_again = true;
		}
	}
	return 0;
}

static int check_mode(const struct settings *s, const struct settings_origin *origin,
		      struct diags *d)
{
	const struct setting_row *row = setting_find("Proxy", "Mode");

	if (svc_mode_built(s->mode))
		return 0;
	diags_add(d, DIAG_ERROR, row ? &origin->places[row - setting_rows] : NULL, NULL,
		  "Proxy.Mode", svc_mode_text(s->mode), "this build has the mode iptables",
		  "mode not in this build");
	return -EBADMSG;
}

/* The file that an error among d is about gets all of d; false when none of them can be replaced.
 */
static bool blame(struct config_file *const *files, size_t n, struct attempt *attempts,
		  struct diags *d)
{
	size_t i, j;

	for (i = 0; i < d->n; i++) {
		if (d->items[i].severity != DIAG_ERROR || !d->items[i].file)
			continue;
		for (j = 0; j < n; j++) {
			if (attempts[j].refused || !streq(files[j]->path, d->items[i].file))
				continue;
			attempts[j].refused = true;
			diags_move(&files[j]->diags, d);
			return true;
		}
	}
	return false;
}

static void keep_texts(struct config_file *const *files, size_t n, struct attempt *attempts)
{
	size_t i;

	for (i = 0; i < n; i++) {
		files[i]->refused = attempts[i].refused;
		if (attempts[i].refused)
			continue;
		free(files[i]->text);
		files[i]->text = TAKE_PTR(attempts[i].newest);
		files[i]->text_size = attempts[i].newest_size;
	}
}

static int try_all(struct config_file *const *files, size_t n, struct attempt *attempts,
		   struct settings *ret, struct settings_origin *origin, struct diags *d)
{
	char host[256] = "";
	bool again, mode_refused = false;
	int r;

	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	for (;;) {
		_cleanup_settings_ struct settings s = {0};
		_cleanup_diags_ struct diags told = {0};

		r = settings_init(&s);
		if (r < 0)
			return r;
		memset(origin->places, 0, n_setting_rows * sizeof(*origin->places));
		r = pass(files, n, attempts, &s, origin, &again);
		if (r < 0)
			return r;
		if (again)
			continue;
		r = settings_finish(&s, host, origin, &told);
		if (r == 0) {
			r = check_mode(&s, origin, &told);
			mode_refused |= r < 0;
		}
		if (r == -ENOMEM || told.error)
			return -ENOMEM;
		if (r < 0 && blame(files, n, attempts, &told))
			continue;
		diags_move(d, &told);
		/* Falling back to iptables mode on a host that asks for another would be a guess.
		 */
		if (r < 0 || (mode_refused &&
			      !origin->places[setting_find("Proxy", "Mode") - setting_rows].file))
			return mode_refused ? -EOPNOTSUPP : -EBADMSG;
		*ret = s;
		s = (struct settings){0};
		return 0;
	}
}

int load_settings(struct config_file *const *files, size_t n, struct settings *ret,
		  struct settings_origin *origin, struct diags *d)
{
	_cleanup_free_ struct attempt *attempts = NULL;
	size_t i;
	int r = 0;

	attempts = calloc(n + 1, sizeof(*attempts));
	if (!attempts)
		return -ENOMEM;
	read_newest(files, n, attempts, &r);
	if (r == 0)
		r = try_all(files, n, attempts, ret, origin, d);
	if (r == 0)
		keep_texts(files, n, attempts);
	for (i = 0; i < n; i++)
		free(attempts[i].newest);
	return r;
}
