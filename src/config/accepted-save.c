/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/accepted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/num.h"
#include "config/accepted-folder.h"

/*
 * What a power cut may find, and why: the order of the steps is
 *
 *     contents   written under a temporary name, made durable, renamed
 *     fsync      of the directory: their names are durable too
 *     index      written under a temporary name, fsync, rename, fsync of the directory
 *     unlink     of what the index in force does not name
 *
 * Up to the rename of the index the old one is in force, whose contents nobody has touched; after
 * it the new one, whose contents were durable before. Nothing may be unlinked before the rename is
 * durable: it might be undone.
 *
 * A content is taken as it is only if an index names it. One that was left by a program that was
 * killed has the right name and size, but perhaps never reached the disk: it is written anew.
 */

#define LOCK_USEC (10 * USEC_PER_SEC)
/* Up to so many contents are synced each by itself. One sync of the whole file system is quicker
 * for more, but also waits for what others write there. */
#define SYNC_EACH_MAX 32

#define DIR_MODE 0700
#define FILE_MODE 0600

/* The temporary name of a content: there is but one writer at a time. */
#define TEMPORARY_FORMAT ".%s.new"
#define TEMPORARY_MAX (ACCEPTED_NAME_MAX + sizeof(".new"))
/* That of the index, as file_write_atomic() makes it: six letters or digits follow. */
#define TEMPORARY_INDEX "." ACCEPTED_INDEX "."
#define TEMPORARY_INDEX_RANDOM 6

/* One content, however many files have it. */
struct content {
	const uint8_t *hash;
	size_t size;
	const char *text; /* NULL: not given */
	bool named;	  /* the index in force names it */
	bool kept;	  /* is on the disk, whole and durable */
	bool written;	  /* was written by this save */
	bool gone;	  /* is nowhere to be had: the files that have it are left out */
};

struct save {
	const char *directory;
	int fd;			  /* DIR/accepted, locked */
	struct content *contents; /* by hash */
	size_t n_contents;
	struct accepted_index old;
	char *old_text; /* NULL: there is no index, or none that can be read */
	size_t old_size;
	char *step; /* that failed */
};

static void save_done(struct save *s)
{
	if (s->fd >= 0)
		(void)close(s->fd); /* gives the lock back */
	free(s->contents);
	accepted_index_done(&s->old);
	free(s->old_text);
	free(s->step);
}

/* Notes the step that failed, "write DIR/accepted/NAME", and hands the error on. */
static int failed(struct save *s, int error, const char *verb, const char *name)
{
	struct strbuf step = {0};

	strbuf_addf(&step, "%s %s/" ACCEPTED_FOLDER, verb, s->directory);
	if (name) {
		strbuf_add_char(&step, '/');
		strbuf_add(&step, name);
	}
	free(s->step);
	s->step = strbuf_take(&step);
	return error;
}

static int compare_contents(const void *a, const void *b)
{
	const struct content *x = a, *y = b;

	return memcmp(x->hash, y->hash, ACCEPTED_HASH_SIZE);
}

static struct content *find_content(const struct save *s, const uint8_t hash[ACCEPTED_HASH_SIZE])
{
	struct content key = {.hash = hash};

	if (s->n_contents == 0)
		return NULL;
	return bsearch(&key, s->contents, s->n_contents, sizeof(key), compare_contents);
}

/* Lists each content that is wanted once. */
static int list_contents(struct save *s, const struct accepted_wanted *files, size_t n)
{
	size_t last = 0;

	if (n == 0)
		return 0;
	s->contents = calloc(n, sizeof(*s->contents));
	if (!s->contents)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		s->contents[i].hash = files[i].file.hash;
		s->contents[i].size = files[i].file.size;
		s->contents[i].text = files[i].text;
	}
	qsort(s->contents, n, sizeof(*s->contents), compare_contents);
	for (size_t i = 1; i < n; i++) {
		struct content *before = &s->contents[last];

		if (compare_contents(before, &s->contents[i]) != 0)
			s->contents[++last] = s->contents[i];
		else if (!before->text)
			before->text = s->contents[i].text;
	}
	s->n_contents = last + 1;
	return 0;
}

/* Opens DIR/accepted and makes what is missing of it. */
static int open_folder(struct save *s)
{
	_cleanup_strbuf_ struct strbuf path = {0};
	int r;

	r = accepted_folder_open(s->directory, &s->fd);
	if (r != -ENOENT)
		return r < 0 ? failed(s, r, "open", NULL) : 0;
	/* A dangling symlink in its place is -ENOENT too, and no reason to make what it points to
	 */
	strbuf_addf(&path, "%s/" ACCEPTED_FOLDER, s->directory);
	if (strbuf_error(&path) < 0)
		return -ENOMEM;
	r = file_make_dirs(s->directory, DIR_MODE);
	if (r == 0 && mkdir(strbuf_text(&path), DIR_MODE) < 0 && errno != EEXIST)
		r = -errno;
	if (r == 0)
		r = accepted_folder_open(s->directory, &s->fd);
	if (r < 0)
		return failed(s, r, "make", NULL);
	return 0;
}

