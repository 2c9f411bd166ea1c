/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-settings.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/file.h"
#include "config/ini.h"

#define FILE_NAME "/etc/svcroute/svcroute.conf"

/* Settings with an origin, as the reader of all files has them. */
struct fixture {
	struct settings s;
	struct place *places;
	struct settings_origin origin;
	struct diags d;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){0};
	assert_int_equal(settings_init(&f->s), 0);
	f->places = calloc(n_setting_rows, sizeof(*f->places));
	assert_non_null(f->places);
	f->origin.places = f->places;
}

static void fixture_done(struct fixture *f)
{
	settings_done(&f->s);
	free(f->places);
	diags_done(&f->d);
}

#define _cleanup_fixture_ _cleanup_(fixture_done)

static int read_text(struct fixture *f, const char *text, const char *file_name)
{
	size_t size = strlen(text);
	/* No byte behind the end: what reads one is found by the address sanitizer. */
	_cleanup_free_ char *copy = malloc(size + (size == 0));

	assert_non_null(copy);
	memcpy(copy, text, size);
	return ini_read(copy, size, file_name, &f->s, &f->origin, &f->d);
}

static const struct place *place_of(const struct fixture *f, const char *name)
{
	return &f->places[row_named(name) - setting_rows];
}

static void assert_place(const struct fixture *f, const char *name, int line, int column)
{
	const struct place *at = place_of(f, name);

	assert_string_equal(at->file, FILE_NAME);
	assert_int_equal(at->line, line);
	assert_int_equal(at->column, column);
}

static void test_good(void **state)
{
	_cleanup_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(read_text(&f,
				   "# comment\n"
				   "[Proxy]\n"
				   "Mode = ipvs ; a comment, too\n"
				   "ClusterCIDR=10.1.0.0/16\n"
				   "ClusterCIDR:  fd00::/64, 10.2.0.0/16\n"
				   "NodePortAddresses=br-lan\n"
				   "\n"
				   "[IPVS]\n"
				   "TCPTimeout=1min 30s\n"
				   "[Proxy]\n"
				   "NodeIP=\n",
				   FILE_NAME),
			 0);
	assert_int_equal(f.d.n, 0);
	assert_int_equal(f.s.mode, MODE_IPVS);
	assert_prints(&f.s, "Proxy.ClusterCIDR", "10.1.0.0/16 fd00::/64 10.2.0.0/16");
	assert_prints(&f.s, "Proxy.NodePortAddresses", "br-lan");
	assert_prints(&f.s, "IPVS.TCPTimeout", "1m30s");
	assert_true(f.s.node_ip_given);
	assert_place(&f, "Proxy.Mode", 3, 8);
	assert_place(&f, "Proxy.ClusterCIDR", 5, 15); /* the last of them */
	assert_int_equal(f.origin.prefixes[ORIGIN_CLUSTER_CIDR][0].line, 4);
	assert_int_equal(f.origin.prefixes[ORIGIN_CLUSTER_CIDR][0].column, 13);
	assert_int_equal(f.origin.prefixes[ORIGIN_CLUSTER_CIDR][1].line, 5);
	assert_int_equal(f.origin.prefixes[ORIGIN_CLUSTER_CIDR][2].line, 5);
	assert_int_equal(f.origin.prefixes[ORIGIN_CLUSTER_CIDR][3].line, 0);
	assert_int_equal(f.origin.prefixes[ORIGIN_NODE_CIDR][0].line, 0);
	assert_place(&f, "IPVS.TCPTimeout", 9, 12);
	assert_place(&f, "Proxy.NodeIP", 11, 8);
	assert_null(place_of(&f, "Proxy.Zone")->file);
}

