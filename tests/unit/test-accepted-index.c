/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/accepted-index.h"
#include "config/cfg.h"

#define FIRST "svcroute-accepted 1.0\n"
/* SHA-256 of nothing, and of "abc": FIPS 180-2 appendix B.1 */
#define OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define LINE "file " OF_ABC " 3 1700000000000000 1/a.cfg /etc/svcroute/services.d/a.cfg\n"

static void test_hash(void **state)
{
	uint8_t hash[ACCEPTED_HASH_SIZE], again[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];

	(void)state;
	accepted_hash("abc", 3, hash);
	assert_string_equal(accepted_hash_format(hash, name), OF_ABC);
	assert_int_equal(accepted_hash_parse(name, again), 0);
	assert_memory_equal(hash, again, sizeof(hash));
	accepted_hash("", 0, hash);
	assert_string_equal(accepted_hash_format(hash, name), OF_NOTHING);
}

static void test_hash_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"0",
		".",
		"index",
		/* 63 and 65 digits, a capital, a byte before "0", one after "f" */
		"a7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		(OF_ABC "0"),
		(OF_ABC ".bad"),
		"BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a/",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ag",
		" a7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		/* exactly as long as the text: nothing behind it may be read */
		_cleanup_free_ char *text = strdup(rows[i]);
		uint8_t hash[ACCEPTED_HASH_SIZE], poison[ACCEPTED_HASH_SIZE];

		assert_non_null(text);
		memset(hash, 'p', sizeof(hash));
		memset(poison, 'p', sizeof(poison));
		if (accepted_hash_parse(text, hash) != -EINVAL)
			fail_msg("'%s' was taken", rows[i]);
		assert_memory_equal(hash, poison, sizeof(hash));
	}
}

/* The lines with a checksum that fits, as bytes without a NUL at the end. */
static char *with_checksum(const char *lines, size_t *ret_size)
{
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];
	_cleanup_strbuf_ struct strbuf text = {0};

	accepted_hash(lines, strlen(lines), hash);
	strbuf_addf(&text, "%schecksum %s\n", lines, accepted_hash_format(hash, name));
	assert_int_equal(strbuf_error(&text), 0);
	*ret_size = text.len;
	return strbuf_take(&text);
}

