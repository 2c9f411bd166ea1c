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

static int read_newest(struct config_file *const *files, size_t n, struct attempt *attempts)
{
	for (size_t i = 0; i < n; i++) {
		int r;

		config_file_clear_diags(files[i]);
		files[i]->unread = false;
		r = config_file_read(files[i], &attempts[i].newest, &attempts[i].newest_size);
		if (r == -EBADMSG)
			attempts[i].refused = true;
		else if (r < 0)
			return r;
	}
	return 0;
}

/* Reads all files, each on top of the ones before. A file whose newest text is bad is marked, and
 * all have to be read again. */
static int read_all(struct config_file *const *files, size_t n, struct attempt *attempts,
		    struct settings *s, struct settings_origin *origin, bool *ret_again)
{
	*ret_again = false;
	for (size_t i = 0; i < n; i++) {
		struct config_file *f = files[i];
		bool refused = attempts[i].refused;
		const char *text = refused ? f->content.text : attempts[i].newest;
		size_t size = refused ? f->content.size : attempts[i].newest_size;
		_cleanup_diags_ struct diags told = {0};
		int r;

		if (!text)
			continue;
		r = ini_read(text, size, f->path, s, origin, &told);
		if (r < 0 && r != -EBADMSG)
			return r;
		if (refused)
			continue; /* what there is to say is about the newest text */
		config_file_clear_diags(f);
		diags_move(&f->diags, &told);
		if (f->diags.error)
			return f->diags.error;
		if (r == -EBADMSG)
			attempts[i].refused = *ret_again = true;
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
		  "Proxy.Mode", svc_mode_text(s->mode),
		  "this build has the modes iptables and ipvs", "mode not in this build");
	return d->error ? d->error : -EBADMSG;
}

/* To replace it would change something. */
static bool is_news(const struct config_file *f, const struct attempt *a)
{
	return !a->refused && !(f->in_force && f->content.size == a->newest_size &&
				memcmp(f->content.text, a->newest, a->newest_size) == 0);
}

/* The file whose newest text the message is about, -1 for none. */
static int file_of(struct config_file *const *files, size_t n, const struct attempt *attempts,
		   const struct diag *m)
{
	for (size_t i = 0; i < n && m->file; i++)
		if (is_news(files[i], &attempts[i]) && streq(files[i]->path, m->file))
			return (int)i;
	return -1;
}

/* Refuses the file that the first error with a file is about, with all errors about it; the other
 * messages come again when they still hold. False when no file can be replaced. */
static bool blame(struct config_file *const *files, size_t n, struct attempt *attempts,
		  const struct diags *d)
{
	int guilty = -1;

	for (size_t i = 0; i < d->n; i++) {
		const struct diag *m = &d->items[i];
		int at = m->severity == DIAG_ERROR ? file_of(files, n, attempts, m) : -1;

		if (at < 0 || (guilty >= 0 && at != guilty))
			continue;
		guilty = at;
		diags_add(&files[at]->diags, m->severity,
			  &(struct place){m->file, m->line, m->column}, m->object, m->field,
			  m->value, m->hint, "%s", m->reason);
	}
	if (guilty < 0)
		return false;
	attempts[guilty].refused = true;
	return true;
}

/* One attempt: 1 when another one has to be made, with a file more refused. */
static int try_once(struct config_file *const *files, size_t n, struct attempt *attempts,
		    const char *host, struct settings_judge *judge, bool *mode_refused,
		    struct settings *ret, struct settings_origin *origin, struct diags *d)
{
	_cleanup_settings_ struct settings s = {0};
	_cleanup_diags_ struct diags told = {0};
	bool again;
	int r;

	r = settings_init(&s);
	if (r < 0)
		return r;
	memset(origin->places, 0, n_setting_rows * sizeof(*origin->places));
	r = read_all(files, n, attempts, &s, origin, &again);
	if (r < 0 || again)
		return r < 0 ? r : 1;
	r = settings_finish(&s, host, origin, &told);
	if (r == 0) {
		r = check_mode(&s, origin, &told);
		*mode_refused |= r == -EBADMSG;
	}
	if (r == 0 && judge->index) {
		r = index_check_settings(judge->index, &s, origin, &told);
		judge->ret_clashed |= r == -EBADMSG;
	}
	if (r < 0 && r != -EBADMSG)
		return r;
	if (r < 0 && blame(files, n, attempts, &told))
		return 1;
	diags_move(d, &told);
	if (r < 0 || d->error)
		return d->error ? d->error : r;
	*ret = s;
	s = (struct settings){0};
	return 0;
}

/* What is refused is so also when there are no settings to be had. */
static void keep_texts(struct config_file *const *files, size_t n, struct attempt *attempts,
		       bool good)
{
	for (size_t i = 0; i < n; i++) {
		struct config_file *f = files[i];

		f->refused = attempts[i].refused;
		if (!good || !is_news(f, &attempts[i]))
			continue;
		config_content_done(&f->content);
		f->content = (struct config_content){
			.text = TAKE_PTR(attempts[i].newest),
			.size = attempts[i].newest_size,
			.path = f->path,
		};
		accepted_hash(f->content.text, f->content.size, f->content.hash);
		f->in_force = true;
	}
}

static int try_all(struct config_file *const *files, size_t n, struct attempt *attempts,
		   struct settings_judge *judge, struct settings *ret,
		   struct settings_origin *origin, struct diags *d)
{
	_cleanup_settings_ struct settings s = {0};
	bool mode_refused = false;
	char host[256] = "";
	int r;

	if (gethostname(host, sizeof(host) - 1) < 0)
		host[0] = '\0';
	do
		r = try_once(files, n, attempts, host, judge, &mode_refused, &s, origin, d);
	while (r > 0);
	if (judge->first && mode_refused && r != -ENOMEM)
		r = -EOPNOTSUPP;
	keep_texts(files, n, attempts, r == 0);
	if (r < 0)
		return r;
	*ret = s;
	s = (struct settings){0};
	return 0;
}

int load_settings(struct config_file *const *files, size_t n, struct settings_judge *judge,
		  struct settings *ret, struct settings_origin *origin, struct diags *d)
{
	_cleanup_free_ struct attempt *attempts = calloc(n + 1, sizeof(*attempts));
	int r;

	if (!attempts)
		return -ENOMEM;
	judge->ret_clashed = false;
	r = read_newest(files, n, attempts);
	if (r == 0)
		r = try_all(files, n, attempts, judge, ret, origin, d);
	for (size_t i = 0; i < n; i++)
		free(attempts[i].newest);
	return r;
}