/* The same file as editors of other systems save it (field report C49). */
static void test_other_systems(void **state)
{
	static const char *const texts[] = {
		"[Proxy]\nMode=ipvs\nZone=a",
		"[Proxy]\nMode=ipvs\nZone=a\n",
		"\xef\xbb\xbf[Proxy]\nMode=ipvs\nZone=a\n",
		"[Proxy]\r\nMode=ipvs\r\nZone=a\r\n",
		"\xef\xbb\xbf[Proxy]\r\nMode=ipvs\r\nZone=a",
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		assert_int_equal(read_text(&f, texts[i], FILE_NAME), 0);
		assert_int_equal(f.s.mode, MODE_IPVS);
		assert_string_equal(f.s.zone, "a");
		assert_place(&f, "Proxy.Mode", 2, 6);
		assert_place(&f, "Proxy.Zone", 3, 6);
	}
}

/* Later files override; lists add up, unless emptied first. */
static void test_several_files(void **state)
{
	_cleanup_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(read_text(&f,
				   "[Proxy]\nMode=ipvs\nClusterCIDR=10.1.0.0/16\n"
				   "NodePortAddresses=br-lan\n[Userspace]\nDialTimeouts=1s\n",
				   "first"),
			 0);
	assert_int_equal(read_text(&f,
				   "[Proxy]\nMode=nftables\nClusterCIDR=fd00::/64\n"
				   "NodePortAddresses=\nNodePortAddresses=br-dmz\n"
				   "[Userspace]\nDialTimeouts=2s\n",
				   FILE_NAME),
			 0);
	assert_int_equal(read_text(&f, "", "third"), 0);
	assert_int_equal(f.s.mode, MODE_NFTABLES);
	assert_prints(&f.s, "Proxy.ClusterCIDR", "10.1.0.0/16 fd00::/64");
	assert_prints(&f.s, "Proxy.NodePortAddresses", "br-dmz");
	assert_prints(&f.s, "Userspace.DialTimeouts", "2s");
	assert_place(&f, "Proxy.Mode", 2, 6);
	assert_place(&f, "Proxy.NodePortAddresses", 5, 19);
}

