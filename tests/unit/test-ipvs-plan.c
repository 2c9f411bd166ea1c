/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <netinet/in.h>

#include "backend/ipvs-plan.h"
#include "make-ipvs.h"

/* A real server: where, weight, and what is seen of it. */
struct real {
	const char *at;
	uint32_t weight, active, inactive, forward;
};
/* A virtual server with real servers; sorted, as lists from the kernel and the compiler are. */
struct spec {
	const char *at;
	enum svc_proto protocol;
	const char *scheduler;
	uint32_t flags, timeout;
	struct real reals[4];
};
#define N_SPECS 5

struct row {
	const char *name;
	struct spec wanted[N_SPECS], seen[N_SPECS];
	const char *owned[N_SPECS], *on_dummy[N_SPECS], *exclude[2];
	const char *plan;
};

static const uint8_t numbers[] = {
	[SVC_TCP] = IPPROTO_TCP, [SVC_UDP] = IPPROTO_UDP, [SVC_SCTP] = IPPROTO_SCTP};

static void read_at(const char *text, struct addr *addr, uint16_t *port)
{
	if (addr_port_parse(text, addr, port) != ADDR_OK)
		fail_msg("'%s'", text);
}

static void print_change(const struct ipvs_change *c, struct strbuf *out)
{
	static const char *const verbs[] = {
		[IPVS_NEW_SERVER] = "+", [IPVS_SET_SERVER] = "=", [IPVS_DEL_SERVER] = "-",
		[IPVS_NEW_DEST] = "+",	 [IPVS_SET_DEST] = "=",	  [IPVS_DEL_DEST] = "-",
	};
	const struct ipvs_server *s = &c->server;
	char text[ADDR_PORT_TEXT_MAX];

	strbuf_addf(out, "%s%s/%s", verbs[c->verb],
		    addr_port_format(&s->key.addr, s->key.port, text),
		    ipvs_protocol_text(s->key.protocol));
	if (c->verb <= IPVS_SET_SERVER)
		strbuf_addf(out, " %s %x %u /%u", s->scheduler, s->flags, s->timeout, s->prefix);
	if (c->verb >= IPVS_NEW_DEST)
		strbuf_addf(out, " %s", addr_port_format(&c->dest.addr, c->dest.port, text));
	if (c->verb >= IPVS_NEW_DEST && c->verb < IPVS_DEL_DEST)
		strbuf_addf(out, " w%u", c->dest.weight);
	strbuf_add(out, "; ");
}

static void print_changes(const char *name, const struct ipvs_changes *c, struct strbuf *out)
{
	if (c->n > 0)
		strbuf_addf(out, "%s: ", name);
	for (size_t i = 0; i < c->n; i++)
		print_change(&c->items[i], out);
}

static size_t count_reals(const struct spec *s)
{
	size_t n = 0;

	while (n < ELEMENTSOF(s->reals) && s->reals[n].at)
		n++;
	return n;
}

/* In arrays of their own size, so that a look beyond the end is found. */
static struct ipvs_virtual *make_wanted(const struct spec *s)
{
	struct ipvs_virtual *v = calloc(1, sizeof(*v));
	size_t n = count_reals(s);
	struct ipvs_real *reals = n > 0 ? calloc(n, sizeof(*reals)) : NULL;

	assert_non_null(v);
	read_at(s->at, &v->addr, &v->port);
	v->protocol = s->protocol;
	v->scheduler = s->scheduler ? s->scheduler : "rr";
	v->flags = s->flags;
	v->timeout = s->timeout;
	for (size_t i = 0; i < n; i++) {
		read_at(s->reals[i].at, &reals[i].addr, &reals[i].port);
		reals[i].weight = s->reals[i].weight;
	}
	v->reals = reals;
	v->n_reals = n;
	return v;
}

static void free_wanted(struct ipvs_virtual *v)
{
	free((void *)(uintptr_t)v->reals);
	free(v);
}