/* What must be refused, and finds the outputs as they were. */
static void check_refused(const char *what, const char *bytes, size_t size, int error,
			  const char *reason)
{
	/* exactly as large as the input: nothing behind it may be read */
	_cleanup_free_ char *copy = malloc(size > 0 ? size : 1);
	struct accepted_file poison = {.id = "poison"};
	struct accepted_index index = {.files = &poison, .n = 4711};
	const char *why = NULL;
	int r;

	assert_non_null(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	r = accepted_index_parse(copy, size, &index, &why);
	if (r != error || !why || !strstr(why, reason))
		fail_msg("%s: %d '%s', not %d '%s'", what, r, why ? why : "", error, reason);
	assert_ptr_equal(index.files, &poison);
	assert_int_equal(index.n, 4711);
}

static void test_empty(void **state)
{
	_cleanup_strbuf_ struct strbuf out = {0};
	_cleanup_accepted_index_ struct accepted_index index = {0};
	_cleanup_free_ char *expected = NULL;
	const char *reason;
	size_t size;

	(void)state;
	accepted_index_print(NULL, 0, &out);
	expected = with_checksum(FIRST, &size);
	assert_string_equal(strbuf_text(&out), expected);
	assert_int_equal(accepted_index_parse(out.data, out.len, &index, &reason), 0);
	assert_int_equal(index.n, 0);
}

/* The text that is on disks now must be read for ever. */
static void test_known_text(void **state)
{
	static const char text[] = FIRST LINE
		"file " OF_NOTHING " 0 18446744073709551615 2/b\\x20c\\x5c.cfg /x\\x0ay\n"
		"checksum "
		"cdd8132a6feb1d765efac2c5b5d6b0afd6112b91aa1647429e77b74e8267532a\n";
	_cleanup_accepted_index_ struct accepted_index index = {0};
	_cleanup_strbuf_ struct strbuf out = {0};
	char name[ACCEPTED_NAME_MAX];
	const char *reason = "";
	int r;

	(void)state;
	r = accepted_index_parse(text, sizeof(text) - 1, &index, &reason);
	if (r < 0)
		fail_msg("%d %s", r, reason);
	assert_int_equal(index.n, 2);
	assert_string_equal(index.files[0].id, "1/a.cfg");
	assert_string_equal(index.files[0].path, "/etc/svcroute/services.d/a.cfg");
	assert_string_equal(accepted_hash_format(index.files[0].hash, name), OF_ABC);
	assert_int_equal(index.files[0].size, 3);
	assert_int_equal(index.files[0].since_usec, UINT64_C(1700000000000000));
	assert_string_equal(index.files[1].id, "2/b c\\.cfg");
	assert_string_equal(index.files[1].path, "/x\ny");
	assert_string_equal(accepted_hash_format(index.files[1].hash, name), OF_NOTHING);
	assert_int_equal(index.files[1].size, 0);
	assert_int_equal(index.files[1].since_usec, UINT64_MAX);

	accepted_index_print(index.files, index.n, &out);
	assert_int_equal(out.len, sizeof(text) - 1);
	assert_string_equal(strbuf_text(&out), text);
}

/* Any byte but NUL, in both texts; texts that look like parts of the format. */
static void test_round_trip(void **state)
{
	static const char *const texts[] = {"",	    " ",	"  ",	  "\n",
					    "\\",   "\\x",	"\\n",	  "\\x41",
					    "a b",  "a\nfile ", "file x", "\t\r",
					    "\x7f", "\xff\xfe", "größe",  ("checksum " OF_ABC)};
	char all[256];
	struct accepted_file files[ELEMENTSOF(texts) + 1] = {0};
	_cleanup_strbuf_ struct strbuf out = {0};
	_cleanup_accepted_index_ struct accepted_index index = {0};
	const char *reason = "";

	(void)state;
	for (size_t i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = '\0';
	for (size_t i = 0; i < ELEMENTSOF(files); i++) {
		const char *text = i < ELEMENTSOF(texts) ? texts[i] : all;

		files[i] = (struct accepted_file){.id = text, .path = text, .size = i};
		accepted_hash(text, strlen(text), files[i].hash);
	}
	qsort(files, ELEMENTSOF(files), sizeof(*files), accepted_file_compare);
	accepted_index_print(files, ELEMENTSOF(files), &out);
	assert_int_equal(accepted_index_parse(out.data, out.len, &index, &reason), 0);
	assert_int_equal(index.n, ELEMENTSOF(files));
	for (size_t i = 0; i < index.n; i++) {
		assert_string_equal(index.files[i].id, files[i].id);
		assert_string_equal(index.files[i].path, files[i].path);
		assert_int_equal(index.files[i].size, files[i].size);
		assert_memory_equal(index.files[i].hash, files[i].hash, ACCEPTED_HASH_SIZE);
	}
	/* nothing but printing characters and newlines */
	for (size_t i = 0; i < out.len; i++)
		assert_true(out.data[i] == '\n' || (out.data[i] >= ' ' && out.data[i] < 0x7f));
}

/* A later 1.x may say more; lines may stand in any order. */
static void test_later_minor(void **state)
{
	static const char *const rows[] = {
		"svcroute-accepted 1.7\n" LINE,
		"svcroute-accepted 1.18446744073709551615\n" LINE,
		FIRST "note a line of a kind that nobody knows\n" LINE,
		FIRST LINE "\n\nfiles\nFILE\n \n",
		FIRST "file " OF_ABC " 3 1700000000000000 1/a.cfg /etc/svcroute/services.d/a.cfg "
		      "more \\ fields\n",
		FIRST "file " OF_ABC
		      " 3 1700000000000000 1/a.cfg /etc/svcroute/services.d/a.cfg \n",
		FIRST "file " OF_ABC " 003 1700000000000000 \\x31/a.cfg "
		      "/etc/svcroute/services.d/a.cfg\n",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		size_t size;
		_cleanup_free_ char *text = with_checksum(rows[i], &size);
		_cleanup_accepted_index_ struct accepted_index index = {0};
		const char *reason = "";

		if (accepted_index_parse(text, size, &index, &reason) < 0)
			fail_msg("row %zu: %s", i, reason);
		assert_int_equal(index.n, 1);
		assert_string_equal(index.files[0].id, "1/a.cfg");
		assert_string_equal(index.files[0].path, "/etc/svcroute/services.d/a.cfg");
		assert_int_equal(index.files[0].size, 3);
	}
}

static void test_order(void **state)
{
	size_t size;
	_cleanup_free_ char *text = with_checksum(FIRST "file " OF_ABC " 3 1 2/b /b\nfile " OF_ABC
							" 3 1 1/a /a\nfile " OF_ABC " 3 1 2/a /c\n",
						  &size);
	_cleanup_accepted_index_ struct accepted_index index = {0};
	const char *reason;

	(void)state;
	assert_int_equal(accepted_index_parse(text, size, &index, &reason), 0);
	assert_int_equal(index.n, 3);
	assert_string_equal(index.files[0].path, "/a");
	assert_string_equal(index.files[1].path, "/c");
	assert_string_equal(index.files[2].path, "/b");
}

/* Lines whose checksum fits, but which say nothing that could be used. */
static void test_bad_lines(void **state)
{
	static const char *const rows[] = {
		"file\n",
		"file \n",
		"file " OF_ABC "\n",
		"file " OF_ABC " 3 1 1/a\n",
		"file  " OF_ABC " 3 1 1/a /a\n",
		"file BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 3 1 1/a "
		"/a\n",
		"file ba7816 3 1 1/a /a\n",
		"file ../../../etc/passwd 3 1 1/a /a\n",
		"file " OF_ABC "00 3 1 1/a /a\n",
		"file " OF_ABC " -1 1 1/a /a\n",
		"file " OF_ABC " 3x 1 1/a /a\n",
		"file " OF_ABC "  1 1/a /a\n",
		"file " OF_ABC " 67108865 1 1/a /a\n",
		"file " OF_ABC " 99999999999999999999 1 1/a /a\n",
		"file " OF_ABC " 3 18446744073709551616 1/a /a\n",
		"file " OF_ABC " 3 +1 1/a /a\n",
		"file " OF_ABC " 3 1 1/a\\ /a\n",
		"file " OF_ABC " 3 1 1/a\\x /a\n",
		"file " OF_ABC " 3 1 1/a\\x4 /a\n",
		"file " OF_ABC " 3 1 1/a\\x0 /a\n",
		"file " OF_ABC " 3 1 1/a\\x00 /a\n",
		"file " OF_ABC " 3 1 1/a\\n /a\n",
		"file " OF_ABC " 3 1 1/a\\X41 /a\n",
		"file " OF_ABC " 3 1 1/a\\x4A /a\n",
		"file " OF_ABC " 3 1 1/a /a\\\n",
		"file " OF_ABC " 3 1 1/a /a\\x2\n",
		"file " OF_ABC " 3 1 1/a /a\x7f\n",
		"file " OF_ABC " 3 1 1/a /a\t\n",
		"file " OF_ABC " 3 1 1/\xc3\xa4 /a\n",
		"file " OF_ABC " 3 1 1/a /a\r\n",
	};

	(void)state;
	assert_int_equal(CONFIG_FILE_MAX, 67108864);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf lines = {0};
		_cleanup_free_ char *text = NULL;
		size_t size;

		strbuf_addf(&lines, FIRST LINE "%s", rows[i]);
		text = with_checksum(strbuf_text(&lines), &size);
		check_refused(rows[i], text, size, -EBADMSG, "line that cannot be read");
	}
}

static void test_twice(void **state)
{
	static const char *const rows[] = {
		FIRST LINE LINE,
		FIRST LINE "file " OF_NOTHING " 0 1 1/b /b\n" LINE,
		FIRST "file " OF_ABC " 3 1 1/a /a\nfile " OF_NOTHING " 0 2 1/\\x61 /b\n",
		FIRST "file " OF_ABC " 3 1  /a\nfile " OF_NOTHING " 0 2  /b\n",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		size_t size;
		_cleanup_free_ char *text = with_checksum(rows[i], &size);

		check_refused(rows[i], text, size, -EBADMSG, "twice");
	}
}

static void test_versions(void **state)
{
	static const struct {
		const char *first;
		int error;
	} rows[] = {
		{"svcroute-accepted 2.0\n", -EOPNOTSUPP},
		{"svcroute-accepted 0.9\n", -EOPNOTSUPP},
		{"svcroute-accepted 18446744073709551615.0\n", -EOPNOTSUPP},
		{"svcroute-accepted 18446744073709551616.0\n", -EBADMSG},
		{"svcroute-accepted 1\n", -EBADMSG},
		{"svcroute-accepted 1.\n", -EBADMSG},
		{"svcroute-accepted .0\n", -EBADMSG},
		{"svcroute-accepted 1.0.0\n", -EBADMSG},
		{"svcroute-accepted 1.0 \n", -EBADMSG},
		{"svcroute-accepted 1.x\n", -EBADMSG},
		{"svcroute-accepted -1.0\n", -EBADMSG},
		{"svcroute-accepted  1.0\n", -EBADMSG},
		{"svcroute-accepted 000000000000000000000000000001.0\n", -EBADMSG},
		{"svcroute-accepted 1.000000000000000000000000000000\n", -EBADMSG},
		{"svcroute-accepted\n", -EBADMSG},
		{"svcroute-owned 1.0\n", -EBADMSG},
		{"Svcroute-accepted 1.0\n", -EBADMSG},
		{"\n" FIRST, -EBADMSG},
		{" " FIRST, -EBADMSG},
		{"\xef\xbb\xbf" FIRST, -EBADMSG},
		{"", -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		_cleanup_strbuf_ struct strbuf lines = {0};
		_cleanup_free_ char *text = NULL;
		size_t size;

		strbuf_addf(&lines, "%s" LINE, rows[i].first);
		text = with_checksum(strbuf_text(&lines), &size);
		check_refused(rows[i].first, text, size, rows[i].error,
			      rows[i].error == -EOPNOTSUPP ? "version" : "does not start");
	}
	/* another version may have another kind of checksum, and any bytes but NUL */
	check_refused("2.0", "svcroute-accepted 2.0\n\xff", 23, -EOPNOTSUPP, "version");
	check_refused("2.0 alone", "svcroute-accepted 2.0", 21, -EOPNOTSUPP, "version");
}

static void test_checksums(void **state)
{
	static const char *const rows[] = {
		FIRST,
		FIRST LINE,
		FIRST "checksum " OF_NOTHING "\n",
		FIRST "checksum \n",
		FIRST "checksum",
		FIRST "Checksum " OF_NOTHING "\n",
		"svcroute-accepted 1.0",
		"svcroute-accepted 1.0\nchecksum",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		check_refused(rows[i], rows[i], strlen(rows[i]), -EBADMSG, "checksum");
}

/* Whatever one byte of it becomes, wherever it ends, and whatever follows it: refused. */
static void test_damage(void **state)
{
	size_t size;
	_cleanup_free_ char *text = with_checksum(FIRST LINE, &size);
	_cleanup_free_ char *bytes = malloc(size + 1);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			char what[64];
			struct accepted_index index;
			const char *reason = NULL;
			int r;

			(void)snprintf(what, sizeof(what), "byte %zu, bit %u", i, bit);
			memcpy(bytes, text, size);
			bytes[i] = (char)(bytes[i] ^ 1 << bit);
			r = accepted_index_parse(bytes, size, &index, &reason);
			/* the version is looked at before the checksum */
			if ((r != -EBADMSG && r != -EOPNOTSUPP) || !reason)
				fail_msg("%s: %d", what, r);
		}
	}
	for (size_t i = 0; i < size; i++)
		check_refused("cut", text, i, -EBADMSG, "");
	memcpy(bytes, text, size);
	for (unsigned c = 0; c < 256; c++) {
		bytes[size] = (char)c;
		check_refused("one byte more", bytes, size + 1, -EBADMSG, "");
	}
}

static void test_odd_bytes(void **state)
{
	(void)state;
	check_refused("nothing", "", 0, -EBADMSG, "is empty");
	check_refused("NUL", "", 1, -EBADMSG, "NUL");
	check_refused("NUL in a line", FIRST "x\0y\n", strlen(FIRST) + 4, -EBADMSG, "NUL");
	check_refused("newline", "\n", 1, -EBADMSG, "does not start");
}

/* More than the limit is not even looked at. */
static void test_too_large(void **state)
{
	size_t size = (size_t)ACCEPTED_INDEX_MAX + 1;
	_cleanup_free_ char *zeros = calloc(1, size);
	struct accepted_index index;
	const char *reason = "";

	(void)state;
	assert_non_null(zeros);
	assert_int_equal(accepted_index_parse(zeros, size, &index, &reason), -EBADMSG);
	assert_string_equal(reason, "is too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),	   cmocka_unit_test(test_hash_refused),
		cmocka_unit_test(test_empty),	   cmocka_unit_test(test_known_text),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_later_minor),
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_twice),	   cmocka_unit_test(test_versions),
		cmocka_unit_test(test_checksums),  cmocka_unit_test(test_damage),
		cmocka_unit_test(test_odd_bytes),  cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
