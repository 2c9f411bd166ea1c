/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "make-world.h"
#include "model/choose.h"

/*
 * The decision table of spec/model.md section 3. Endpoint A is on node-2, B on node-1, which is us;
 * C is on no node. Each text is what follows the address in make_endpoint(); NULL: the endpoint is
 * not there. Results are "cluster/local/reachable/any" for each pair of uses: only cluster (columns
 * 1), both (columns 2, 4, 5), only local (column 3).
 */
static const struct row {
	const char *a, *b, *c;
	const char *cluster, *both, *local;
} rows[] = {
	{NULL, NULL, NULL, "///0", "///0", "///0"},
	{"r", "r", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r", "n", NULL, "A//A/1", "A//A/1", "///1"},
	{"r", "s", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"s", "r", NULL, "B//B/1", "B/B/B/1", "/B/B/1"},
	{"s", "s", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r", NULL, NULL, "A//A/1", "A//A/1", "///1"},
	{"s", NULL, NULL, "A//A/1", "A//A/1", "///1"},
	{NULL, "r", NULL, "B//B/1", "B/B/B/1", "/B/B/1"},
	{NULL, "s", NULL, "B//B/1", "B/B/B/1", "/B/B/1"},
	/* not usable at all */
	{"n", "n", NULL, "///0", "///0", "///0"},
	{"d", "d", NULL, "///0", "///0", "///0"},
	{"t", "t", NULL, "///0", "///0", "///0"},
	{"d", "t", "n", "///0", "///0", "///0"},
	{"d", "r", NULL, "B//B/1", "B/B/B/1", "/B/B/1"},
	{"t", "s", "d", "B//B/1", "B/B/B/1", "/B/B/1"},
	/* without a node name nothing is local */
	{NULL, NULL, "r", "C//C/1", "C//C/1", "///1"},
	{"r", "r", "r", "ABC//ABC/1", "ABC/B/ABC/1", "/B/B/1"},
	/* zone hints; the list of local endpoints ignores them */
	{"r z=here", "r z=there", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"r z=here", "r", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r z=there", "r z=beyond", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r z=there z=here", "r z=beyond", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"r z=her", "r z=heres", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	/* node hints win over zone hints */
	{"r z=here n=node-x", "r z=there n=node-1", NULL, "B//B/1", "B/B/B/1", "/B/B/1"},
	{"r z=here n=node-x", "r z=there n=node-y", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"r z=here n=node-1", "r z=here", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r n=node-1", "r n=node-2", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"r n=node-1", "r", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"r n=node-2 n=node-1", "r n=node-1", "r n=node-3", "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	/* only ready endpoints decide about hints */
	{"r z=here", "s", "n", "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"r z=there", "s z=here", NULL, "A//A/1", "A/B/AB/1", "/B/B/1"},
	{"s z=here", "s z=there", NULL, "AB//AB/1", "AB/B/AB/1", "/B/B/1"},
	{"s n=node-1", "n n=node-1", "s", "AC//AC/1", "AC//AC/1", "///1"},
};

/* "AB" from indices. */
static char *add_letters(char *out, const struct endpoint_list *l, const unsigned *indices,
			 size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true(indices[i] < l->n);
		assert_true(i == 0 || indices[i] > indices[i - 1]);
		*out++ = (char)('A' + l->items[indices[i]].ip.bytes[3] - 1);
	}
	return out;
}

static void check(const struct row *row, const struct endpoint_list *l, bool cluster, bool local,
		  const char *wanted)
{
	char got[32], *at = got;
	struct choice c;

	memset(&c, 0xA5, sizeof(c));
	assert_int_equal(choose_endpoints(l, cluster, local, "node-1", "here", &c), 0);
	at = add_letters(at, l, c.cluster, c.n_cluster);
	*at++ = '/';
	at = add_letters(at, l, c.local, c.n_local);
	*at++ = '/';
	at = add_letters(at, l, c.reachable, c.n_reachable);
	*at++ = '/';
	*at++ = c.any ? '1' : '0';
	*at = '\0';
	if (!streq(got, wanted))
		fail_msg("A '%s' B '%s' C '%s' uses %d%d: %s, wanted %s", row->a ? row->a : "",
			 row->b ? row->b : "", row->c ? row->c : "", cluster, local, got, wanted);
	choice_done(&c);
	assert_null(c.cluster);
	choice_done(&c);
}

static void add_named(struct endpoint_list *l, const char *address, const char *text,
		      const char *node)
{
	char buf[128];

	if (!text)
		return;
	assert_true(snprintf(buf, sizeof(buf), "%s %s%s", address, text, node) < (int)sizeof(buf));
	add_endpoint(l, buf);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct row *row = &rows[i];
		struct endpoint_list l = {0};

		add_named(&l, "10.0.0.1:80", row->a, " @node-2");
		add_named(&l, "10.0.0.2:80", row->b, " @node-1");
		add_named(&l, "10.0.0.3:80", row->c, "");
		check(row, &l, true, false, row->cluster);
		check(row, &l, true, true, row->both);
		check(row, &l, false, true, row->local);
		endpoint_list_done(&l);
	}
}

/* A host without a zone matches no hint. */
static void test_no_zone(void **state)
{
	struct endpoint_list l = {0};
	struct choice c;

	(void)state;
	add_endpoint(&l, "10.0.0.1:80 r z=here");
	add_endpoint(&l, "10.0.0.2:80 r z=there");
	assert_int_equal(choose_endpoints(&l, true, false, "node-1", "", &c), 0);
	assert_int_equal(c.n_cluster, 2);
	assert_int_equal(c.n_local, 0);
	choice_done(&c);
	endpoint_list_done(&l);
}

/* A ready local endpoint keeps those that terminate out. */
static void test_two_local(void **state)
{
	struct endpoint_list l = {0};
	struct choice c;

	(void)state;
	add_endpoint(&l, "10.0.0.1:80 s @node-1");
	add_endpoint(&l, "10.0.0.2:80 r @node-1");
	add_endpoint(&l, "10.0.0.3:80 s @node-1");
	assert_int_equal(choose_endpoints(&l, false, true, "node-1", "", &c), 0);
	assert_int_equal(c.n_local, 1);
	assert_int_equal(c.local[0], 1);
	assert_int_equal(c.n_reachable, 1);
	choice_done(&c);
	endpoint_list_done(&l);
}

static void test_local(void **state)
{
	static const struct {
		const char *theirs, *ours;
		bool local;
	} names[] = {
		{"node-1", "node-1", true},
		{"Node-1", "node-1", false},
		{"node-10", "node-1", false},
		{"node-", "node-1", false},
		{"node-1 ", "node-1", false},
		{"", "", false},
		{NULL, "", false},
		{NULL, "node-1", false},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(names); i++) {
		char *copy = names[i].theirs ? strdup(names[i].theirs) : NULL;
		struct endpoint e = {.node = copy};

		assert_int_equal(endpoint_is_local(&e, names[i].ours), names[i].local);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_no_zone),
		cmocka_unit_test(test_two_local),
		cmocka_unit_test(test_local),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
