/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-cast.h"
#include "simulate-iptables.h"

#include <errno.h>
#include <stdio.h>

#include "backend/iptables-plan.h"
#include "backend/plan-jumps.h"

/* ---- the host ---- */

static const char F1_TEXT[] =
	"-m comment --comment \"block incoming localnet connections\" -d 127.0.0.0/8 "
	"! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP";

static char *host_save(struct sim *s)
{
	if (!map_get(s->shown, F1_TEXT))
		assert_int_equal(map_put(s->shown, F1_TEXT,
					 strdup(plan_firewall_rule + strlen("-A KUBE-FIREWALL "))),
				 0);
	return sim_save(s);
}

static void host_look(struct sim *s, struct iptables_seen *ret)
{
	char *text = host_save(s);

	assert_int_equal(iptables_seen_read(text, strlen(text), ret), 0);
	free(text);
}

static void load_plan(struct sim *s, const struct iptables_plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct plan_step *step = &plan->steps[i];

		assert_int_equal(strlen(step->text), step->size);
		if (!sim_load(s, step->text))
			fail_msg("step %zu refused: %s\n%s", i, s->error, step->text);
	}
}

/* What a first sync on an unknown host does. */
static void load_full(struct sim *s, const struct ruleset *rs, const struct plan_options *options)
{
	struct iptables_seen seen;
	struct iptables_plan plan;

	memset(&seen, 0xA5, sizeof(seen));
	memset(&plan, 0xA5, sizeof(plan));
	sim_learn(s, rs);
	host_look(s, &seen);
	assert_int_equal(iptables_plan_make(NULL, rs, &seen, options, &plan), 0);
	load_plan(s, &plan);
	iptables_plan_done(&plan);
	iptables_seen_done(&seen);
}

static char *fresh_save(const struct ruleset *rs)
{
	const struct plan_options options = {0};
	struct sim *s = sim_new();
	char *text;

	load_full(s, rs, &options);
	text = host_save(s);
	sim_free(s);
	return text;
}

static void assert_same(const char *got, const char *wanted, const char *what)
{
	size_t i = 0;

	if (streq(got, wanted))
		return;
	while (got[i] == wanted[i])
		i++;
	while (i > 0 && got[i - 1] != '\n')
		i--;
	fail_msg("%s: got    %.*s\nwanted %.*s", what, (int)strcspn(got + i, "\n"), got + i,
		 (int)strcspn(wanted + i, "\n"), wanted + i);
}

/*
 * At each moment, each service that is in both rulesets must have an answer for its cluster IP: a
 * rule in nat or one in filter. And no service's chain may be half old, half new.
 */
struct watch {
	const struct ruleset *old, *new;
	size_t n_commits;
};

static bool chain_mentions(struct sim *s, enum seen_table t, const char *text)
{
	struct sim_chain *c = sim_find(&s->tables[t], "KUBE-SERVICES");

	for (size_t i = 0; c && i < c->n; i++)
		if (strstr(c->rules[i], text))
			return true;
	return false;
}

static bool chain_is(const struct sim_chain *c, const struct fragment *f, const char *name)
{
	for (size_t i = 0; i < f->n_chains; i++) {
		const struct chain *wanted = &f->chains[i];

		if (!streq(wanted->name, name) || wanted->rules.n != c->n)
			continue;
		for (size_t k = 0; k < c->n; k++) {
			struct strbuf b = {0};
			bool same;

			rule_print(&wanted->rules.items[k], f->service, &b);
			same = streq(strbuf_text(&b), c->rules[k]);
			strbuf_done(&b);
			if (!same)
				return false;
		}
		return true;
	}
	return false;
}

