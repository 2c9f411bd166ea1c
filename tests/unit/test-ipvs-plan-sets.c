/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-plan.h"
#include "make-ipvs.h"

static struct ipvs_state *balancer_state(const char *range, const char *endpoint,
					 enum addr_family family)
{
	struct service *service;
	struct setup s;

	set_up_external(&s, "ns/lb");
	assert_int_equal(addr_prefix_parse(range, &s.ranges[s.def.n_source_ranges++]), ADDR_OK);
	service = make_from(&s, &endpoint, 1);
	return make_state_of(service, family);
}

static char *elements_text(enum ipvs_set set, const struct ipset_elements *l)
{
	struct strbuf out = {0};
	char text[IPSET_ELEMENT_TEXT_MAX];

	for (size_t i = 0; i < l->n; i++)
		strbuf_addf(&out, "%s%s", i ? " " : "",
			    ipset_element_text(ipvs_set_type(set), &l->items[i], text));
	assert_int_equal(strbuf_error(&out), 0);
	return out.len ? strbuf_take(&out) : strdup("");
}

static void check_elements(enum ipvs_set set, const struct ipset_elements *l, const char *wanted)
{
	char *got = elements_text(set, l);

	if (!streq(got, wanted))
		fail_msg("'%s', wanted '%s'", got, wanted);
	free(got);
}

/* Every set: as the compiler prints its entries, and sorted as the kernel's are. */
static void test_elements(void **state)
{
	(void)state;
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
		struct ipvs_state *s = balancer_state(
			f == ADDR_IPV4 ? "192.0.2.10/32" : "2001:db8:2::10/128",
			f == ADDR_IPV4 ? "10.1.0.1:80 r @node-1" : "[2001:db8:1::1]:80 r @node-1",
			(enum addr_family)f);
		size_t filled = 0;

		for (int i = 0; i < _SET_MAX; i++) {
			char *text = entries_text(s, (enum ipvs_set)i);
			struct ipset_elements l;

			memset(&l, 0xa5, sizeof(l));
			assert_int_equal(ipvs_set_elements(s, (enum ipvs_set)i, &l), 0);
			check_elements((enum ipvs_set)i, &l, text);
			for (size_t k = 1; k < l.n; k++)
				assert_true(ipset_element_compare(&l.items[k - 1], &l.items[k]) <
					    0);
			filled += l.n > 0;
			free(l.items);
			free(text);
		}
		assert_true(filled >= 8);
		ipvs_state_unref(s);
	}
}

static void test_fate(void **state)
{
	static const struct {
		enum ipvs_set set;
		bool there;
		enum ipset_type type;
		enum addr_family family;
		uint32_t maxelem;
		bool plain;
		enum ipvs_set_fate fate;
	} rows[] = {
		{SET_CLUSTER_IP, false, 0, 0, 0, false, SET_CREATE},
		{SET_CLUSTER_IP, true, IPSET_HASH_IP_PORT, ADDR_IPV4, 65536, true, SET_KEEP},
		{SET_CLUSTER_IP, true, IPSET_HASH_IP_PORT, ADDR_IPV4, 1024, true, SET_SWAP},
		{SET_CLUSTER_IP, true, IPSET_HASH_IP_PORT, ADDR_IPV4, 65536, false, SET_SWAP},
		{SET_CLUSTER_IP, true, IPSET_HASH_IP_PORT, ADDR_IPV6, 65536, true, SET_REFUSE},
		{SET_CLUSTER_IP, true, IPSET_HASH_IP, ADDR_IPV4, 65536, true, SET_REFUSE},
		{SET_CLUSTER_IP, true, _IPSET_TYPE_OTHER, ADDR_IPV4, 65536, true, SET_REFUSE},
		/* ports have no family and no limit */
		{SET_NODE_PORT_TCP, true, IPSET_BITMAP_PORT, ADDR_IPV6, 0, true, SET_KEEP},
		{SET_NODE_PORT_TCP, true, IPSET_BITMAP_PORT, ADDR_IPV4, 0, false, SET_SWAP},
		{SET_NODE_PORT_TCP, true, IPSET_HASH_IP, ADDR_IPV4, 65536, true, SET_REFUSE},
	};
	struct ipvs_state *s = balancer_state("192.0.2.0/24", "10.1.0.1:80 r", ADDR_IPV4);

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct ipset_set seen = {.type = rows[i].type,
					       .family = rows[i].family,
					       .maxelem = rows[i].maxelem,
					       .plain = rows[i].plain};
		struct ipvs_set_plan plan;

		memset(&plan, 0xa5, sizeof(plan));
		assert_int_equal(ipvs_plan_set(s, rows[i].set, rows[i].there ? &seen : NULL, &plan),
				 0);
		if (plan.fate != rows[i].fate)
			fail_msg("row %zu: %d", i, (int)plan.fate);
		/* all entries, unless nothing can be done */
		assert_int_equal(plan.add.n,
				 plan.fate == SET_REFUSE ? 0 : s->n_entries[rows[i].set]);
		assert_int_equal(plan.del.n, 0);
		ipvs_set_plan_done(&plan);
	}
	ipvs_state_unref(s);
}