static const struct bad_row {
	const char *text;
	int line, column;
	const char *field, *value, *say; /* say: part of the reason or hint */
} bad[] = {
	{"[Proxy]\nMdoe=ipvs\n", 2, 1, "Proxy.Mdoe", "ipvs", "'Mode'"},
	{"[Proxy]\nmode=ipvs\n", 2, 1, "Proxy.mode", "ipvs", "'Mode'"},
	{"[Proxy]\nSyncPeriod=30s\n", 2, 1, "Proxy.SyncPeriod", "30s",
	 "key SyncPeriod belongs to section [Sync]"},
	{"[Sync]\nMasqueradeBit=3\n", 2, 1, "Sync.MasqueradeBit", "3", "[IPTables] or [NFTables]"},
	{"[Proxy]\nSomethingElse=3\n", 2, 1, "Proxy.SomethingElse", "3", "unknown key"},
	{"Mode=ipvs\n", 1, 1, "Mode", "ipvs", "[Proxy]"},
	{"Nonsense=ipvs\n", 1, 1, "Nonsense", "ipvs", "in a section"},
	{"[Proxi]\nMode=ipvs\nX=1\n", 1, 2, "Proxi", NULL, "[Proxy]"},
	{"[proxy]\n", 1, 2, "proxy", NULL, "[Proxy]"},
	{"[ Proxy ]\n", 1, 2, " Proxy ", NULL, "[Proxy]"},
	{"[]\n", 1, 2, "", NULL, "unknown section"},
	/* inih cuts names of sections to 49 bytes. */
	{"[Proxy]\n[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]\nMode=ipvs\n",
	 2, 2, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", NULL,
	 "unknown section"},
	{"[Proxy]\nMode=ipvs\nMode=ipvs\n", 3, 1, "Proxy.Mode", "ipvs", "first in line 2"},
	{"[Proxy]\nMode=ipvs\n[Log]\n[Proxy]\nMode=nftables\n", 5, 1, "Proxy.Mode", "nftables",
	 "first in line 2"},
	{"[Proxy]\nMode = IPVS\n", 2, 8, "Proxy.Mode", "IPVS", "'ipvs'"},
	{"[Proxy]\nMode=\n", 2, 6, "Proxy.Mode", "", "one of"},
	{"[Proxy]\nMode=\"ipvs\"\n", 2, 6, "Proxy.Mode", "\"ipvs\"", "without quotation marks"},
	{"[Proxy]\nMode=ipvs # fast\n", 2, 6, "Proxy.Mode", "ipvs # fast", "line of its own"},
	{"[Proxy]\nNodePortAddresses=br-lan # inside\n", 2, 19, "Proxy.NodePortAddresses",
	 "br-lan # inside", "line of its own"},
	{"[Proxy]\nNodePortAddresses=192.0.2.7\n", 2, 19, "Proxy.NodePortAddresses", "192.0.2.7",
	 "192.0.2.7/32"},
	{"[Proxy]\nNodePortAddresses=primary\nNodePortAddresses=primary\n", 3, 19,
	 "Proxy.NodePortAddresses", "primary", "twice"},
	{"[IPTables]\nMasqueradeBit=32\n", 2, 15, "IPTables.MasqueradeBit", "32", "0 to 31"},
	/* Also those of modes not in use. */
	{"[Proxy]\nMode=iptables\n[IPVS]\nExcludeCIDRs=10.0.0.1/8\n", 4, 14, "IPVS.ExcludeCIDRs",
	 "10.0.0.1/8", "10.0.0.0/8"},
	{"[Userspace]\nCapture=all\n", 2, 9, "Userspace.Capture", "all", "one of"},
	/* Syntax: all of it is in test-ini-scan. */
	{"[Proxy]\nMode=ipvs\n  nftables\n", 3, 3, NULL, NULL, "blank"},
	{"services = (\n);\n", 1, 1, NULL, NULL, "libconfig"},
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(bad); i++) {
		_cleanup_fixture_ struct fixture f;
		struct settings before;
		const struct diag *m;

		fixture_init(&f);
		memcpy(&before, &f.s, sizeof(before));
		assert_int_equal(read_text(&f, bad[i].text, FILE_NAME), -EBADMSG);
		assert_memory_equal(&before, &f.s, sizeof(before));
		for (size_t j = 0; j < n_setting_rows; j++)
			assert_int_equal(f.places[j].line, 0);
		if (f.d.n != 1)
			fail_msg("row %zu: %zu messages", i, f.d.n);
		m = f.d.items;
		assert_int_equal(m->severity, DIAG_ERROR);
		assert_string_equal(m->file, FILE_NAME);
		if (m->line != bad[i].line || m->column != bad[i].column)
			fail_msg("row %zu: at %d:%d", i, m->line, m->column);
		if (bad[i].field)
			assert_string_equal(m->field, bad[i].field);
		if (bad[i].value)
			assert_string_equal(m->value, bad[i].value);
		else
			assert_null(m->value);
		if (!strstr(m->reason, bad[i].say) && !(m->hint && strstr(m->hint, bad[i].say)))
			fail_msg("row %zu: '%s' is not in '%s' (%s)", i, bad[i].say, m->reason,
				 m->hint ? m->hint : "no hint");
	}
}

/* All errors are told, in the order of the lines, and nothing of the file is used. */
static void test_all_errors(void **state)
{
	static const int lines[] = {1, 3, 5, 6, 8, 9};
	_cleanup_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(read_text(&f,
				   "Zone=a\n"
				   "[Proxy]\n"
				   "Mode=all\n"
				   "Zone=good\n"
				   "Zone=again\n"
				   "[Unknown]\n"
				   "Mode=ignored\n"
				   "[Nothing here]\n"
				   "[Also nothing]\n",
				   FILE_NAME),
			 -EBADMSG);
	assert_int_equal(f.d.n, ELEMENTSOF(lines));
	for (size_t i = 0; i < f.d.n; i++)
		assert_int_equal(f.d.items[i].line, lines[i]);
	assert_string_equal(f.s.zone, "");
}