static void watch_commit(struct sim *s, void *userdata)
{
	struct watch *w = userdata;

	w->n_commits++;
	for (size_t i = 0; i < w->new->n_fragments; i++) {
		const struct service *service = w->new->fragments[i]->service;

		if (!world_find(w->old->world, service->key))
			continue;
		for (size_t p = 0; p < service->def->n_ports; p++) {
			char name[SERVICE_PORT_NAME_MAX], text[SERVICE_PORT_NAME_MAX + 2];
			const struct service *old = world_find(w->old->world, service->key);

			if (p >= old->def->n_ports)
				continue;
			(void)snprintf(text, sizeof(text), "\"%s ",
				       service_port_name(service, p, name));
			if (!chain_mentions(s, SEEN_NAT, text) &&
			    !chain_mentions(s, SEEN_FILTER, text))
				fail_msg("commit %zu: %s has no answer", w->n_commits, name);
		}
	}
	for (size_t i = 0; i < s->tables[SEEN_NAT].n; i++) {
		const struct sim_chain *c = &s->tables[SEEN_NAT].chains[i];
		bool known = !chain_is_service_chain(c->name) || c->n == 0;

		for (size_t k = 0; !known && k < w->old->n_fragments; k++)
			known = chain_is(c, w->old->fragments[k], c->name);
		for (size_t k = 0; !known && k < w->new->n_fragments; k++)
			known = chain_is(c, w->new->fragments[k], c->name);
		if (!known)
			fail_msg("commit %zu: %s is neither old nor new", w->n_commits, c->name);
	}
}

/* ---- tests ---- */

static void test_random_partial(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 40; seed++) {
		const struct plan_options options = {.blocks = seed % 2};
		struct random r = {.state = seed * 7919 + 1};
		struct sim *host = sim_new();
		struct ruleset *old;
		struct cast c;

		cast_init(&c, &r);
		old = cast_compile(&c, ADDR_IPV4, NULL);
		load_full(host, old, &options);
		for (unsigned step = 0; step < 25; step++) {
			struct iptables_plan plan;
			char *got, *wanted, what[64];
			struct ruleset *new;
			struct watch w;

			cast_change(&c, &r);
			new = cast_compile(&c, ADDR_IPV4, old);
			memset(&plan, 0xA5, sizeof(plan));
			assert_int_equal(iptables_plan_make(old, new, NULL, &options, &plan), 0);
			assert_true(plan.n_steps <= 3);
			w = (struct watch){.old = old, .new = new};
			host->committed = watch_commit;
			host->userdata = &w;
			load_plan(host, &plan);
			host->committed = NULL;
			iptables_plan_done(&plan);
			sim_learn(host, new);

			got = host_save(host);
			wanted = fresh_save(new);
			(void)snprintf(what, sizeof(what), "seed %u step %u", seed, step);
			assert_same(got, wanted, what);
			free(got);
			free(wanted);
			ruleset_unref(old);
			old = new;
		}
		ruleset_unref(old);
		cast_done(&c);
		sim_free(host);
	}
}

/* A host with the rules of an earlier run of other files, not known to this one. */
static void test_random_unknown(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		const struct plan_options options = {.blocks = seed % 2};
		struct random r = {.state = seed * 104729 + 5};
		struct sim *host = sim_new();
		struct ruleset *old, *new;
		struct iptables_seen seen;
		struct iptables_plan plan;
		char *got, *wanted, what[64];
		struct watch w;
		struct cast c;

		cast_init(&c, &r);
		old = cast_compile(&c, ADDR_IPV4, NULL);
		load_full(host, old, &options);
		for (unsigned i = 0; i < 6; i++)
			cast_change(&c, &r);
		new = cast_compile(&c, ADDR_IPV4, NULL);

		sim_learn(host, new);
		host_look(host, &seen);
		assert_int_equal(iptables_plan_make(NULL, new, &seen, &options, &plan), 0);
		for (size_t i = 1; i < plan.n_steps; i++) /* filter, nat, filter, or some of them */
			assert_int_not_equal(plan.steps[i].table, plan.steps[i - 1].table);
		w = (struct watch){.old = old, .new = new};
		host->committed = watch_commit;
		host->userdata = &w;
		load_plan(host, &plan);
		host->committed = NULL;

		got = host_save(host);
		wanted = fresh_save(new);
		(void)snprintf(what, sizeof(what), "seed %u", seed);
		assert_same(got, wanted, what);
		free(got);
		free(wanted);
		iptables_plan_done(&plan);
		iptables_seen_done(&seen);
		/* Now all is there: nothing to write. */
		host_look(host, &seen);
		assert_int_equal(iptables_plan_make(NULL, new, &seen, &options, &plan), 0);
		if (plan.n_steps != 0)
			fail_msg("%s", plan.steps[0].text);
		iptables_plan_done(&plan);
		iptables_seen_done(&seen);
		ruleset_unref(old);
		ruleset_unref(new);
		cast_done(&c);
		sim_free(host);
	}
}

