/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of the accepted contents: whatever the bytes, it is refused with a reason, or read and,
 * printed and read again, the same. A checksum is nothing that a fuzzer guesses, so each input is
 * also tried with one that fits; and as names of files, which must come back from a printed index
 * as they were.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/accepted-index.h"
#include "config/cfg.h"

/* abort() is what the fuzzer sees. */
static void must(bool condition)
{
	if (!condition)
		abort();
}

static void must_be_same(const struct accepted_index *a, const struct accepted_index *b)
{
	must(a->n == b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct accepted_file *x = &a->files[i], *y = &b->files[i];

		must(streq(x->id, y->id) && streq(x->path, y->path));
		must(memcmp(x->hash, y->hash, sizeof(x->hash)) == 0);
		must(x->size == y->size && x->since_usec == y->since_usec);
	}
}

/* Printed and read again. */
static void read_again(const struct accepted_index *index)
{
	_cleanup_accepted_index_ struct accepted_index again = {0};
	_cleanup_strbuf_ struct strbuf out = {0};
	const char *reason;

	accepted_index_print(index->files, index->n, &out);
	must(strbuf_error(&out) == 0);
	must(accepted_index_parse(out.data, out.len, &again, &reason) == 0);
	must_be_same(index, &again);
}

static void try_bytes(const void *data, size_t size)
{
	_cleanup_accepted_index_ struct accepted_index index = {0};
	const char *reason = NULL;
	int r = accepted_index_parse(data, size, &index, &reason);

	if (r < 0) {
		must(r == -EBADMSG || r == -EOPNOTSUPP);
		must(reason && !index.files && !index.texts);
		return;
	}
	for (size_t i = 0; i < index.n; i++) {
		must(i == 0 || strcmp(index.files[i - 1].id, index.files[i].id) < 0);
		must(index.files[i].size <= CONFIG_FILE_MAX);
		must(strlen(index.files[i].id) + strlen(index.files[i].path) < size);
	}
	read_again(&index);
}

/* The bytes with the checksum that they should have. */
static void try_with_checksum(const uint8_t *data, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];

	if (size == 0)
		return;
	accepted_hash(data, size, hash);
	strbuf_add_bytes(&text, data, size);
	strbuf_addf(&text, "checksum %s\n", accepted_hash_format(hash, name));
	must(strbuf_error(&text) == 0);
	try_bytes(text.data, text.len);
}

/* Each text that a NUL ends is an id and, with the first byte left out, a path. */
static void try_as_names(const uint8_t *data, size_t size)
{
	_cleanup_accepted_index_ struct accepted_index index = {0};
	size_t start = 0;

	must((index.texts = malloc(size + 1)) != NULL);
	if (size > 0)
		memcpy(index.texts, data, size);
	index.texts[size] = '\0';
	while (start < size) {
		const char *text = index.texts + start;
		struct accepted_file *f;

		must(array_reserve(&index.files, &index.allocated, index.n + 1) == 0);
		f = &index.files[index.n++];
		f->id = text;
		f->path = *text != '\0' ? text + 1 : text;
		f->size = start;
		f->since_usec = UINT64_MAX - start;
		accepted_hash(text, strlen(text), f->hash);
		start += strlen(text) + 1;
	}
	if (index.n > 0)
		qsort(index.files, index.n, sizeof(*index.files), accepted_file_compare);
	for (size_t i = 1; i < index.n; i++) {
		if (streq(index.files[i - 1].id, index.files[i].id))
			return;
	}
	read_again(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_bytes(data, size);
	try_with_checksum(data, size);
	try_as_names(data, size);
	return 0;
}