static void make_seen(const struct spec *s, struct ipvs_seen_servers *l)
{
	struct ipvs_seen_server *to = &l->items[l->n++];

	read_at(s->at, &to->server.key.addr, &to->server.key.port);
	to->server.key.protocol = numbers[s->protocol];
	strcpy(to->server.scheduler, s->scheduler ? s->scheduler : "rr");
	to->server.flags = s->flags | IPVS_HASHED;
	to->server.timeout = s->timeout;
	to->server.prefix = 32;
	to->dests.n = to->dests.allocated = count_reals(s);
	to->dests.items = calloc(to->dests.n + 1, sizeof(*to->dests.items));
	assert_non_null(to->dests.items);
	for (size_t i = 0; i < to->dests.n; i++) {
		struct ipvs_dest *d = &to->dests.items[i];

		read_at(s->reals[i].at, &d->addr, &d->port);
		d->weight = s->reals[i].weight;
		d->active = s->reals[i].active;
		d->inactive = s->reals[i].inactive;
		d->forward = s->reals[i].forward;
	}
}

static void check_row(const struct row *row)
{
	const struct ipvs_virtual *wanted[N_SPECS];
	struct ipvs_seen_servers seen = {.items = calloc(N_SPECS, sizeof(*seen.items))};
	struct addr_prefix exclude[2];
	struct prefix_list excluded = {.items = exclude};
	struct addr on_dummy[N_SPECS];
	struct ipvs_owned owned = {.servers = calloc(N_SPECS, sizeof(*owned.servers))};
	struct ipvs_claims claims = {.owned = &owned, .on_dummy = on_dummy, .exclude = &excluded};
	struct ipvs_plan plan = {0};
	struct strbuf out = {0};
	size_t n = 0;

	assert_non_null(seen.items);
	assert_non_null(owned.servers);
	for (; n < N_SPECS && row->wanted[n].at; n++)
		wanted[n] = make_wanted(&row->wanted[n]);
	for (size_t i = 0; i < N_SPECS && row->seen[i].at; i++)
		make_seen(&row->seen[i], &seen);
	for (; owned.n_servers < N_SPECS && row->owned[owned.n_servers]; owned.n_servers++) {
		struct ipvs_key *key = &owned.servers[owned.n_servers];

		read_at(row->owned[owned.n_servers], &key->addr, &key->port);
		key->protocol = IPPROTO_TCP;
	}
	for (size_t i = 0; i < N_SPECS && row->on_dummy[i]; i++)
		on_dummy[claims.n_on_dummy++] = make_addr(row->on_dummy[i]);
	for (size_t i = 0; i < 2 && row->exclude[i]; i++)
		assert_int_equal(addr_prefix_parse(row->exclude[i], &exclude[excluded.n++]),
				 ADDR_OK);

	assert_int_equal(ipvs_plan_servers(wanted, n, seen.items, seen.n, &claims, &plan), 0);
	print_changes("build", &plan.build, &out);
	print_changes("leave", &plan.leave, &out);
	print_changes("remove", &plan.remove, &out);
	assert_int_equal(strbuf_error(&out), 0);
	if (!streq(strbuf_text(&out), row->plan))
		fail_msg("%s: '%s'\nwanted '%s'", row->name, strbuf_text(&out), row->plan);
	strbuf_done(&out);
	ipvs_plan_done(&plan);
	ipvs_owned_done(&owned);
	ipvs_seen_servers_done(&seen);
	while (n > 0)
		free_wanted((struct ipvs_virtual *)(uintptr_t)wanted[--n]);
}

#define A "10.96.0.1:80"
#define B "10.96.0.2:80"
#define C "10.96.0.3:80"
#define R1 "10.1.0.1:8080"
#define R2 "10.1.0.2:8080"
#define R3 "10.1.0.3:8080"
/* Other fields may follow, by name. */
#define REAL(where, ...)                           \
	{                                          \
		.at = where, .weight = __VA_ARGS__ \
	}