static void test_nothing_to_do(void **state)
{
	const struct plan_options options = {.blocks = true};
	struct random r = {.state = 3};
	struct iptables_plan plan;
	struct ruleset *a, *b;
	struct cast c;

	(void)state;
	cast_init(&c, &r);
	a = cast_compile(&c, ADDR_IPV4, NULL);
	b = cast_compile(&c, ADDR_IPV4, NULL); /* equal, but shares no fragment */
	memset(&plan, 0xA5, sizeof(plan));
	assert_int_equal(iptables_plan_make(a, b, NULL, &options, &plan), 0);
	assert_int_equal(plan.n_steps, 0);
	assert_int_equal(plan.n_chains, 0);
	assert_int_equal(plan.n_rules, 0);
	assert_int_equal(plan.n_stale, 0);
	iptables_plan_done(&plan);
	memset(&plan, 0xA5, sizeof(plan));
	assert_int_equal(iptables_plan_make(NULL, b, NULL, &options, &plan), -EINVAL);
	assert_int_equal(((const unsigned char *)&plan)[0], 0xA5);
	ruleset_unref(a);
	ruleset_unref(b);
	cast_done(&c);
}

/* One service among others changes its endpoints: its chains, and nothing else. */
static void test_cost(void **state)
{
	static const struct {
		const char *before, *after;
		size_t n_steps, n_chains, n_rules, n_stale;
	} cases[] = {
		/* one endpoint more: SVC written, SEP new */
		{"10.1.0.1:80 r", "10.1.0.1:80 r|10.1.0.2:80 r", 1, 2, 5, 0},
		/* another: SVC written, SEP new, SEP deleted (its chain line counts) */
		{"10.1.0.1:80 r", "10.1.0.2:80 r", 1, 3, 4, 1},
		/* the last goes: REJECT comes, then B1 and both chains go */
		{"10.1.0.1:80 r", "", 2, 2, 1, 2},
		/* the first comes: B1 and chains, then REJECT goes */
		{"", "10.1.0.1:80 r", 2, 2, 5, 0},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const struct plan_options options = {0};
		struct random r = {.state = 9};
		struct ruleset *rs[2];
		struct iptables_plan plan;
		struct cast c;

		cast_init(&c, &r);
		c.services[4] = service_unref(c.services[4]);
		for (size_t k = 0; k < 2; k++) {
			struct service_port port = {.name = (char *)(uintptr_t) "p", .port = 80};
			struct service_def def = {
				.key = (char *)(uintptr_t) "ns1/svc4",
				.ports = &port,
				.n_ports = 1,
				.has_cluster_ip = {true, false},
				.cluster_ips = {make_addr("10.96.0.5")},
			};
			char *copy = strdup(k ? cases[i].after : cases[i].before), *at = copy,
			     *word;

			service_unref(c.services[4]);
			c.services[4] = make_service(&def);
			while ((word = strsep(&at, "|")))
				if (word[0])
					give_endpoint(c.services[4], 0, word);
			free(copy);
			rs[k] = cast_compile(&c, ADDR_IPV4, k ? rs[0] : NULL);
		}
		assert_int_equal(iptables_plan_make(rs[0], rs[1], NULL, &options, &plan), 0);
		if (plan.n_steps != cases[i].n_steps || plan.n_chains != cases[i].n_chains ||
		    plan.n_rules != cases[i].n_rules || plan.n_stale != cases[i].n_stale)
			fail_msg("case %zu: %zu steps, %zu chains, %zu rules, %zu stale\n%s", i,
				 plan.n_steps, plan.n_chains, plan.n_rules, plan.n_stale,
				 plan.steps[0].text);
		iptables_plan_done(&plan);
		ruleset_unref(rs[0]);
		ruleset_unref(rs[1]);
		cast_done(&c);
	}
}

