/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/accepted-index.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <string.h>

#include "base/array.h"
#include "base/num.h"
#include "config/cfg.h"

#define MAGIC "svcroute-accepted "
#define MAJOR 1
#define FIRST_LINE MAGIC "1.0\n"
#define CHECKSUM "checksum "
/* with the digits and the newline */
#define CHECKSUM_SIZE (sizeof(CHECKSUM) - 1 + ACCEPTED_NAME_MAX)

_Static_assert(ACCEPTED_HASH_SIZE == SHA256_DIGEST_SIZE, "a hash is a SHA-256");

static const char digits[] = "0123456789abcdef";

void accepted_index_done(struct accepted_index *index)
{
	free(index->files);
	free(index->texts);
	*index = (struct accepted_index){0};
}

void accepted_hash(const void *text, size_t size, uint8_t ret[ACCEPTED_HASH_SIZE])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, size, text);
	sha256_digest(&ctx, ACCEPTED_HASH_SIZE, ret);
}

const char *accepted_hash_format(const uint8_t hash[ACCEPTED_HASH_SIZE],
				 char buf[ACCEPTED_NAME_MAX])
{
	for (size_t i = 0; i < ACCEPTED_HASH_SIZE; i++) {
		buf[2 * i] = digits[hash[i] >> 4];
		buf[2 * i + 1] = digits[hash[i] & 15];
	}
	buf[ACCEPTED_NAME_MAX - 1] = '\0';
	return buf;
}

/* The value of a lower case hex digit, -1 for any other byte. */
static int digit_value(char c)
{
	const char *at = c != '\0' ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

int accepted_hash_parse(const char *text, uint8_t ret[ACCEPTED_HASH_SIZE])
{
	uint8_t hash[ACCEPTED_HASH_SIZE];

	for (size_t i = 0; i < ACCEPTED_HASH_SIZE; i++) {
		int high = digit_value(text[2 * i]);
		int low = high < 0 ? -1 : digit_value(text[2 * i + 1]);

		if (low < 0)
			return -EINVAL;
		hash[i] = (uint8_t)(high << 4 | low);
	}
	if (text[sizeof(hash) * 2] != '\0')
		return -EINVAL;
	memcpy(ret, hash, sizeof(hash));
	return 0;
}

int accepted_file_compare(const void *a, const void *b)
{
	const struct accepted_file *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != '\\';
}

static void print_text(const char *text, struct strbuf *out)
{
	for (const char *p = text; *p != '\0'; p++) {
		char escaped[] = {'\\', 'x', digits[(uint8_t)*p >> 4], digits[(uint8_t)*p & 15]};

		if (is_plain(*p))
			strbuf_add_char(out, *p);
		else
			strbuf_add_bytes(out, escaped, sizeof(escaped));
	}
}

/* Undoes print_text() in place. */
static int unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p != '\0'; p++) {
		int high, low;

		if (*p != '\\') {
			if (!is_plain(*p))
				return -EINVAL;
			*to++ = *p;
			continue;
		}
		if (p[1] != 'x')
			return -EINVAL;
		high = digit_value(p[2]);
		low = high < 0 ? -1 : digit_value(p[3]);
		if (low < 0 || (high == 0 && low == 0))
			return -EINVAL;
		*to++ = (char)(high << 4 | low);
		p += 3;
	}
	*to = '\0';
	return 0;
}

void accepted_index_print(const struct accepted_file *files, size_t n, struct strbuf *out)
{
	size_t start = out->len;
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];

	strbuf_add(out, FIRST_LINE);
	for (size_t i = 0; i < n; i++) {
		strbuf_add(out, "file ");
		strbuf_add(out, accepted_hash_format(files[i].hash, name));
		strbuf_add_char(out, ' ');
		strbuf_add_u64(out, files[i].size);
		strbuf_add_char(out, ' ');
		strbuf_add_u64(out, files[i].since_usec);
		strbuf_add_char(out, ' ');
		print_text(files[i].id, out);
		strbuf_add_char(out, ' ');
		print_text(files[i].path, out);
		strbuf_add_char(out, '\n');
	}
	if (strbuf_error(out) < 0)
		return;
	accepted_hash(out->data + start, out->len - start, hash);
	strbuf_add(out, CHECKSUM);
	strbuf_add(out, accepted_hash_format(hash, name));
	strbuf_add_char(out, '\n');
}

/* Cuts the next field off the rest of a line; NULL when there is none left. */
static char *next_field(char **rest)
{
	return strsep(rest, " ");
}