/* Reads the index in force. One that is none of ours is put aside, or else overwritten. */
static int read_old_index(struct save *s)
{
	const char *reason;
	int r;

	r = accepted_folder_read_index(s->fd, &s->old, &s->old_text, &s->old_size, &reason);
	if (r == -EBADMSG || r == -EOPNOTSUPP) {
		(void)accepted_folder_put_aside(s->fd, ACCEPTED_INDEX);
		return 0;
	}
	return r == 0 || r == -ENOENT ? 0 : failed(s, r, "read", ACCEPTED_INDEX);
}

/* Finds out which contents need not be written. */
static void look_at_contents(struct save *s)
{
	for (size_t i = 0; i < s->old.n; i++) {
		struct content *c = find_content(s, s->old.files[i].hash);

		if (c)
			c->named = true;
	}
	for (size_t i = 0; i < s->n_contents; i++) {
		struct content *c = &s->contents[i];
		char name[ACCEPTED_NAME_MAX];
		struct stat st;

		c->kept = c->named &&
			  fstatat(s->fd, accepted_hash_format(c->hash, name), &st,
				  AT_SYMLINK_NOFOLLOW) == 0 &&
			  S_ISREG(st.st_mode) && (uintmax_t)st.st_size == c->size;
	}
}

/* Makes a new file to write to; one of that name was left by a save that was killed. */
static int create_file(int dir_fd, const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir_fd, name, flags, FILE_MODE);

	if (fd < 0 && errno == EEXIST && unlinkat(dir_fd, name, 0) == 0)
		fd = openat(dir_fd, name, flags, FILE_MODE);
	return fd < 0 ? -errno : fd;
}

/* Writes a content under its temporary name, and renames it. Without sync the caller must sync
 * before anything names it. */
static int write_content(int dir_fd, const struct content *c, const char *text, bool sync)
{
	char name[ACCEPTED_NAME_MAX], temporary[TEMPORARY_MAX];
	_cleanup_close_ int fd = -1;
	int r;

	(void)accepted_hash_format(c->hash, name);
	(void)snprintf(temporary, sizeof(temporary), TEMPORARY_FORMAT, name);
	fd = create_file(dir_fd, temporary);
	if (fd < 0)
		return fd;
	r = file_write_all(fd, text, c->size);
	if (r == 0 && sync && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(dir_fd, temporary, dir_fd, name) < 0)
		r = -errno;
	if (r < 0)
		(void)unlinkat(dir_fd, temporary, 0);
	return r;
}

/* Writes one content that is missing, or marks it as gone. */
static int supply_content(struct save *s, struct content *c, bool sync)
{
	_cleanup_free_ char *found = NULL;
	char name[ACCEPTED_NAME_MAX];
	int r = 0;

	if (!c->text)
		r = accepted_folder_read_content(s->fd, c->hash, c->size, &found);
	if (r == -ENOMEM)
		return r;
	c->gone = r < 0;
	if (c->gone)
		return 0;
	r = write_content(s->fd, c, c->text ? c->text : found, sync);
	c->written = r == 0;
	return r < 0 ? failed(s, r, "write", accepted_hash_format(c->hash, name)) : 0;
}

/* Makes durable what names the directory holds. */
static int sync_folder(struct save *s)
{
	/* EINVAL: this file system has nothing to sync */
	if (fsync(s->fd) < 0 && errno != EINVAL)
		return failed(s, -errno, "sync", NULL);
	return 0;
}

/* After this all contents that are not gone are durable, and so are their names. */
static int supply_contents(struct save *s)
{
	size_t n_missing = 0, n_written = 0;
	bool sync_each;
	int r;

	for (size_t i = 0; i < s->n_contents; i++)
		n_missing += !s->contents[i].kept;
	sync_each = n_missing <= SYNC_EACH_MAX;
	for (size_t i = 0; i < s->n_contents; i++) {
		struct content *c = &s->contents[i];

		if (c->kept)
			continue;
		r = supply_content(s, c, sync_each);
		if (r < 0)
			return r;
		n_written += c->written;
	}
	/* Before the first index the directories may be new as well, up to any height. */
	if ((!s->old_text || (n_written > 0 && !sync_each)) && syncfs(s->fd) < 0)
		return failed(s, -errno, "sync", NULL);
	return n_written > 0 ? sync_folder(s) : 0;
}

/* Is the index still the one that was there at the start? */
static bool index_is_old(const struct save *s)
{
	_cleanup_accepted_index_ struct accepted_index index = {0};
	_cleanup_free_ char *text = NULL;
	const char *reason;
	size_t size = 0;
	int r;

	r = accepted_folder_read_index(s->fd, &index, &text, &size, &reason);
	if (!s->old_text)
		return r == -ENOENT || r == -EBADMSG || r == -EOPNOTSUPP;
	return r == 0 && size == s->old_size && memcmp(text, s->old_text, size) == 0;
}

