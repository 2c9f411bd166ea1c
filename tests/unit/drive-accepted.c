/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accepted contents of a state directory from the command line, for tests that cut the power or
 * kill. A SET is a folder: each of its files is one of the set.
 *
 *     save SET DIR...       makes SET the accepted set of each; all texts are given
 *     update SET DIR        the same, with the texts of only those files that are new or changed
 *     flip SET SET DIR      saves the one and the other in turns, for ever; a line on stdout first
 *     many N SALT DIR       saves N made-up files
 *     show DIR...           what a start would find: "DIR", then a line for each file, a blank line
 *
 * Exit status 0, 1 when something failed; 2 wrong usage.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "config/accepted-index.h"

/* Any time will do, as long as equal sets give equal indexes. */
#define SINCE_USEC UINT64_C(1700000000000000)

struct set {
	struct accepted_wanted *files;
	size_t n, allocated;
};

static void set_done(struct set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free((void *)(uintptr_t)s->files[i].file.id);
		free((void *)(uintptr_t)s->files[i].file.path);
		free((void *)(uintptr_t)s->files[i].text);
	}
	free(s->files);
}

/* Takes the text over. */
static int set_add(struct set *s, const char *name, char *text, size_t size)
{
	_cleanup_strbuf_ struct strbuf id = {0}, path = {0};
	struct accepted_wanted *w;

	if (array_reserve(&s->files, &s->allocated, s->n + 1) < 0) {
		free(text);
		return -ENOMEM;
	}
	strbuf_addf(&id, "1/%s", name);
	strbuf_addf(&path, "/etc/svcroute/services.d/%s", name);
	w = &s->files[s->n++];
	*w = (struct accepted_wanted){.text = text};
	w->file.id = strbuf_take(&id);
	w->file.path = strbuf_take(&path);
	w->file.size = size;
	w->file.since_usec = SINCE_USEC;
	accepted_hash(text, size, w->file.hash);
	return w->file.id && w->file.path ? 0 : -ENOMEM;
}

static int set_read(const char *folder, struct set *s)
{
	_cleanup_close_ int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (fd < 0 || !d)
		r = -errno;
	while (r == 0 && (entry = readdir(d))) {
		char *text;
		size_t size;

		if (entry->d_name[0] == '.')
			continue;
		r = file_read(fd, entry->d_name, 1 << 26, &text, &size, NULL);
		if (r == 0)
			r = set_add(s, entry->d_name, text, size);
	}
	if (d)
		(void)closedir(d);
	return r;
}

static int save(const char *directory, const struct set *s)
{
	_cleanup_free_ char *step = NULL;
	int r = accepted_save(directory, s->files, s->n, &step);

	if (r < 0)
		fprintf(stderr, "cannot %s: %s\n", step ? step : "save", strerror(-r));
	return r;
}

static int save_folder(const char *folder, char **directories, int n)
{
	_cleanup_(set_done) struct set s = {0};
	int r = set_read(folder, &s);

	for (int i = 0; r == 0 && i < n; i++)
		r = save(directories[i], &s);
	return r;
}

static int update(const char *folder, const char *directory)
{
	_cleanup_(accepted_freep) struct accepted *a = NULL;
	_cleanup_(set_done) struct set s = {0};
	_cleanup_diags_ struct diags d = {0};
	int r = set_read(folder, &s);

	if (r == 0)
		r = accepted_load(directory, &a, &d);
	for (size_t i = 0; r == 0 && i < s.n; i++) {
		struct accepted_wanted *w = &s.files[i];
		const struct accepted_file *f = accepted_find(a, w->file.id);

		if (!f || memcmp(f->hash, w->file.hash, sizeof(f->hash)) != 0)
			continue;
		free((void *)(uintptr_t)w->text);
		w->text = NULL;
	}
	return r < 0 ? r : save(directory, &s);
}

static int flip(const char *first, const char *second, const char *directory)
{
	_cleanup_(set_done) struct set a = {0}, b = {0};
	int r = set_read(first, &a);

	if (r == 0)
		r = set_read(second, &b);
	if (r == 0)
		(void)puts("ready");
	(void)fflush(stdout);
	while (r == 0) {
		r = save(directory, &a);
		if (r == 0)
			r = save(directory, &b);
	}
	return r;
}

static int many(const char *number, const char *salt, const char *directory)
{
	_cleanup_(set_done) struct set s = {0};
	uint64_t n;
	int r = num_parse_u64(number, 0, 1000000, &n);

	for (uint64_t i = 0; r == 0 && i < n; i++) {
		_cleanup_strbuf_ struct strbuf text = {0};
		char name[32];

		(void)snprintf(name, sizeof(name), "%llu.cfg", (unsigned long long)i);
		strbuf_addf(&text, "# %s %s\n", name, salt);
		for (int line = 0; line < 20; line++)
			strbuf_add(&text, "# so that the file is not too small\n");
		r = strbuf_error(&text);
		if (r == 0) {
			size_t size = text.len;

			r = set_add(&s, name, strbuf_take(&text), size);
		}
	}
	return r < 0 ? r : save(directory, &s);
}

/* The texts are told by the hash of what was read, not by the one in the index. */
static int show(const char *directory)
{
	_cleanup_(accepted_freep) struct accepted *a = NULL;
	_cleanup_diags_ struct diags d = {0};
	const struct accepted_file *f;
	size_t pos = 0;
	int r;

	(void)puts(directory);
	r = accepted_load(directory, &a, &d);
	if (r < 0)
		return r;
	for (size_t i = 0; i < d.n; i++) {
		_cleanup_free_ char *line = diag_format(&d.items[i]);

		printf("says %s\n", line ? line : "");
	}
	while ((f = accepted_next(a, &pos))) {
		_cleanup_free_ char *text = NULL;
		uint8_t hash[ACCEPTED_HASH_SIZE];
		char name[ACCEPTED_NAME_MAX];
		size_t size;

		r = accepted_read(a, f, &text, &size);
		if (r == 0) {
			accepted_hash(text, size, hash);
			printf("file %s %s\n", f->id, accepted_hash_format(hash, name));
		} else {
			printf("lost %s %s\n", f->id, strerror(-r));
		}
	}
	(void)puts("");
	return 0;
}

static int run(int argc, char **argv)
{
	int r = 0;

	if (argc > 3 && streq(argv[1], "save"))
		return save_folder(argv[2], argv + 3, argc - 3);
	if (argc == 4 && streq(argv[1], "update"))
		return update(argv[2], argv[3]);
	if (argc == 5 && streq(argv[1], "flip"))
		return flip(argv[2], argv[3], argv[4]);
	if (argc == 5 && streq(argv[1], "many"))
		return many(argv[2], argv[3], argv[4]);
	if (argc < 3 || !streq(argv[1], "show"))
		return -EINVAL;
	for (int i = 2; r == 0 && i < argc; i++)
		r = show(argv[i]);
	return r;
}

int main(int argc, char **argv)
{
	int r = run(argc, argv);

	if (r < 0)
		fprintf(stderr, "drive-accepted: %s\n", strerror(-r));
	return r == -EINVAL ? 2 : r < 0;
}
