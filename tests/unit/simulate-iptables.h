/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * A model of what iptables-restore --noflush does to a host, as strict as the kernel: chains that
 * are pointed at must exist, and are not deleted while a rule points at them. Rules are kept as the
 * text they came with.
 */

#include <stdio.h>

#include "kernel/iptables-save.h"
#include "make-world.h"
#include "rules/rule-saved.h"
#include "rules/ruleset.h"

struct sim_chain {
	char name[64];
	bool built_in;
	char **rules;
	size_t n;
};
struct sim_table {
	struct sim_chain chains[8000];
	size_t n;
};
struct sim {
	struct sim_table tables[_SEEN_TABLE_MAX];
	struct map *shown; /* input text of a rule -> how a save prints it; others are printed as
			      they came */
	char error[400];   /* of the last load; "" when it was taken */
	/* Called after each COMMIT. */
	void (*committed)(struct sim *s, void *userdata);
	void *userdata;
};

static const char *const sim_table_names[_SEEN_TABLE_MAX] = {"filter", "nat", "mangle"};

static inline struct sim_chain *sim_find(struct sim_table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (streq(t->chains[i].name, name))
			return &t->chains[i];
	return NULL;
}

/* One that must be there; SIZE_MAX when it is not, which no test wants. */
static inline size_t sim_count(struct sim *s, enum seen_table t, const char *name)
{
	const struct sim_chain *c = sim_find(&s->tables[t], name);

	return c ? c->n : SIZE_MAX;
}

static inline struct sim_chain *sim_add_chain(struct sim_table *t, const char *name, bool built_in)
{
	struct sim_chain *c = &t->chains[t->n++];

	assert_true(t->n <= ELEMENTSOF(t->chains));
	assert_true(strlen(name) < sizeof(c->name));
	*c = (struct sim_chain){.built_in = built_in};
	strcpy(c->name, name);
	return c;
}

static inline struct sim *sim_new(void)
{
	static const char *const built_in[_SEEN_TABLE_MAX][6] = {
		{"INPUT", "FORWARD", "OUTPUT"},
		{"PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"},
		{"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"},
	};
	struct sim *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	for (int t = 0; t < _SEEN_TABLE_MAX; t++)
		for (size_t i = 0; built_in[t][i]; i++)
			(void)sim_add_chain(&s->tables[t], built_in[t][i], true);
	assert_int_equal(map_new(&s->shown), 0);
	return s;
}

static inline void sim_flush(struct sim_chain *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->rules[i]);
	free(c->rules);
	c->rules = NULL;
	c->n = 0;
}

static inline void sim_empty(struct sim *s, enum seen_table t, const char *name)
{
	struct sim_chain *c = sim_find(&s->tables[t], name);

	assert_non_null(c);
	if (c)
		sim_flush(c);
}

static inline void sim_free(struct sim *s)
{
	for (int t = 0; t < _SEEN_TABLE_MAX; t++)
		for (size_t i = 0; i < s->tables[t].n; i++)
			sim_flush(&s->tables[t].chains[i]);
	(void)map_free_values(s->shown, free);
	free(s);
}

static inline void sim_insert(struct sim_chain *c, size_t position, const char *rule)
{
	assert_true(position >= 1 && position <= c->n + 1);
	c->rules = realloc(c->rules, (c->n + 1) * sizeof(*c->rules));
	assert_non_null(c->rules);
	memmove(c->rules + position, c->rules + position - 1,
		(c->n + 1 - position) * sizeof(*c->rules));
	c->rules[position - 1] = strdup(rule);
	assert_non_null(c->rules[position - 1]);
	c->n++;
}

static inline void sim_remove(struct sim_chain *c, size_t position)
{
	free(c->rules[position - 1]);
	c->n--;
	memmove(c->rules + position - 1, c->rules + position,
		(c->n + 1 - position) * sizeof(*c->rules));
}

static inline size_t sim_find_rule(const struct sim_chain *c, const char *rule)
{
	for (size_t i = 0; i < c->n; i++)
		if (streq(c->rules[i], rule))
			return i + 1;
	return 0;
}