/* Jumps: found, missing ones put in, copies taken away, foreign rules where they were. */
static void test_jumps(void **state)
{
	static const struct {
		enum seen_table table;
		const char *chain;
		const char *before[7], *after[8];
	} cases[] = {
#define S "-m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES"
#define M "-m comment --comment \"kubernetes postrouting rules\" -j KUBE-POSTROUTING"
#define F "-j KUBE-FIREWALL"
#define L                                                                                        \
	"-m conntrack --ctstate NEW -m comment --comment \"kubernetes load balancer firewall\" " \
	"-j KUBE-PROXY-FIREWALL"
#define P "-m conntrack --ctstate NEW " S
		{SEEN_NAT, "PREROUTING", {NULL}, {S}},
		{SEEN_NAT, "PREROUTING", {"-j LOG"}, {S, "-j LOG"}},
		{SEEN_NAT, "PREROUTING", {"-j LOG", S}, {"-j LOG", S}},
		{SEEN_NAT, "PREROUTING", {"-j LOG", S, "-j DROP", S, S}, {"-j LOG", S, "-j DROP"}},
		/* not ours word for word: someone else's */
		{SEEN_NAT, "PREROUTING", {"-j KUBE-SERVICES"}, {S, "-j KUBE-SERVICES"}},
		{SEEN_NAT, "POSTROUTING", {M, "-j LOG", M}, {M, "-j LOG"}},
		{SEEN_FILTER, "OUTPUT", {NULL}, {F, L, P}},
		{SEEN_FILTER, "OUTPUT", {"-j LOG", L}, {F, P, "-j LOG", L}},
		/* two kinds of copies between each other and foreign rules */
		{SEEN_FILTER, "OUTPUT", {P, "-j LOG", L, P, L, F}, {P, "-j LOG", L, F}},
		{SEEN_FILTER, "OUTPUT", {"-j LOG", P, P, L, L, F}, {"-j LOG", P, L, F}},
		{SEEN_FILTER, "OUTPUT", {P, L, P, F, L, F}, {P, L, F}},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const struct plan_options options = {.blocks = i % 2};
		struct random r = {.state = i};
		struct sim *host = sim_new();
		const struct sim_chain *chain;
		struct ruleset *rs;
		struct cast c;

		cast_init(&c, &r);
		rs = cast_compile(&c, ADDR_IPV4, NULL);
		for (size_t k = 0; k < n_ruleset_jumps; k++)
			sim_give_rule(host, plan_seen_table(ruleset_jumps[k].table),
				      ruleset_jumps[k].target, NULL);
		for (size_t k = 0; cases[i].before[k]; k++)
			sim_give_rule(host, cases[i].table, cases[i].chain, cases[i].before[k]);
		for (unsigned times = 0; times < 2; times++) {
			load_full(host, rs, &options);
			chain = sim_find(&host->tables[cases[i].table], cases[i].chain);
			for (size_t k = 0; k < ELEMENTSOF(cases[i].after); k++) {
				const char *got = k < chain->n ? chain->rules[k] : NULL;

				if (!cases[i].after[k] != !got ||
				    (got && !streq(got, cases[i].after[k])))
					fail_msg("case %zu, rule %zu: '%s'", i, k + 1,
						 got ? got : "(none)");
				if (!got)
					break;
			}
		}
		ruleset_unref(rs);
		cast_done(&c);
		sim_free(host);
	}
}