/* What is there already is left alone, also a range of one address, which is the same with and
 * without its length. */
static void test_difference(void **state)
{
	struct ipvs_state *s = balancer_state("192.0.2.10/32", "10.1.0.1:80 r", ADDR_IPV4);
	enum ipvs_set set = SET_LOAD_BALANCER_SOURCE_CIDR;
	struct ipset_set seen = {.type = IPSET_HASH_IP_PORT_NET,
				 .family = ADDR_IPV4,
				 .maxelem = 65536,
				 .plain = true};
	struct ipvs_set_plan plan;
	struct ipset_element other;

	(void)state;
	assert_int_equal(ipvs_set_elements(s, set, &seen.elements), 0);
	assert_int_equal(seen.elements.n, 1);
	assert_int_equal(ipvs_plan_set(s, set, &seen, &plan), 0);
	assert_int_equal(plan.fate, SET_KEEP);
	assert_int_equal(plan.add.n + plan.del.n, 0);
	ipvs_set_plan_done(&plan);

	other = seen.elements.items[0];
	other.prefix = 31;
	seen.elements.items[0] = other;
	assert_int_equal(ipvs_plan_set(s, set, &seen, &plan), 0);
	check_elements(set, &plan.add, "203.0.113.1,tcp:80,192.0.2.10");
	check_elements(set, &plan.del, "203.0.113.1,tcp:80,192.0.2.10/31");
	ipvs_set_plan_done(&plan);
	free(seen.elements.items);
	ipvs_state_unref(s);
}

static void test_change(void **state)
{
	struct ipvs_state *old = balancer_state("192.0.2.0/24", "10.1.0.1:80 r @node-1", ADDR_IPV4);
	struct ipvs_state *new = balancer_state("198.51.100.0/24", "10.1.0.2:80 r @node-1",
						ADDR_IPV4);
	static const struct {
		enum ipvs_set set;
		const char *add, *del;
	} rows[] = {
		{SET_CLUSTER_IP, "", ""},
		{SET_NODE_PORT_TCP, "", ""},
		{SET_LOAD_BALANCER_SOURCE_CIDR, "203.0.113.1,tcp:80,198.51.100.0/24",
		 "203.0.113.1,tcp:80,192.0.2.0/24"},
		{SET_LOAD_BALANCER_SOURCE_IP, "", "203.0.113.1,tcp:80,203.0.113.1"},
		{SET_LOOP_BACK, "10.1.0.2,tcp:80,10.1.0.2", "10.1.0.1,tcp:80,10.1.0.1"},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_set_plan plan;

		memset(&plan, 0xa5, sizeof(plan));
		assert_int_equal(ipvs_plan_set_change(old, new, rows[i].set, &plan), 0);
		assert_int_equal(plan.fate, SET_KEEP);
		check_elements(rows[i].set, &plan.add, rows[i].add);
		check_elements(rows[i].set, &plan.del, rows[i].del);
		ipvs_set_plan_done(&plan);
		assert_int_equal(ipvs_plan_set_change(old, old, rows[i].set, &plan), 0);
		assert_int_equal(plan.add.n + plan.del.n, 0);
		ipvs_set_plan_done(&plan);
	}
	ipvs_state_unref(old);
	ipvs_state_unref(new);
}

