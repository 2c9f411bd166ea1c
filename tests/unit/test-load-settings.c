/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-root.h"

#include "config/load-settings.h"

/* Settings files a.conf, b.conf, ... of a scratch directory, as struct config would hand them over.
 */
#define N 3

struct bench {
	struct root root;
	struct config_file *files[N];
	struct settings s;
	struct place places[100];
	struct diags d;
};

static void set_up(struct bench *b)
{
	*b = (struct bench){0};
	root_make(&b->root);
	assert_true(n_setting_rows <= ELEMENTSOF(b->places));
	for (int i = 0; i < N; i++) {
		char name[] = "a.conf", path[ROOT_PATH_MAX], id[CONFIG_FILE_ID_MAX];

		name[0] = (char)('a' + i);
		assert_int_equal(config_file_new(CONFIG_SETTINGS,
						 config_file_id(CONFIG_SETTINGS, name, id),
						 &b->files[i]),
				 0);
		assert_int_equal(config_file_set_path(b->files[i], root_path(&b->root, name, path)),
				 0);
	}
}

static void tear_down(struct bench *b)
{
	for (int i = 0; i < N; i++)
		config_file_free(b->files[i]);
	settings_done(&b->s);
	diags_done(&b->d);
	root_remove(&b->root);
}

/* Texts by file; NULL: the file is not there, which is an error of reading it. */
static int load(struct bench *b, bool first, const char *const texts[N])
{
	struct settings_origin origin = {.places = b->places};
	struct settings_judge judge = {.first = first};
	struct settings s = {0};
	int r;

	for (int i = 0; i < N; i++) {
		char name[] = "a.conf", path[ROOT_PATH_MAX];

		name[0] = (char)('a' + i);
		(void)remove(root_path(&b->root, name, path));
		if (texts[i])
			root_write(&b->root, name, texts[i]);
	}
	diags_done(&b->d);
	b->d = (struct diags){0};
	r = load_settings(b->files, N, &judge, &s, &origin, &b->d);
	if (r < 0)
		return r;
	settings_done(&b->s);
	b->s = s;
	return 0;
}

static const struct place *place_of(const struct bench *b, const char *section, const char *key)
{
	return &b->places[setting_find(section, key) - setting_rows];
}

/* "-", "R" for each file, then the number of its messages. */
static void assert_files(const struct bench *b, const char *expected)
{
	char text[2 * N + 1] = "";

	for (int i = 0; i < N; i++) {
		text[2 * i] = b->files[i]->refused ? 'R' : '-';
		text[2 * i + 1] = (char)('0' + b->files[i]->diags.n);
		assert_false(b->files[i]->unread);
	}
	assert_string_equal(text, expected);
}

static void test_none(void **state)
{
	struct settings_judge judge = {.first = true};
	struct settings_origin origin;
	struct bench b;

	(void)state;
	set_up(&b);
	origin.places = b.places;
	memset(b.places, 0xA5, sizeof(b.places));
	assert_int_equal(load_settings(b.files, 0, &judge, &b.s, &origin, &b.d), 0);
	assert_int_equal(b.s.sync_period, 30000000);
	assert_true(b.s.node_name[0]);
	for (size_t i = 0; i < n_setting_rows; i++)
		assert_null(b.places[i].file);
	tear_down(&b);
}

static void test_later_files_override(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	assert_int_equal(
		load(&b, true,
		     (const char *const[]){"[Sync]\nSyncPeriod=10s\nMinSyncPeriod=2s\n[Proxy]\n"
					   "NodePortAddresses=10.0.0.0/8\nNodeName=one\n",
					   "\n\n[Sync]\nSyncPeriod=20s\n",
					   "[Proxy]\nNodePortAddresses=11.0.0.0/8\n"}),
		0);
	assert_files(&b, "-0-0-0");
	assert_int_equal(b.d.n, 0);
	assert_int_equal(b.s.sync_period, 20000000);
	assert_int_equal(b.s.min_sync_period, 2000000);
	assert_int_equal(b.s.node_port_addresses.prefixes.n, 2); /* lists add up */
	assert_string_equal(b.s.node_name, "one");
	assert_ptr_equal(place_of(&b, "Sync", "SyncPeriod")->file, b.files[1]->path);
	assert_int_equal(place_of(&b, "Sync", "SyncPeriod")->line, 4);
	assert_ptr_equal(place_of(&b, "Sync", "MinSyncPeriod")->file, b.files[0]->path);
	assert_null(place_of(&b, "Log", "Level")->file);
	tear_down(&b);
}