/* Chains nobody wants, one of them held by a foreign rule (W2). */
static void test_held_chain(void **state)
{
	static const struct {
		const char *chain, *rule;
		bool keep; /* asked for */
		bool held;
	} cases[] = {
		{"OUTPUT", "-p tcp -j KUBE-SVC-AAAAAAAAAAAAAAAA", false, true},
		{"MINE", "-p tcp -m comment --comment \"x -j ACCEPT\" -g KUBE-SVC-AAAAAAAAAAAAAAAA",
		 false, true},
		{"MINE", "-p tcp -m comment --comment \"-j KUBE-SVC-AAAAAAAAAAAAAAAA \" -j ACCEPT",
		 false, false},
		{"KUBE-ROUTER", "-j KUBE-SVC-AAAAAAAAAAAAAAAA", false, true},
		{"KUBE-EXT-AAAAAAAAAAAAAAAA", "-j KUBE-SVC-AAAAAAAAAAAAAAAA", false, false},
		{"MINE", "-j ACCEPT", true, true},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases) * 2; i++) {
		const struct plan_options options = {.blocks = i % 2,
						     .keep_stale = cases[i / 2].keep};
		bool held = cases[i / 2].held;
		struct random r = {.state = i};
		struct sim *host = sim_new();
		struct iptables_seen seen;
		struct iptables_plan plan;
		struct sim_chain *chain;
		struct ruleset *rs;
		struct cast c;

		cast_init(&c, &r);
		rs = cast_compile(&c, ADDR_IPV4, NULL);
		sim_give_rule(host, SEEN_NAT, "KUBE-SVC-AAAAAAAAAAAAAAAA",
			      "-j KUBE-SEP-AAAAAAAAAAAAAAAA");
		sim_give_rule(host, SEEN_NAT, "KUBE-SEP-AAAAAAAAAAAAAAAA", "-j ACCEPT");
		/* In filter the prefix means nothing. */
		sim_give_rule(host, SEEN_FILTER, "KUBE-SVC-AAAAAAAAAAAAAAAA", "-j ACCEPT");
		sim_give_rule(host, SEEN_NAT, cases[i / 2].chain, cases[i / 2].rule);
		host_look(host, &seen);
		assert_int_equal(iptables_plan_make(NULL, rs, &seen, &options, &plan), 0);
		load_plan(host, &plan);

		chain = sim_find(&host->tables[SEEN_NAT], "KUBE-SVC-AAAAAAAAAAAAAAAA");
		assert_int_equal(chain != NULL, held);
		if (held) {
			assert_int_equal(sim_count(host, SEEN_NAT, "KUBE-SVC-AAAAAAAAAAAAAAAA"), 0);
			assert_true(plan.kept.n >= 1);
			if (!options.keep_stale) {
				assert_int_equal(plan.kept.n, 1);
				assert_string_equal(plan.kept.items[0].chain,
						    "KUBE-SVC-AAAAAAAAAAAAAAAA");
				assert_non_null(strstr(plan.kept.items[0].rule, cases[i / 2].rule));
			} else
				assert_null(plan.kept.items[0].rule);
		} else
			assert_int_equal(plan.kept.n, 0);
		assert_int_equal(sim_find(&host->tables[SEEN_NAT], "KUBE-SEP-AAAAAAAAAAAAAAAA") !=
					 NULL,
				 options.keep_stale);
		assert_int_equal(sim_count(host, SEEN_FILTER, "KUBE-SVC-AAAAAAAAAAAAAAAA"), 1);
		iptables_plan_done(&plan);
		iptables_seen_done(&seen);
		ruleset_unref(rs);
		cast_done(&c);
		sim_free(host);
	}
}

/* KUBE-FIREWALL on an unknown host: ours is emptied when it is not wanted, a shared one is left
 * alone. */
static void test_firewall(void **state)
{
	static const struct {
		const char *rules[2];
		const char *other_chain; /* in mangle */
		bool wanted;
		size_t n_after;
	} cases[] = {
		{{F1_TEXT}, NULL, false, 0},
		{{F1_TEXT}, "KUBE-KUBELET-CANARY", false, 1},
		{{F1_TEXT}, "KUBE-IPTABLES-HINT", false, 1},
		{{"-j ACCEPT"}, NULL, false, 1},
		{{F1_TEXT, "-j ACCEPT"}, NULL, false, 2},
		{{F1_TEXT, "-j ACCEPT"}, NULL, true, 1},
		{{NULL}, NULL, true, 1},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const struct plan_options options = {0};
		struct random r = {.state = i};
		struct sim *host = sim_new();
		struct ruleset *rs;
		struct cast c;

		cast_init(&c, &r);
		c.localhost_node_ports = cases[i].wanted;
		rs = cast_compile(&c, ADDR_IPV4, NULL);
		sim_give_rule(host, SEEN_FILTER, "KUBE-FIREWALL", NULL);
		sim_give_rule(host, SEEN_FILTER, "KUBE-FORWARD", NULL);
		for (size_t k = 0; k < 2 && cases[i].rules[k]; k++)
			sim_give_rule(host, SEEN_FILTER, "KUBE-FIREWALL", cases[i].rules[k]);
		if (cases[i].other_chain)
			sim_give_rule(host, SEEN_MANGLE, cases[i].other_chain, NULL);
		load_full(host, rs, &options);
		assert_int_equal(sim_count(host, SEEN_FILTER, "KUBE-FIREWALL"), cases[i].n_after);
		ruleset_unref(rs);
		cast_done(&c);
		sim_free(host);
	}
}

/* ---- many services ---- */

static struct ruleset *many_compile(size_t n, char suffix, const struct ruleset *previous)
{
	struct service **services = calloc(n, sizeof(struct service *));
	const struct kernel_facts facts = {0};
	struct ruleset *rs = NULL;
	struct view v;