static void test_servers(void **state)
{
	static const struct row rows[] = {
		{.name = "nothing", .plan = ""},
		{.name = "all new, real servers after their virtual server",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1), REAL(R2, 3)}}, {.at = B}},
		 .plan = "build: +" A "/tcp rr 0 0 /32; +" A "/tcp " R1 " w1; +" A "/tcp " R2
			 " w3; +" B "/tcp rr 0 0 /32; "},
		{.name = "all there",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1), REAL(R2, 3)}}},
		 .seen = {{.at = A,
			   .reals = {REAL(R1, 1, .active = 5, .inactive = 6), REAL(R2, 3)}}},
		 .plan = ""},
		{.name = "the same address and port in another protocol",
		 .wanted = {{.at = A, .protocol = SVC_UDP}, {.at = A, .protocol = SVC_SCTP}},
		 .seen = {{.at = A}, {.at = A, .protocol = SVC_UDP}},
		 .owned = {A},
		 .plan = "build: +" A "/sctp rr 0 0 /32; remove: -" A "/tcp; "},
		{.name = "scheduler, flags and timeout",
		 .wanted = {{.at = A, .scheduler = "wrr"},
			    {.at = B, .flags = IPVS_FLAG_PERSISTENT, .timeout = 600},
			    {.at = C, .flags = IPVS_FLAG_PERSISTENT, .timeout = 60}},
		 .seen = {{.at = A},
			  {.at = B, .timeout = 600},
			  {.at = C, .flags = IPVS_FLAG_PERSISTENT, .timeout = 61}},
		 .plan = "build: =" A "/tcp wrr 0 0 /32; =" B "/tcp rr 1 600 /32; =" C
			 "/tcp rr 1 60 /32; "},
		{.name = "other forwarding is put right",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1)}}},
		 .seen = {{.at = A,
			   .reals = {REAL(R1, 1, .active = 0, .inactive = 0, .forward = 3)}}},
		 .plan = "build: =" A "/tcp " R1 " w1; "},
		{.name = "weights are put right",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1), REAL(R2, 5), REAL(R3, 0)}}},
		 .seen = {{.at = A,
			   .reals = {REAL(R1, 2), REAL(R2, 1),
				     REAL(R3, 1, .active = 1, .inactive = 1)}}},
		 .plan = "build: =" A "/tcp " R1 " w1; =" A "/tcp " R2 " w5; =" A "/tcp " R3
			 " w0; "},
		{.name = "back while it drains: its weight, never deleted",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1), REAL(R2, 1)}}},
		 .seen = {{.at = A,
			   .reals = {REAL(R1, 0, .active = 3, .inactive = 9), REAL(R2, 1)}}},
		 .plan = "build: =" A "/tcp " R1 " w1; "},
		{.name = "a wanted weight of 0 does not drain",
		 .wanted = {{.at = A, .reals = {REAL(R1, 0)}}},
		 .seen = {{.at = A, .reals = {REAL(R1, 0)}}},
		 .plan = ""},
		{.name = "one comes, one goes: additions first, over all virtual servers",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1), REAL(R3, 1)}},
			    {.at = B, .reals = {REAL(R3, 1)}}},
		 .seen = {{.at = A, .reals = {REAL(R1, 1), REAL(R2, 1, .active = 4)}},
			  {.at = B, .reals = {REAL(R1, 1), REAL(R2, 0, .active = 1)}}},
		 .plan = "build: +" A "/tcp " R3 " w1; +" B "/tcp " R3 " w1; leave: -" A "/tcp " R2
			 "; -" B "/tcp " R1 "; -" B "/tcp " R2 "; "},
		{.name = "only what is ours goes",
		 .wanted = {{.at = B}},
		 .seen = {{.at = A, .reals = {REAL(R1, 1)}}, {.at = B}, {.at = C}},
		 .owned = {A},
		 .plan = "remove: -" A "/tcp; "},
		{.name = "one of others at an address of ours, as a kube-proxy leaves it",
		 .seen = {{.at = A}, {.at = B}, {.at = C}},
		 .on_dummy = {"10.96.0.2"},
		 .plan = "remove: -" B "/tcp; "},
		{.name = "excluded ones stay, also ours",
		 .seen = {{.at = A}, {.at = B}},
		 .owned = {A, B},
		 .on_dummy = {"10.96.0.1", "10.96.0.2"},
		 .exclude = {"10.96.0.0/31"},
		 .plan = "remove: -" B "/tcp; "},
		{.name = "excluded but wanted: taken over",
		 .wanted = {{.at = A, .reals = {REAL(R1, 1)}}},
		 .seen = {{.at = A, .scheduler = "lc", .reals = {REAL(R2, 1)}}},
		 .exclude = {"10.96.0.0/16"},
		 .plan = "build: =" A "/tcp rr 0 0 /32; +" A "/tcp " R1 " w1; leave: -" A "/tcp " R2
			 "; "},
		{.name = "IPv6",
		 .wanted = {{.at = "[fd00:96::1]:80", .reals = {REAL("[fd00:1::1]:8080", 1)}}},
		 .seen = {{.at = "[fd00:96::2]:80"}},
		 .owned = {"[fd00:96::2]:80"},
		 .plan = "build: +[fd00:96::1]:80/tcp rr 0 0 /128; +[fd00:96::1]:80/tcp "
			 "[fd00:1::1]:8080 w1; remove: -[fd00:96::2]:80/tcp; "},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++)
		check_row(&rows[i]);
}