/* 10.0.0.0 and so on, from the given one. */
static struct ipvs_entry *make_entries(size_t from, size_t n)
{
	struct ipvs_entry *e = calloc(n, sizeof(*e));

	assert_non_null(e);
	for (size_t i = 0; i < n; i++) {
		uint32_t v = (uint32_t)(from + i);

		e[i].addr = make_addr("10.0.0.0");
		e[i].addr.bytes[1] = (uint8_t)(v >> 16);
		e[i].addr.bytes[2] = (uint8_t)(v >> 8);
		e[i].addr.bytes[3] = (uint8_t)v;
	}
	return e;
}

/* A set has a limit, and entries come before others go. */
static void test_limit(void **state)
{
	static const struct {
		size_t there_from, n_there, from, n;
		enum ipvs_set_fate fate;
		size_t n_add, n_del;
		bool overfull;
	} rows[] = {
		{0, 0, 0, 65536, SET_KEEP, 65536, 0, false},
		{0, 0, 0, 65537, SET_KEEP, 65536, 0, true},
		{0, 65536, 0, 65536, SET_KEEP, 0, 0, false},
		/* what is there stays, nothing has room */
		{1, 65536, 0, 65537, SET_KEEP, 0, 0, true},
		{1, 65536, 0, 65600, SET_KEEP, 0, 0, true},
		{100000, 10, 0, 70000, SET_KEEP, 65526, 10, true},
		{0, 65535, 0, 65536, SET_KEEP, 1, 0, false},
		{0, 65536, 1, 65535, SET_KEEP, 0, 1, false},
		/* room for all, but not before the others have gone */
		{0, 65536, 1, 65536, SET_SWAP, 65536, 0, false},
		{0, 40000, 40000, 40000, SET_SWAP, 40000, 0, false},
		{0, 30000, 40000, 30000, SET_KEEP, 30000, 30000, false},
		/* newer kernels let a set grow a little beyond */
		{0, 65540, 10, 65536, SET_SWAP, 65536, 0, false},
	};
	enum ipvs_set set = SET_IPVS_IPS;

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_state old = {.family = ADDR_IPV4}, new = {.family = ADDR_IPV4};
		struct ipset_set seen = {.type = IPSET_HASH_IP,
					 .family = ADDR_IPV4,
					 .maxelem = 65536,
					 .plain = true};
		struct ipvs_set_plan plan;

		old.n_entries[set] = rows[i].n_there;
		old.entries[set] = make_entries(rows[i].there_from, rows[i].n_there);
		new.n_entries[set] = rows[i].n;
		new.entries[set] = make_entries(rows[i].from, rows[i].n);
		assert_int_equal(ipvs_set_elements(&old, set, &seen.elements), 0);
		for (int way = 0; way < 2; way++) {
			memset(&plan, 0xa5, sizeof(plan));
			assert_int_equal(way == 0 ? ipvs_plan_set(&new, set, &seen, &plan)
						  : ipvs_plan_set_change(&old, &new, set, &plan),
					 0);
			if (plan.fate != rows[i].fate || plan.add.n != rows[i].n_add ||
			    plan.del.n != rows[i].n_del || plan.overfull != rows[i].overfull ||
			    plan.n_wanted != rows[i].n)
				fail_msg("row %zu, way %d: fate %d, %zu to add, %zu to delete", i,
					 way, (int)plan.fate, plan.add.n, plan.del.n);
			ipvs_set_plan_done(&plan);
		}
		free(seen.elements.items);
		free(old.entries[set]);
		free(new.entries[set]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),   cmocka_unit_test(test_fate),
		cmocka_unit_test(test_difference), cmocka_unit_test(test_change),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