/* A foreign rule, or one that stands for an earlier run. */
static inline void sim_give_rule(struct sim *s, enum seen_table t, const char *chain,
				 const char *rule)
{
	struct sim_chain *c = sim_find(&s->tables[t], chain);

	if (!c)
		c = sim_add_chain(&s->tables[t], chain, false);
	if (rule)
		sim_insert(c, c->n + 1, rule);
}

static inline bool sim_is_target(const char *name)
{
	static const char *const targets[] = {"ACCEPT", "DROP",	      "REJECT", "RETURN",
					      "MARK",	"MASQUERADE", "DNAT",	"LOG"};

	for (size_t i = 0; i < ELEMENTSOF(targets); i++)
		if (streq(name, targets[i]))
			return true;
	return false;
}

static inline bool sim_points_at(const struct sim_chain *c, const char *name)
{
	char target[64];

	for (size_t i = 0; i < c->n; i++)
		if (iptables_rule_target(c->rules[i], target, sizeof(target)) &&
		    streq(target, name))
			return true;
	return false;
}

/* NULL, or what is wrong with the line. */
static inline const char *sim_line(struct sim_table *t, char *line)
{
	char target[64], *name, *rest, *space;
	struct sim_chain *c;
	size_t position;

	if (line[0] == ':') {
		name = line + 1;
		rest = strchr(name, ' ');
		if (!rest || !streq(rest, " - [0:0]"))
			return "bad chain line";
		*rest = '\0';
		c = sim_find(t, name);
		if (c && c->built_in)
			return "chain line of a built-in chain";
		if (c)
			sim_flush(c);
		else
			(void)sim_add_chain(t, name, false);
		return NULL;
	}
	if (line[0] != '-' || !strchr("AIDX", line[1]) || line[2] != ' ')
		return "unknown command";
	name = line + 3;
	rest = strchr(name, ' ');
	if (rest)
		*rest++ = '\0';
	c = sim_find(t, name);
	if (!c)
		return "no such chain";
	if (line[1] == 'X') {
		if (c->built_in || c->n > 0)
			return "chain is not empty";
		for (size_t i = 0; i < t->n; i++)
			if (sim_points_at(&t->chains[i], name))
				return "chain is pointed at";
		sim_flush(c);
		*c = t->chains[--t->n];
		return NULL;
	}
	if (!rest)
		return "no rule";
	position = line[1] == 'I' ? 1 : c->n + 1;
	if (line[1] == 'I' && rest[0] >= '0' && rest[0] <= '9') {
		position = 0;
		for (; *rest >= '0' && *rest <= '9'; rest++)
			position = position * 10 + (size_t)(*rest - '0');
		rest++;
		if (position == 0 || position > c->n + 1)
			return "no such position";
	}
	if (line[1] == 'D') {
		position = sim_find_rule(c, rest);
		if (position == 0)
			return "no such rule";
		sim_remove(c, position);
		return NULL;
	}
	space = strstr(rest, "  ");
	if (space)
		return "two blanks";
	if (iptables_rule_target(rest, target, sizeof(target)) && !sim_is_target(target) &&
	    !sim_find(t, target))
		return "no such target";
	sim_insert(c, position, rest);
	return NULL;
}

static inline struct sim_table sim_copy(const struct sim_table *t)
{
	struct sim_table copy = *t;

	for (size_t i = 0; i < t->n; i++) {
		copy.chains[i].rules = NULL;
		copy.chains[i].n = 0;
		for (size_t k = 0; k < t->chains[i].n; k++)
			sim_insert(&copy.chains[i], k + 1, t->chains[i].rules[k]);
	}
	return copy;
}

static inline void sim_restore(struct sim_table *t, const struct sim_table *from)
{
	for (size_t i = 0; i < t->n; i++)
		sim_flush(&t->chains[i]);
	*t = *from;
}

/* False, and error is set, when a line is refused: then the block has no effect and the rest is not
 * reached. */