static void test_bad_file(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	/* Without a last good text it is left out, and what it set before its mistake with it.
	 * The warning of another file comes once, however often it is read. */
	assert_int_equal(
		load(&b, true,
		     (const char *const[]){"[Sync]\nSyncPeriod=10s\n",
					   "[Sync]\nSyncPeriod=20s\n[Nothing]\n",
					   "[Proxy]\nClusterCIDR=10.0.0.0/8 11.0.0.0/8\n"}),
		0);
	assert_files(&b, "-0R1-0");
	assert_int_equal(b.d.n, 1);
	assert_int_equal(b.d.n_warnings, 1);
	assert_int_equal(b.s.sync_period, 10000000);
	assert_ptr_equal(place_of(&b, "Sync", "SyncPeriod")->file, b.files[0]->path);

	/* With one, that is in force, below the others as before. */
	assert_int_equal(load(&b, false,
			      (const char *const[]){"[Sync]\nSyncPeriod=11s\n",
						    "[Sync]\nMinSyncPeriod=3s\n", ""}),
			 0);
	assert_files(&b, "-0-0-0");
	assert_int_equal(load(&b, false,
			      (const char *const[]){"[Sync]\nSyncPeriod=12s\nMinSyncPeriod=1s\n",
						    "[Sync]\nMinSyncPeriod=soon\nNo=1\n", NULL}),
			 0);
	assert_files(&b, "-0R2R1");
	assert_int_equal(b.s.sync_period, 12000000);
	assert_int_equal(b.s.min_sync_period, 3000000);
	assert_int_equal(b.d.n, 0);
	/* and stays what it was by a second bad text */
	assert_int_equal(load(&b, false, (const char *const[]){"", "rubbish", NULL}), 0);
	assert_files(&b, "-0R1R1");
	assert_int_equal(b.s.min_sync_period, 3000000);
	tear_down(&b);
}

/* Good each by itself, not together: the file that the error is about goes back. */
static void test_wrong_together(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	assert_int_equal(load(&b, true, (const char *const[]){"[Sync]\nSyncPeriod=10s\n", "", ""}),
			 0);
	assert_int_equal(
		load(&b, false,
		     (const char *const[]){"[Sync]\nSyncPeriod=5s\n", "[Sync]\nMinSyncPeriod=7s\n",
					   "[Sync]\nConfigDebounce=1s\n"}),
		0);
	assert_files(&b, "R1-0-0");
	assert_int_equal(b.d.n, 0);
	assert_int_equal(b.s.sync_period, 10000000);
	assert_int_equal(b.s.min_sync_period, 7000000);
	assert_int_equal(b.s.config_debounce, 1000000);

	/* There is nothing to go back to when a good text is gone. ret is not touched. */
	assert_int_equal(load(&b, false,
			      (const char *const[]){"[Sync]\nSyncPeriod=10s\n",
						    "[Sync]\nMinSyncPeriod=7s\n", ""}),
			 0);
	assert_files(&b, "-0-0-0");
	config_file_free(b.files[0]);
	b.files[0] = NULL;
	{
		struct settings_origin origin = {.places = b.places};
		struct settings untouched = {.sync_period = 99};
		struct settings_judge judge = {0};

		root_write(&b.root, "b.conf", "[Sync]\nMinSyncPeriod=31s\n");
		diags_done(&b.d);
		b.d = (struct diags){0};
		settings_done(&b.s);
		b.s = (struct settings){0};
		/* new text: it goes back to 7s, and all is well */
		assert_int_equal(load_settings(b.files + 1, 2, &judge, &b.s, &origin, &b.d), 0);
		assert_true(b.files[1]->refused);
		/* the same as before: no text of any file helps */
		free(b.files[1]->content.text);
		b.files[1]->content.text = strdup("[Sync]\nMinSyncPeriod=31s\n");
		b.files[1]->content.size = strlen(b.files[1]->content.text);
		diags_done(&b.d);
		b.d = (struct diags){0};
		assert_int_equal(load_settings(b.files + 1, 2, &judge, &untouched, &origin, &b.d),
				 -EBADMSG);
		assert_int_equal(untouched.sync_period, 99);
		assert_int_equal(b.d.n_errors, 1);
		assert_false(b.files[1]->refused);
		assert_int_equal(b.files[1]->diags.n, 0);
	}
	tear_down(&b);
}

static void test_mode(void **state)
{
	static const char *const modes[] = {"[Proxy]\nMode=nftables\n",
					    "[Proxy]\nMode=userspace\n"};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(modes); i++) {
		set_up(&b);
		assert_int_equal(load(&b, true, (const char *const[]){modes[i], "", ""}),
				 -EOPNOTSUPP);
		assert_files(&b, "R1-0-0");
		/* also when another file says otherwise below or is bad */
		assert_int_equal(load(&b, true,
				      (const char *const[]){"[Proxy]\nMode=iptables\n", modes[i],
							    "rubbish"}),
				 -EOPNOTSUPP);
		assert_files(&b, "-0R1R1");
		/* what was not in force is no last good text */
		assert_null(b.files[0]->content.text);
		assert_int_equal(
			load(&b, true,
			     (const char *const[]){modes[i], "[Proxy]\nMode=iptables\n", ""}),
			0);
		assert_files(&b, "-0-0-0");
		assert_int_equal(b.s.mode, MODE_IPTABLES);

		/* With settings in force the mode is one more mistake of a file. */
		assert_int_equal(load(&b, false, (const char *const[]){"", "", modes[i]}), 0);
		assert_files(&b, "-0-0R1");
		assert_int_equal(b.s.mode, MODE_IPTABLES);
		tear_down(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	 cmocka_unit_test(test_later_files_override),
		cmocka_unit_test(test_bad_file), cmocka_unit_test(test_wrong_together),
		cmocka_unit_test(test_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