/* The table of spec/ipvs.md section 4.1, from "active, not wanted" on. */
static void test_fate(void **state)
{
	static const struct {
		uint8_t protocol;
		uint32_t weight, active, inactive, persistent;
		enum ipvs_fate fate;
	} rows[] = {
		{IPPROTO_TCP, 1, 0, 0, 0, FATE_DELETE},
		{IPPROTO_TCP, 1, 1, 0, 0, FATE_DRAIN},
		{IPPROTO_TCP, 1, 0, 1, 0, FATE_DRAIN},
		{IPPROTO_TCP, 0, 0, 0, 0, FATE_DELETE},
		{IPPROTO_TCP, 0, 0, 7, 0, FATE_WAIT},
		/* their sum must not wrap */
		{IPPROTO_TCP, 0, UINT32_MAX, 1, 0, FATE_WAIT},
		{IPPROTO_TCP, 1, UINT32_MAX, 1, 0, FATE_DRAIN},
		/* templates of affinity are no connections */
		{IPPROTO_TCP, 1, 0, 0, 4, FATE_DELETE},
		{IPPROTO_UDP, 1, 9, 9, 9, FATE_DELETE},
		{IPPROTO_UDP, 0, 9, 9, 9, FATE_DELETE},
		{IPPROTO_SCTP, 1, 9, 9, 9, FATE_DELETE},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const struct ipvs_dest d = {.weight = rows[i].weight,
					    .active = rows[i].active,
					    .inactive = rows[i].inactive,
					    .persistent = rows[i].persistent};

		if (ipvs_leave_fate(rows[i].protocol, &d) != rows[i].fate)
			fail_msg("row %zu", i);
	}
}

static void test_wants(void **state)
{
	const struct spec spec = {.at = A, .reals = {REAL(R1, 1), REAL(R3, 0)}};
	struct ipvs_virtual *v = make_wanted(&spec);
	static const struct {
		const char *at;
		bool wanted;
	} rows[] = {{R1, true}, {R2, false}, {R3, true}, {"10.1.0.1:8081", false}};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct ipvs_dest d = {0};

		read_at(rows[i].at, &d.addr, &d.port);
		assert_int_equal(ipvs_wants_dest(v, &d), rows[i].wanted);
	}
	free_wanted(v);
	v = make_wanted(&(const struct spec){.at = A});
	assert_false(ipvs_wants_dest(v, &(const struct ipvs_dest){0}));
	free_wanted(v);
}