	assert_non_null(services);
	for (size_t i = 0; i < n; i++) {
		struct service_port port = {.name = (char *)(uintptr_t) "p", .port = 80};
		char key[32], text[64];
		struct service_def def = {
			.key = key, .ports = &port, .n_ports = 1, .has_cluster_ip = {true, false}};

		(void)snprintf(key, sizeof(key), "ns/s%04zu%c", i, suffix);
		(void)snprintf(text, sizeof(text), "10.96.%zu.%zu", i / 250, i % 250 + 1);
		def.cluster_ips[ADDR_IPV4] = make_addr(text);
		services[i] = make_service(&def);
		(void)snprintf(text, sizeof(text), "10.1.%zu.%zu:80 r", i / 250, i % 250 + 1);
		give_endpoint(services[i], 0, text);
	}
	v.world = make_world(make_settings(), services, n);
	v.addrs = make_addrs(NULL, 0, NULL, NULL);
	assert_int_equal(ruleset_compile(&v, ADDR_IPV4, &facts, previous, &rs), 0);
	world_unref(v.world);
	local_addrs_unref(v.addrs);
	free(services);
	return rs;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text += strlen(what);
	}
	return n;
}

static void test_blocks(void **state)
{
	const struct plan_options options = {.blocks = true}, whole = {0};
	struct ruleset *a = many_compile(600, 'a', NULL), *b = many_compile(600, 'b', NULL);
	struct sim *host = sim_new();
	struct iptables_seen seen = {0};
	struct iptables_plan plan;
	char *got, *wanted;
	struct watch w = {.old = a, .new = b};

	(void)state;
	assert_int_equal(iptables_plan_make(NULL, a, &seen, &options, &plan), 0);
	assert_int_equal(plan.n_steps, 2);
	/* base, 250, 250, 100 services with their rules of KUBE-SERVICES, which is new; its end */
	assert_int_equal(count(plan.steps[1].text, "COMMIT\n"), 5);
	got = strrchr(plan.steps[1].text, '*');
	assert_int_equal(count(got, "\n:KUBE-"), 0);
	assert_int_equal(count(got, "\n-A KUBE-SERVICES "), 1);
	assert_int_equal(count(plan.steps[1].text, "\n-A KUBE-SERVICES "), 601);
	load_plan(host, &plan);
	iptables_plan_done(&plan);
	sim_learn(host, a);

	/* all services replaced by others: new ones in, dispatch, old ones out */
	assert_int_equal(iptables_plan_make(a, b, NULL, &options, &plan), 0);
	assert_int_equal(plan.n_steps, 1);
	assert_int_equal(plan.n_stale, 1200);
	assert_int_equal(count(plan.steps[0].text, "COMMIT\n"), 5);
	assert_int_equal(count(plan.steps[0].text, "\n-A KUBE-SERVICES "), 601);
	host->committed = watch_commit;
	host->userdata = &w;
	load_plan(host, &plan);
	host->committed = NULL;
	iptables_plan_done(&plan);
	sim_learn(host, b);
	got = host_save(host);
	wanted = fresh_save(b);
	assert_same(got, wanted, "replaced");
	free(got);
	free(wanted);

	/* the same over a host whose state is not known: what is there is left alone */
	sim_learn(host, b);
	host_look(host, &seen);
	assert_int_equal(iptables_plan_make(NULL, b, &seen, &options, &plan), 0);
	assert_int_equal(plan.n_steps, 0);
	iptables_plan_done(&plan);
	iptables_seen_done(&seen);
	/* one rule too many in KUBE-SERVICES, one chain spoilt: these two are written */
	sim_give_rule(host, SEEN_NAT, "KUBE-SERVICES", "-j ACCEPT");
	sim_empty(host, SEEN_NAT, b->fragments[7]->chains[0].name);
	host_look(host, &seen);
	assert_int_equal(iptables_plan_make(NULL, b, &seen, &options, &plan), 0);
	assert_int_equal(plan.n_steps, 1);
	assert_int_equal(plan.n_chains, 2);
	assert_int_equal(plan.n_rules, 602);
	load_plan(host, &plan);
	iptables_plan_done(&plan);
	iptables_seen_done(&seen);
	got = host_save(host);
	wanted = fresh_save(b);
	assert_same(got, wanted, "repaired");
	free(got);
	free(wanted);

	/* where nothing is what it should be: KUBE-SERVICES is emptied and filled in one block */
	host_look(host, &seen);
	assert_int_equal(iptables_plan_make(NULL, a, &seen, &options, &plan), 0);
	got = strstr(plan.steps[plan.n_steps - 1].text, "\n:KUBE-SERVICES ");
	assert_non_null(got);
	wanted = strndup(got, (size_t)(strstr(got, "COMMIT\n") - got));
	assert_non_null(wanted);
	assert_int_equal(count(wanted, "\n-A KUBE-SERVICES "), 601);
	free(wanted);
	iptables_plan_done(&plan);
	iptables_seen_done(&seen);

	/* legacy: one transaction */
	assert_int_equal(iptables_plan_make(b, a, NULL, &whole, &plan), 0);
	assert_int_equal(count(plan.steps[0].text, "COMMIT\n"), 1);
	load_plan(host, &plan);
	iptables_plan_done(&plan);
	got = host_save(host);
	wanted = fresh_save(a);
	assert_same(got, wanted, "back");
	free(got);
	free(wanted);
	sim_free(host);
	ruleset_unref(a);
	ruleset_unref(b);
}