/* The number of a version: 1 of "svcroute-accepted 1.0". */
static int parse_version(const char *line, uint64_t *ret)
{
	char major[21], minor[21];
	const char *version, *dot;
	uint64_t number, ignored;

	if (strncmp(line, MAGIC, strlen(MAGIC)) != 0)
		return -EINVAL;
	version = line + strlen(MAGIC);
	dot = strchr(version, '.');
	if (!dot || (size_t)(dot - version) >= sizeof(major) || strlen(dot + 1) >= sizeof(minor))
		return -EINVAL;
	memcpy(major, version, (size_t)(dot - version));
	major[dot - version] = '\0';
	memcpy(minor, dot + 1, strlen(dot + 1) + 1);
	if (num_parse_u64(major, 0, UINT64_MAX, &number) < 0 ||
	    num_parse_u64(minor, 0, UINT64_MAX, &ignored) < 0)
		return -EINVAL;
	*ret = number;
	return 0;
}

/* The fields of a line "file". What stands after those known is for later versions. */
static int parse_file(char *rest, struct accepted_file *ret)
{
	struct accepted_file f = {0};
	char *hash = next_field(&rest), *size = next_field(&rest), *since = next_field(&rest);
	char *id = next_field(&rest), *path = next_field(&rest);
	uint64_t number;

	if (!path || accepted_hash_parse(hash, f.hash) < 0 ||
	    num_parse_u64(size, 0, CONFIG_FILE_MAX, &number) < 0 ||
	    num_parse_u64(since, 0, UINT64_MAX, &f.since_usec) < 0 || unescape(id) < 0 ||
	    unescape(path) < 0)
		return -EINVAL;
	f.size = (size_t)number;
	f.id = id;
	f.path = path;
	*ret = f;
	return 0;
}

/* All lines between the first and the checksum, in place. */
static int parse_lines(char *lines, struct accepted_index *index, const char **ret_reason)
{
	char *line;
	int r;

	while ((line = strsep(&lines, "\n")) && lines) {
		const char *kind = next_field(&line);

		if (!streq(kind, "file"))
			continue;
		r = array_reserve(&index->files, &index->allocated, index->n + 1);
		if (r < 0)
			return r;
		if (parse_file(line, &index->files[index->n]) < 0) {
			*ret_reason = "has a line that cannot be read";
			return -EBADMSG;
		}
		index->n++;
	}
	if (index->n > 0)
		qsort(index->files, index->n, sizeof(*index->files), accepted_file_compare);
	for (size_t i = 1; i < index->n; i++) {
		if (streq(index->files[i - 1].id, index->files[i].id)) {
			*ret_reason = "names a file twice";
			return -EBADMSG;
		}
	}
	return 0;
}

/* Is the last line the checksum of all before it? */
static bool checksum_fits(const char *text, size_t size)
{
	uint8_t said[ACCEPTED_HASH_SIZE], found[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];
	const char *line;

	if (size <= CHECKSUM_SIZE)
		return false;
	line = text + size - CHECKSUM_SIZE;
	if (line[-1] != '\n' || strncmp(line, CHECKSUM, strlen(CHECKSUM)) != 0)
		return false;
	memcpy(name, line + strlen(CHECKSUM), sizeof(name));
	if (name[sizeof(name) - 1] != '\n')
		return false;
	name[sizeof(name) - 1] = '\0';
	if (accepted_hash_parse(name, said) < 0)
		return false;
	accepted_hash(text, size - CHECKSUM_SIZE, found);
	return memcmp(said, found, sizeof(said)) == 0;
}

int accepted_index_parse(const void *data, size_t size, struct accepted_index *ret,
			 const char **ret_reason)
{
	_cleanup_accepted_index_ struct accepted_index index = {0};
	char *rest;
	uint64_t major;
	int r;

	if (size > ACCEPTED_INDEX_MAX) {
		*ret_reason = "is too large";
		return -EBADMSG;
	}
	if (size == 0 || memchr(data, '\0', size)) {
		*ret_reason = size == 0 ? "is empty" : "holds a NUL byte";
		return -EBADMSG;
	}
	index.texts = malloc(size + 1);
	if (!index.texts)
		return -ENOMEM;
	memcpy(index.texts, data, size);
	index.texts[size] = '\0';

	/* The version comes first: another one may have another kind of checksum. */
	rest = index.texts;
	if (parse_version(strsep(&rest, "\n"), &major) < 0) {
		*ret_reason = "does not start as an index";
		return -EBADMSG;
	}
	if (major != MAJOR) {
		*ret_reason = "is of a version that this program does not know";
		return -EOPNOTSUPP;
	}
	if (!rest || !checksum_fits(data, size)) {
		*ret_reason = "is damaged: its checksum does not fit";
		return -EBADMSG;
	}
	index.texts[size - CHECKSUM_SIZE] = '\0';
	r = parse_lines(rest, &index, ret_reason);
	if (r < 0)
		return r;
	*ret = index;
	index = (struct accepted_index){0};
	return 0;
}