static void test_addresses(void **state)
{
	static const struct {
		const char *wanted[4], *there[4], *bind, *unbind;
	} rows[] = {
		{{NULL}, {NULL}, "", ""},
		{{"10.0.0.1", "10.0.0.2"}, {NULL}, "10.0.0.1 10.0.0.2 ", ""},
		{{NULL}, {"10.0.0.1", "10.0.0.2"}, "", "10.0.0.1 10.0.0.2 "},
		{{"10.0.0.1", "10.0.0.3"}, {"10.0.0.2", "10.0.0.3"}, "10.0.0.1 ", "10.0.0.2 "},
		{{"fd00::1"}, {"fd00::1", "fd00::2"}, "", "fd00::2 "},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct addr wanted[4], there[4];
		size_t n_wanted = 0, n_there = 0;
		struct ipvs_plan plan = {0};
		struct strbuf out = {0};
		char text[ADDR_TEXT_MAX];

		for (; rows[i].wanted[n_wanted]; n_wanted++)
			wanted[n_wanted] = make_addr(rows[i].wanted[n_wanted]);
		for (; rows[i].there[n_there]; n_there++)
			there[n_there] = make_addr(rows[i].there[n_there]);
		assert_int_equal(ipvs_plan_addresses(wanted, n_wanted, there, n_there, &plan), 0);
		for (size_t k = 0; k < plan.bind.n; k++)
			strbuf_addf(&out, "%s ", addr_format(&plan.bind.items[k], text));
		assert_string_equal(strbuf_text(&out), rows[i].bind);
		strbuf_reset(&out);
		for (size_t k = 0; k < plan.unbind.n; k++)
			strbuf_addf(&out, "%s ", addr_format(&plan.unbind.items[k], text));
		assert_string_equal(strbuf_text(&out), rows[i].unbind);
		strbuf_done(&out);
		ipvs_plan_done(&plan);
	}
}

/* Takes over the services; makes those of one family. */
static struct ipvs_state *state_of(struct service *a, struct service *b,
				   const struct ipvs_state *previous)
{
	struct service *services[2] = {a, b};
	struct view v = make_view(make_settings(), services, b ? 2 : 1);
	struct ipvs_state *s = make_state(&v, ADDR_IPV4, previous);

	view_done(&v);
	return s;
}

static struct service *make_web(const char *key, const char *ip, const char *endpoint)
{
	struct setup s;

	set_up(&s, key);
	s.def.cluster_ips[ADDR_IPV4] = make_addr(ip);
	return make_from(&s, &endpoint, 1);
}

/* Between two states: only what differs, whether objects are shared or only equal. */
static void test_pairs(void **state)
{
	struct ipvs_state *old = state_of(make_web("ns/a", "10.96.0.1", "10.1.0.1:80 r"),
					  make_web("ns/b", "10.96.0.2", "10.1.0.2:80 r"), NULL);
	struct ipvs_state *same = state_of(make_web("ns/a", "10.96.0.1", "10.1.0.1:80 r"),
					   make_web("ns/b", "10.96.0.2", "10.1.0.2:80 r"), NULL);
	struct ipvs_state *new = state_of(make_web("ns/b", "10.96.0.2", "10.1.0.9:80 r"),
					  make_web("ns/c", "10.96.0.3", "10.1.0.3:80 r"), NULL);
	const struct ipvs_key key = ipvs_virtual_key(new->servers[1]);
	struct ipvs_pairs p;

	(void)state;
	memset(&p, 0xa5, sizeof(p));
	assert_int_equal(ipvs_plan_pairs(old, same, &p), 0);
	assert_int_equal(p.n, 0);
	ipvs_pairs_done(&p);
	assert_int_equal(ipvs_plan_pairs(old, old, &p), 0);
	assert_int_equal(p.n, 0);
	ipvs_pairs_done(&p);
	assert_int_equal(ipvs_plan_pairs(old, new, &p), 0);
	assert_int_equal(p.n, 3);
	assert_ptr_equal(p.items[0].old, old->servers[0]);
	assert_null(p.items[0].new);
	assert_ptr_equal(p.items[1].old, old->servers[1]);
	assert_ptr_equal(p.items[1].new, new->servers[0]);
	assert_null(p.items[2].old);
	assert_ptr_equal(p.items[2].new, new->servers[1]);
	ipvs_pairs_done(&p);
	assert_ptr_equal(ipvs_find_virtual(new, &key), new->servers[1]);
	assert_null(ipvs_find_virtual(old, &key));
	ipvs_state_unref(old);
	ipvs_state_unref(same);
	ipvs_state_unref(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_servers), cmocka_unit_test(test_fate),
		cmocka_unit_test(test_wants),	cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
