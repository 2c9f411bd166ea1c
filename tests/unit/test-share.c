/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "make-world.h"
#include "rules/share.h"

/* A fragment that counts its references. The environment is a pointer to how many may be made. */
struct piece {
	unsigned refs;
	const struct service *service;
};

static int alive;

static void ref_piece(void *p)
{
	((struct piece *)p)->refs++;
}

static void unref_piece(void *p)
{
	struct piece *piece = p;

	if (--piece->refs > 0)
		return;
	free(piece);
	alive--;
}

static int compile_piece(const void *env, struct service *service, void **ret)
{
	struct piece *p;
	int *left = *(int *const *)env;

	if ((*left)-- == 0)
		return -ENOMEM;
	p = calloc(1, sizeof(*p));
	assert_non_null(p);
	p->refs = 1;
	p->service = service;
	alive++;
	*ret = p;
	return 0;
}

static const struct share_ops ops = {
	.runs = {.ref = ref_piece, .unref = unref_piece},
	.compile = compile_piece,
};

static struct service *make(char key)
{
	char text[] = "ns/x";
	struct service_def def = {.key = text};

	text[3] = key;
	return make_service(&def);
}

static struct share_previous as_previous(const struct world *w, const struct share *s, bool lend)
{
	return (struct share_previous){
		.world = w, .fragments = s->fragments, .runs = &s->runs, .lend = lend};
}

static void check_lists(const struct share *s, const char *made, const char *dropped)
{
	assert_int_equal(s->n_made, strlen(made));
	for (size_t i = 0; i < s->n_made; i++)
		assert_int_equal(((struct piece *)s->made[i])->service->key[3], made[i]);
	assert_int_equal(s->n_dropped, strlen(dropped));
	for (size_t i = 0; i < s->n_dropped; i++)
		assert_int_equal(((struct piece *)s->dropped[i])->service->key[3], dropped[i]);
}

/* Old services by letters; new ones too, where a capital is another object of the same name. */
static void test_share(void **state)
{
	static const struct {
		const char *old, *new;
		bool lend;
		const char *made, *dropped;
	} rows[] = {
		{"", "", true, "", ""},
		{"", "abc", true, "abc", ""},
		{"abc", "abc", true, "", ""},
		{"abc", "", true, "", "abc"},
		{"abc", "aBc", true, "b", "b"},
		{"abc", "ABC", true, "abc", "abc"},
		{"ace", "abcde", true, "bd", ""},
		{"abcde", "ace", true, "", "bd"},
		{"abc", "xyz", true, "xyz", "abc"},
		{"xyz", "abc", true, "abc", "xyz"},
		{"abd", "Acd", true, "ac", "ab"},
		{"abc", "abc", false, "abc", ""},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();
		struct service *old[8], *new[8];
		struct share_previous previous;
		struct share one, two;
		struct world *v, *w;
		int left = 100, *env = &left;

		memset(&one, 0xA5, sizeof(one));
		memset(&two, 0xA5, sizeof(two));
		for (size_t k = 0; rows[i].old[k]; k++)
			old[k] = make(rows[i].old[k]);
		for (size_t k = 0; rows[i].new[k]; k++) {
			const char *same = strchr(rows[i].old, rows[i].new[k]);

			new[k] = same ? service_ref(old[same - rows[i].old])
				      : make((char)(rows[i].new[k] | 0x20));
		}
		v = make_world(shared_settings_ref(settings), old, strlen(rows[i].old));
		w = make_world(settings, new, strlen(rows[i].new));
		assert_int_equal(share_make(v, NULL, &env, &ops, &one), 0);
		check_lists(&one, rows[i].old, "");
		previous = as_previous(v, &one, rows[i].lend);
		assert_int_equal(share_make(w, &previous, &env, &ops, &two), 0);
		check_lists(&two, rows[i].made, rows[i].dropped);
		assert_int_equal(left, 100 - strlen(rows[i].old) - strlen(rows[i].made));
		for (size_t k = 0; k < w->n_services; k++)
			assert_ptr_equal(((struct piece *)two.fragments[k])->service,
					 w->services[k]);
		/* What is shared stays when the first is gone. */
		share_done(&one, &ops);
		assert_int_equal(alive, strlen(rows[i].new));
		share_done(&two, &ops);
		assert_int_equal(alive, 0);
		world_unref(v);
		world_unref(w);
	}
}

/* Nothing is left behind, and nothing written, when a fragment cannot be made. */
static void test_failure(void **state)
{
	(void)state;
	for (int left = 0; left < 3; left++) {
		struct service *services[] = {make('a'), make('b'), make('c')};
		struct world *w = make_world(make_settings(), services, 3);
		int remaining = left, *env = &remaining;
		struct share s, poison;

		memset(&s, 0xA5, sizeof(s));
		poison = s;
		assert_int_equal(share_make(w, NULL, &env, &ops, &s), -ENOMEM);
		assert_memory_equal(&s, &poison, sizeof(s));
		assert_int_equal(alive, 0);
		world_unref(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