static inline bool sim_load(struct sim *s, const char *text)
{
	char *copy = strdup(text), *at = copy, *line;
	static struct sim_table before;
	int table = -1;

	assert_non_null(copy);
	s->error[0] = '\0';
	while (!s->error[0] && (line = strsep(&at, "\n"))) {
		if (line[0] == '\0') {
			assert_null(at); /* only after the last newline */
		} else if (line[0] == '*') {
			assert_int_equal(table, -1);
			for (int i = 0; i < _SEEN_TABLE_MAX; i++)
				if (streq(line + 1, sim_table_names[i]))
					table = i;
			assert_int_not_equal(table, -1);
			before = sim_copy(&s->tables[table]);
		} else if (streq(line, "COMMIT")) {
			assert_int_not_equal(table, -1);
			for (size_t i = 0; i < before.n; i++)
				sim_flush(&before.chains[i]);
			table = -1;
			if (s->committed)
				s->committed(s, s->userdata);
		} else {
			char *full = strdup(line);
			const char *why;

			assert_int_not_equal(table, -1);
			why = sim_line(&s->tables[table], line);
			if (why) {
				(void)snprintf(s->error, sizeof(s->error), "%s: %.300s", why, full);
				sim_restore(&s->tables[table], &before);
			}
			free(full);
		}
	}
	assert_true(s->error[0] || table == -1);
	free(copy);
	return !s->error[0];
}

static inline int sim_compare_chains(const void *a, const void *b)
{
	const struct sim_chain *const *x = a, *const *y = b;

	if ((*x)->built_in != (*y)->built_in)
		return (*x)->built_in ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

static inline void sim_learn_rule(struct sim *s, const struct rule *r,
				  const struct service *service, enum addr_family family)
{
	struct strbuf input = {0}, saved = {0};

	rule_print(r, service, &input);
	rule_print_saved(r, service, family, &saved);
	free(map_remove(s->shown, strbuf_text(&input)));
	assert_int_equal(map_put(s->shown, strbuf_text(&input), strdup(strbuf_text(&saved))), 0);
	strbuf_done(&input);
	strbuf_done(&saved);
}

static inline void sim_learn_rules(struct sim *s, const struct rule_list *l,
				   const struct service *service, enum addr_family family)
{
	for (size_t i = 0; i < l->n; i++)
		sim_learn_rule(s, &l->items[i], service, family);
}

/* How saves print the rules of a ruleset. */
static inline void sim_learn(struct sim *s, const struct ruleset *rs)
{
	enum addr_family family = rs->env.family;

	sim_learn_rules(s, &rs->forward.rules, NULL, family);
	sim_learn_rules(s, &rs->firewall.rules, NULL, family);
	sim_learn_rules(s, &rs->postrouting.rules, NULL, family);
	sim_learn_rules(s, &rs->mark_masq.rules, NULL, family);
	sim_learn_rules(s, &rs->services_end, NULL, family);
	for (size_t i = 0; i < rs->n_fragments; i++) {
		const struct fragment *f = rs->fragments[i];

		for (int d = 0; d < _DISPATCH_MAX; d++)
			sim_learn_rules(s, &f->dispatch[d], f->service, family);
		for (size_t k = 0; k < f->n_chains; k++)
			sim_learn_rules(s, &f->chains[k].rules, f->service, family);
	}
}

/* As a save has it. */
static inline char *sim_save(struct sim *s)
{
	struct strbuf b = {0};

	for (int t = 0; t < _SEEN_TABLE_MAX; t++) {
		const struct sim_table *table = &s->tables[t];
		const struct sim_chain **sorted = calloc(table->n, sizeof(struct sim_chain *));

		assert_non_null(sorted);
		for (size_t i = 0; i < table->n; i++)
			sorted[i] = &table->chains[i];
		qsort(sorted, table->n, sizeof(struct sim_chain *), sim_compare_chains);
		strbuf_addf(&b, "# Generated\n*%s\n", sim_table_names[t]);
		for (size_t i = 0; i < table->n; i++)
			strbuf_addf(&b, ":%s %s [0:0]\n", sorted[i]->name,
				    sorted[i]->built_in ? "ACCEPT" : "-");
		for (size_t i = 0; i < table->n; i++)
			for (size_t k = 0; k < sorted[i]->n; k++) {
				const char *rule = sorted[i]->rules[k],
					   *shown = map_get(s->shown, rule);

				strbuf_addf(&b, "-A %s %s\n", sorted[i]->name,
					    shown ? shown : rule);
			}
		strbuf_add(&b, "COMMIT\n");
		free(sorted);
	}
	assert_int_equal(strbuf_error(&b), 0);
	return strbuf_take(&b);
}