/* Takes back what a save that failed has written: the disk may be full. Not when only the last sync
 * of the index failed, which names it already. */
static void take_back(const struct save *s)
{
	char name[ACCEPTED_NAME_MAX];

	if (!index_is_old(s))
		return;
	for (size_t i = 0; i < s->n_contents; i++) {
		const struct content *c = &s->contents[i];

		if (c->written && !c->named)
			(void)unlinkat(s->fd, accepted_hash_format(c->hash, name), 0);
	}
}

/* The text of the new index: all files but those whose content is gone. */
static int print_index(struct save *s, const struct accepted_wanted *wanted, size_t n,
		       struct strbuf *out)
{
	_cleanup_free_ struct accepted_file *files = calloc(n > 0 ? n : 1, sizeof(*files));
	size_t n_files = 0;

	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct content *c = find_content(s, wanted[i].file.hash);

		if (c && !c->gone)
			files[n_files++] = wanted[i].file;
	}
	qsort(files, n_files, sizeof(*files), accepted_file_compare);
	for (size_t i = 1; i < n_files; i++) {
		if (streq(files[i - 1].id, files[i].id))
			return failed(s, -EINVAL, "name a file twice in", ACCEPTED_INDEX);
	}
	accepted_index_print(files, n_files, out);
	return strbuf_error(out);
}

/* Puts the new index in force, durably. */
static int write_index(struct save *s, const struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf path = {0};
	int r;

	if (text->len > ACCEPTED_INDEX_MAX)
		return failed(s, -EFBIG, "write", ACCEPTED_INDEX);
	if (s->old_text && text->len == s->old_size &&
	    memcmp(text->data, s->old_text, s->old_size) == 0)
		/* it may come from a save that was killed before this */
		return sync_folder(s);
	strbuf_addf(&path, "%s/" ACCEPTED_FOLDER "/" ACCEPTED_INDEX, s->directory);
	if (strbuf_error(&path) < 0)
		return -ENOMEM;
	r = file_write_atomic(strbuf_text(&path), text->data, text->len, FILE_MODE);
	return r < 0 ? failed(s, r, "write", ACCEPTED_INDEX) : 0;
}

/* Is it a name that only we give to temporary files? */
static bool is_temporary(const char *name)
{
	char content[ACCEPTED_NAME_MAX], expected[TEMPORARY_MAX];
	uint8_t hash[ACCEPTED_HASH_SIZE];

	if (strncmp(name, TEMPORARY_INDEX, strlen(TEMPORARY_INDEX)) == 0) {
		const char *random = name + strlen(TEMPORARY_INDEX);

		return strlen(random) == TEMPORARY_INDEX_RANDOM &&
		       strspn(random, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789") == TEMPORARY_INDEX_RANDOM;
	}
	if (strlen(name) != TEMPORARY_MAX - 1 || name[0] != '.')
		return false;
	memcpy(content, name + 1, sizeof(content) - 1);
	content[sizeof(content) - 1] = '\0';
	if (accepted_hash_parse(content, hash) < 0)
		return false;
	(void)snprintf(expected, sizeof(expected), TEMPORARY_FORMAT, content);
	return streq(name, expected);
}

/* Removes contents that the index does not name, and what killed saves left. The set is in force
 * already, so that what cannot be removed is no failure; the next save tries again. */
static void remove_leftovers(const struct save *s)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(folder))) {
		uint8_t hash[ACCEPTED_HASH_SIZE];

		if (accepted_hash_parse(entry->d_name, hash) == 0 ? !find_content(s, hash)
								  : is_temporary(entry->d_name))
			(void)unlinkat(s->fd, entry->d_name, 0);
	}
	(void)closedir(folder);
}

static int save_locked(struct save *s, const struct accepted_wanted *files, size_t n)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	int r;

	r = read_old_index(s);
	if (r < 0)
		return r;
	r = list_contents(s, files, n);
	if (r < 0)
		return r;
	look_at_contents(s);
	r = supply_contents(s);
	if (r == 0)
		r = print_index(s, files, n, &text);
	if (r == 0)
		r = write_index(s, &text);
	if (r < 0) {
		take_back(s);
		return r;
	}
	remove_leftovers(s);
	return 0;
}

int accepted_save(const char *directory, const struct accepted_wanted *files, size_t n,
		  char **ret_step)
{
	_cleanup_(save_done) struct save s = {.directory = directory, .fd = -1};
	int r;

	r = open_folder(&s);
	if (r == 0) {
		r = accepted_folder_lock(s.fd, LOCK_USEC);
		if (r < 0)
			r = failed(&s, r, "lock", NULL);
	}
	if (r == 0)
		r = save_locked(&s, files, n);
	if (r < 0 && ret_step)
		*ret_step = TAKE_PTR(s.step);
	return r;
}