/* Up to PLAN_MAX_EDITS rules of a dispatch chain are named, more have it written anew. */
static void test_edits(void **state)
{
	static const struct {
		size_t before, after;
		size_t n_inserts, n_deletes, n_written;
	} cases[] = {
		{100, 101, 1, 0, 0},
		{100, 99, 0, 1, 0},
		{100, 100 + PLAN_MAX_EDITS, PLAN_MAX_EDITS, 0, 0},
		{100, 101 + PLAN_MAX_EDITS, 0, 0, 102 + PLAN_MAX_EDITS},
		{100 + PLAN_MAX_EDITS, 100, 0, PLAN_MAX_EDITS, 0},
		{101 + PLAN_MAX_EDITS, 100, 0, 0, 101},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
		const struct plan_options options = {.blocks = true};
		struct ruleset *a = many_compile(cases[i].before, 'x', NULL);
		struct ruleset *b = many_compile(cases[i].after, 'x', a);
		struct iptables_plan plan;

		assert_int_equal(iptables_plan_make(a, b, NULL, &options, &plan), 0);
		assert_int_equal(plan.n_steps, 1);
		assert_int_equal(count(plan.steps[0].text, "\n-I KUBE-SERVICES "),
				 cases[i].n_inserts);
		assert_int_equal(count(plan.steps[0].text, "\n-D KUBE-SERVICES "),
				 cases[i].n_deletes);
		assert_int_equal(count(plan.steps[0].text, "\n-A KUBE-SERVICES "),
				 cases[i].n_written);
		iptables_plan_done(&plan);
		ruleset_unref(a);
		ruleset_unref(b);
	}
}

/* ---- clean-up ---- */

static void load_cleanup(struct sim *s, struct cleanup_plan *ret)
{
	struct iptables_seen seen;

	host_look(s, &seen);
	memset(ret, 0xA5, sizeof(*ret));
	assert_int_equal(iptables_plan_cleanup(&seen, ADDR_IPV4, ret), 0);
	for (size_t i = 0; i < ELEMENTSOF(ret->texts); i++)
		if (ret->texts[i]) {
			assert_int_equal(strlen(ret->texts[i]), ret->sizes[i]);
			if (!sim_load(s, ret->texts[i]))
				fail_msg("clean-up %zu refused: %s", i, s->error);
		}
	iptables_seen_done(&seen);
}

static void give_foreign(struct sim *s)
{
	sim_give_rule(s, SEEN_FILTER, "INPUT", "-p tcp -j ACCEPT");
	sim_give_rule(s, SEEN_FILTER, "KUBE-SVC-AAAAAAAAAAAAAAAA", "-j ACCEPT");
	sim_give_rule(s, SEEN_FILTER, "KUBE-ROUTER-INPUT", "-j ACCEPT");
	sim_give_rule(s, SEEN_FILTER, "INPUT", "-j KUBE-ROUTER-INPUT");
	sim_give_rule(s, SEEN_NAT, "DOCKER", "-j RETURN");
	sim_give_rule(s, SEEN_NAT, "PREROUTING", "-j DOCKER");
	sim_give_rule(s, SEEN_MANGLE, "FORWARD", "-j LOG");
}