/* Errors of other files that are in the list already do not refuse this one. */
static void test_other_errors(void **state)
{
	_cleanup_fixture_ struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(read_text(&f, "[Proxy]\nMode=all\n", "bad.conf"), -EBADMSG);
	assert_int_equal(read_text(&f, "[Proxy]\nMode=ipvs\n", FILE_NAME), 0);
	assert_int_equal(f.s.mode, MODE_IPVS);
	/* Who does not ask for places gets none. */
	assert_int_equal(ini_read("[Log]\nLevel=err\n", 16, FILE_NAME, &f.s, NULL, &f.d), 0);
	assert_prints(&f.s, "Log.Level", "err");
}

static char *installed_file(void)
{
	const char *source = getenv("SVCROUTE_SOURCE");
	_cleanup_free_ char *path = NULL;
	char *text;
	size_t size;

	assert_true(asprintf(&path, "%s/etc/svcroute.conf", source ? source : ".") > 0);
	assert_int_equal(file_read(AT_FDCWD, path, 1 << 20, &text, &size, NULL), 0);
	return text;
}

/* The file that the package installs is the table, written out. */
static void test_installed_file(void **state)
{
	static const char *const given[] = {"Proxy.NodePortAddresses",
					    "IPTables.LocalhostNodePorts"};
	_cleanup_free_ char *text = installed_file();
	_cleanup_fixture_ struct fixture f;
	const char *at = text, *section = "";
	size_t n_given = 0;

	(void)state;
	fixture_init(&f);
	assert_int_equal(read_text(&f, text, FILE_NAME), 0);
	assert_int_equal(f.d.n, 0);
	assert_prints(&f.s, given[0], "primary");
	assert_prints(&f.s, given[1], "no");
	for (size_t i = 0; i < n_setting_rows; i++)
		n_given += f.places[i].line > 0;
	assert_int_equal(n_given, ELEMENTSOF(given));

	/* In the order of the table: section, help, default. */
	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];
		_cleanup_strbuf_ struct strbuf head = {0}, line = {0};

		if (!streq(section, row->section))
			strbuf_addf(&head, "\n[%s]", row->section);
		section = row->section;
		strbuf_addf(&head, "\n# %s (%s)\n", row->help, row->type);
		at = strstr(at, strbuf_text(&head));
		if (!at)
			fail_msg("%s.%s is not there as it should be", row->section, row->key);
		at += head.len - 1;
		if (f.places[i].line > 0)
			strbuf_addf(&line, "\n%s=", row->key);
		else
			strbuf_addf(&line, "\n#%s=%s\n", row->key, row->default_text);
		at = strstr(at, strbuf_text(&line));
		if (!at)
			fail_msg("no line for %s.%s", row->section, row->key);
	}
	assert_non_null(strstr(text, "NodePortAddresses=br-lan"));
}

/* Who takes all the '#' away from the file gets the same settings. */
static void test_installed_defaults(void **state)
{
	_cleanup_free_ char *text = installed_file();
	_cleanup_fixture_ struct fixture as_installed, f;

	(void)state;
	fixture_init(&as_installed);
	fixture_init(&f);
	assert_int_equal(read_text(&as_installed, text, FILE_NAME), 0);
	for (char *line = text; *line != '\0'; line = strchrnul(line, '\n'), line += *line != '\0')
		if (line[0] == '#' && line[1] >= 'A' && line[1] <= 'Z')
			memmove(line, line + 1, strlen(line));
	assert_int_equal(read_text(&f, text, FILE_NAME), 0);
	/* An empty NodeIP= alone is not the same as none. */
	f.s.node_ip_given = false;
	assert_int_equal(settings_changes(&as_installed.s, &f.s), 0);
	for (size_t i = 0; i < n_setting_rows; i++)
		assert_true(f.places[i].line > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	       cmocka_unit_test(test_other_systems),
		cmocka_unit_test(test_several_files),  cmocka_unit_test(test_bad),
		cmocka_unit_test(test_all_errors),     cmocka_unit_test(test_other_errors),
		cmocka_unit_test(test_installed_file), cmocka_unit_test(test_installed_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
