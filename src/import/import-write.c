/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Writes the result of an import whole or not at all. Each file is first written under a temporary
 * name next to its target and synced; then all are renamed. A rename over an existing file
 * exchanges the two, so that the renames done so far can be undone when one fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "import/import.h"

static const char *const directories[] = {"", "/services.d", "/endpoints.d"};

enum file_state {
	FILE_ABSENT,
	FILE_TEMPORARY, /* the temporary file is there */
	FILE_NEW,	/* it was renamed to the target, which was not there */
	FILE_EXCHANGED, /* it was exchanged with the target: the temporary name holds the old
			   content */
	FILE_REPLACED, /* as before, but the old content is gone: a file system that cannot exchange
			*/
};

struct output {
	char *target, *temporary;
	enum file_state state;
};

struct outputs {
	const char *directory;
	struct output *items;
	size_t n;
	char *made[ELEMENTSOF(directories)]; /* paths of those that were not there before */
	char **ret_message;
};

static int fail(struct outputs *o, int error, const char *format, ...) _printf_(3, 4);

static int fail(struct outputs *o, int error, const char *format, ...)
{
	va_list ap;
	int n;

	if (!o->ret_message || *o->ret_message)
		return error;
	va_start(ap, format);
	n = vasprintf(o->ret_message, format, ap);
	va_end(ap);
	if (n < 0)
		*o->ret_message = NULL;
	return error;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static int name_outputs(struct outputs *o, const struct import_result *r)
{
	o->items = calloc(r->n ? r->n : 1, sizeof(*o->items));
	if (!o->items)
		return -ENOMEM;
	for (size_t i = 0; i < r->n; i++) {
		struct output *f = &o->items[o->n++];
		const char *slash;
		int k = asprintf(&f->target, "%s/%s", o->directory, r->files[i].name);

		if (k < 0) {
			f->target = NULL;
			return -ENOMEM;
		}
		/* Hidden, so that a daemon that reads the directory does not take it for a file of
		 * its own. */
		slash = strrchr(f->target, '/');
		k = asprintf(&f->temporary, "%.*s/.%s.XXXXXX", (int)(slash - f->target), f->target,
			     slash + 1);
		if (k < 0) {
			f->temporary = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

static bool is_used(const struct import_result *r, const char *directory)
{
	size_t n = strlen(directory);

	for (size_t i = 0; n > 0 && i < r->n; i++) {
		if (strncmp(r->files[i].name, directory + 1, n - 1) == 0 &&
		    r->files[i].name[n - 1] == '/')
			return true;
	}
	return n == 0;
}

static int make_directories(struct outputs *o, const struct import_result *r)
{
	for (size_t i = 0; i < ELEMENTSOF(directories); i++) {
		_cleanup_free_ char *path = NULL;
		bool is_new;
		int k;

		if (!is_used(r, directories[i]))
			continue;
		if (asprintf(&path, "%s%s", o->directory, directories[i]) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		is_new = !exists(path);
		k = file_make_dirs(path, 0755);
		if (k < 0)
			return fail(o, k, "%s: cannot be made: %s", path, strerror(-k));
		if (is_new)
			o->made[i] = TAKE_PTR(path);
	}
	return 0;
}

static int write_temporary(struct outputs *o, struct output *f, const char *text)
{
	_cleanup_close_ int fd = mkostemp(f->temporary, O_CLOEXEC);
	int r;

	if (fd < 0)
		return fail(o, -errno, "%s: cannot be written: %s", f->target, strerror(errno));
	f->state = FILE_TEMPORARY;
	r = file_write_all(fd, text, strlen(text));
	if (r == 0 && (fchmod(fd, 0644) < 0 || fsync(fd) < 0))
		r = -errno;
	return r < 0 ? fail(o, r, "%s: cannot be written: %s", f->target, strerror(-r)) : 0;
}

static int rename_output(struct outputs *o, struct output *f, bool force)
{
	if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_NOREPLACE) == 0) {
		f->state = FILE_NEW;
		return 0;
	}
	if (errno == EEXIST && !force)
		return fail(o, -EEXIST, "%s: exists", f->target);
	if (errno == EEXIST &&
	    renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_EXCHANGE) == 0) {
		f->state = FILE_EXCHANGED;
		return 0;
	}
	/* Some file systems know neither flag. */
	if (errno == EINVAL && (force || !exists(f->target)) &&
	    rename(f->temporary, f->target) == 0) {
		f->state = FILE_REPLACED;
		return 0;
	}
	return fail(o, -errno, "%s: cannot be written: %s", f->target, strerror(errno));
}

static int sync_directories(struct outputs *o, const struct import_result *r)
{
	for (size_t i = 0; i < ELEMENTSOF(directories); i++) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;

		if (!is_used(r, directories[i]))
			continue;
		if (asprintf(&path, "%s%s", o->directory, directories[i]) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || fsync(fd) < 0)
			return fail(o, -errno, "%s: cannot be synced: %s", path, strerror(errno));
	}
	return 0;
}

/* Nothing can be told about a step that fails here: the first failure was told. */
static void undo(struct outputs *o)
{
	for (size_t i = o->n; i-- > 0;) {
		struct output *f = &o->items[i];

		if (f->state == FILE_NEW)
			(void)unlink(f->target);
		else if (f->state == FILE_EXCHANGED && renameat2(AT_FDCWD, f->temporary, AT_FDCWD,
								 f->target, RENAME_EXCHANGE) == 0)
			f->state = FILE_TEMPORARY;
		if (f->state == FILE_TEMPORARY)
			(void)unlink(f->temporary);
	}
	for (size_t i = ELEMENTSOF(directories); i-- > 0;)
		if (o->made[i])
			(void)rmdir(o->made[i]);
}

static void forget_old(struct outputs *o)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->items[i].state == FILE_EXCHANGED)
			(void)unlink(o->items[i].temporary);
	}
}

static void outputs_done(struct outputs *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->items[i].target);
		free(o->items[i].temporary);
	}
	free(o->items);
	for (size_t i = 0; i < ELEMENTSOF(directories); i++)
		free(o->made[i]);
}

static int write_outputs(struct outputs *o, const struct import_result *r, bool force)
{
	int k = name_outputs(o, r);

	if (k < 0)
		return k;
	for (size_t i = 0; i < o->n; i++) {
		struct stat st;

		if (lstat(o->items[i].target, &st) < 0)
			continue;
		if (!force)
			return fail(o, -EEXIST, "%s: exists", o->items[i].target);
		if (S_ISDIR(st.st_mode))
			return fail(o, -EISDIR, "%s: is a directory", o->items[i].target);
	}
	k = make_directories(o, r);
	for (size_t i = 0; i < o->n && k == 0; i++)
		k = write_temporary(o, &o->items[i], r->files[i].text);
	for (size_t i = 0; i < o->n && k == 0; i++)
		k = rename_output(o, &o->items[i], force);
	if (k == 0)
		k = sync_directories(o, r);
	return k;
}

int import_write(const struct import_result *r, const char *output_dir, bool force,
		 char **ret_message)
{
	struct outputs o = {.directory = output_dir, .ret_message = ret_message};
	int k;

	if (ret_message)
		*ret_message = NULL;
	k = write_outputs(&o, r, force);
	if (k < 0)
		undo(&o);
	else
		forget_old(&o);
	outputs_done(&o);
	return k;
}

void import_print(const struct import_result *r, struct strbuf *out)
{
	for (size_t i = 0; i < r->n; i++)
		strbuf_addf(out, "%s# %s\n%s", i > 0 ? "\n" : "", r->files[i].name,
			    r->files[i].text);
}