static void test_cleanup(void **state)
{
	const struct plan_options options = {0};

	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		struct random r = {.state = seed + 77};
		struct sim *host = sim_new(), *bare = sim_new();
		struct cleanup_plan plan;
		struct ruleset *rs;
		char *got, *wanted;
		struct cast c;

		cast_init(&c, &r);
		c.localhost_node_ports = seed % 2;
		rs = cast_compile(&c, ADDR_IPV4, NULL);
		give_foreign(host);
		give_foreign(bare);
		load_full(host, rs, &options);
		for (int t = 0; t < _SEEN_TABLE_MAX; t++) /* kube-proxy's */
			sim_give_rule(host, (enum seen_table)t, "KUBE-PROXY-CANARY", NULL);
		/* second copies, below foreign rules */
		for (size_t i = 0; i < n_ruleset_jumps; i++)
			sim_give_rule(host, plan_seen_table(ruleset_jumps[i].table),
				      ruleset_jumps[i].chain,
				      strchr(ruleset_jumps[i].saved + 3, ' ') + 1);
		load_cleanup(host, &plan);
		assert_int_equal(plan.kept.n, 0);
		cleanup_plan_done(&plan);
		got = host_save(host);
		wanted = host_save(bare);
		assert_same(got, wanted, "after clean-up");
		free(got);
		free(wanted);
		/* again: nothing to do */
		load_cleanup(host, &plan);
		for (size_t i = 0; i < ELEMENTSOF(plan.texts); i++)
			assert_null(plan.texts[i]);
		cleanup_plan_done(&plan);
		ruleset_unref(rs);
		cast_done(&c);
		sim_free(host);
		sim_free(bare);
	}
}

static void test_cleanup_held(void **state)
{
	const struct plan_options options = {0};
	struct random r = {.state = 1};
	struct sim *host = sim_new();
	struct cleanup_plan plan;
	struct ruleset *rs;
	struct cast c;

	(void)state;
	cast_init(&c, &r);
	rs = cast_compile(&c, ADDR_IPV4, NULL);
	load_full(host, rs, &options);
	sim_give_rule(host, SEEN_NAT, "MINE", "-j KUBE-MARK-MASQ");
	sim_give_rule(host, SEEN_FILTER, "FORWARD", "-i eth9 -j KUBE-FORWARD");
	/* a kubelet shares KUBE-FIREWALL */
	sim_give_rule(host, SEEN_MANGLE, "KUBE-KUBELET-CANARY", NULL);
	load_cleanup(host, &plan);
	assert_int_equal(plan.kept.n, 2);
	assert_string_equal(plan.kept.items[0].chain, "KUBE-MARK-MASQ");
	assert_string_equal(plan.kept.items[0].rule, "-A MINE -j KUBE-MARK-MASQ");
	assert_string_equal(plan.kept.items[1].chain, "KUBE-FORWARD");
	cleanup_plan_done(&plan);
	assert_int_equal(sim_count(host, SEEN_NAT, "KUBE-MARK-MASQ"), 0);
	assert_int_equal(sim_count(host, SEEN_FILTER, "KUBE-FORWARD"), 0);
	/* PREROUTING, INPUT, OUTPUT, POSTROUTING, MINE, KUBE-MARK-MASQ */
	assert_int_equal(host->tables[SEEN_NAT].n, 6);
	/* three built-in ones, KUBE-FORWARD, KUBE-FIREWALL with its jumps and content */
	assert_int_equal(host->tables[SEEN_FILTER].n, 5);
	assert_int_equal(sim_count(host, SEEN_FILTER, "KUBE-FIREWALL"), 1);
	assert_int_equal(sim_count(host, SEEN_FILTER, "INPUT"), 1);
	assert_int_equal(host->tables[SEEN_MANGLE].n, 6);
	ruleset_unref(rs);
	cast_done(&c);
	sim_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_partial), cmocka_unit_test(test_random_unknown),
		cmocka_unit_test(test_nothing_to_do),  cmocka_unit_test(test_cost),
		cmocka_unit_test(test_jumps),	       cmocka_unit_test(test_held_chain),
		cmocka_unit_test(test_firewall),       cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_edits),	       cmocka_unit_test(test_cleanup),
		cmocka_unit_test(test_cleanup_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
