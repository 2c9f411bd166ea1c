/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/iptables-save.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

/*
 * A save of 20,000 services has more than half a million lines, nearly all of them rules in chains
 * of ours. Of those only a hash of each chain is kept.
 */

#define NAME_SIZE 32 /* the kernel's names have at most 28 bytes */

/* Where reading stands. */
struct reader {
	struct iptables_seen *seen;
	struct seen_table_content *table; /* NULL: in a table that is not looked at */
	enum seen_table index;
	bool in_table;
	char chain[NAME_SIZE]; /* of the last rule */
	bool ours;	       /* only its content matters */
	size_t content;	       /* index plus 1; 0: the chain had no chain line */
	size_t position;
};

static void seen_rules_done(struct seen_rules *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].text);
	free(l->items);
	*l = (struct seen_rules){0};
}

void iptables_seen_done(struct iptables_seen *s)
{
	for (int t = 0; t < _SEEN_TABLE_MAX; t++) {
		(void)map_free(s->tables[t].chains);
		free(s->tables[t].contents);
		seen_rules_done(&s->tables[t].jumps);
		seen_rules_done(&s->tables[t].references);
	}
	seen_rules_done(&s->firewall);
	*s = (struct iptables_seen){0};
}

static int seen_rules_add(struct seen_rules *l, const char *line, size_t n, size_t position)
{
	char *text;

	if (array_reserve(&l->items, &l->allocated, l->n + 1) < 0)
		return -ENOMEM;
	text = strndup(line, n);
	if (!text)
		return -ENOMEM;
	l->items[l->n++] = (struct seen_rule){.text = text, .position = position};
	return 0;
}

bool iptables_seen_chain(const struct iptables_seen *s, enum seen_table t, const char *name)
{
	return s->tables[t].chains && map_get(s->tables[t].chains, name);
}

/* FNV-1a. */
void seen_content_add(struct seen_content *c, const char *rule, size_t n)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t hash = c->n_rules ? c->hash : UINT64_C(0xcbf29ce484222325);
	char last = '\0';

	for (size_t i = 0; i < n; i++) {
		if (rule[i] != ' ' || last != ' ')
			hash = (hash ^ (unsigned char)rule[i]) * prime;
		last = rule[i];
	}
	c->hash = (hash ^ '\n') * prime;
	c->n_rules++;
}

/* Index plus 1. */
static size_t find_content(const struct seen_table_content *t, const char *name)
{
	return t->chains ? (size_t)(uintptr_t)map_get(t->chains, name) : 0;
}

bool iptables_seen_content(const struct iptables_seen *s, enum seen_table t, const char *name,
			   const struct seen_content *wanted)
{
	size_t i = find_content(&s->tables[t], name);
	const struct seen_content *there = i ? &s->tables[t].contents[i - 1] : NULL;

	return there && there->n_rules == wanted->n_rules && there->hash == wanted->hash;
}

bool iptables_seen_foreign(const struct iptables_seen *s)
{
	for (int t = 0; t < _SEEN_TABLE_MAX; t++)
		if (s->tables[t].n_foreign_rules > 0 || s->tables[t].n_foreign_chains > 0 ||
		    s->tables[t].foreign_policy)
			return true;
	return s->n_foreign_elsewhere > 0;
}

bool iptables_seen_ours(const struct iptables_seen *s)
{
	for (int t = 0; t < _SEEN_TABLE_MAX; t++) {
		const struct map *chains = s->tables[t].chains;
		const char *name;
		size_t pos = 0;
		void *value;

		while (chains && map_next(chains, &pos, &name, &value))
			if (iptables_chain_is_ours((enum seen_table)t, name) &&
			    !streq(name, "KUBE-FIREWALL"))
				return true;
	}
	return false;
}

static bool in_list(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(name, list[i]))
			return true;
	return false;
}

bool iptables_chain_is_ours(enum seen_table t, const char *name)
{
	static const char *const filter[] = {"KUBE-SERVICES", "KUBE-EXTERNAL-SERVICES",
					     "KUBE-FORWARD", "KUBE-NODEPORTS",
					     "KUBE-PROXY-FIREWALL", "KUBE-FIREWALL",
					     /* ipvs mode's alone */
					     "KUBE-NODE-PORT", "KUBE-SOURCE-RANGES-FIREWALL",
					     "KUBE-IPVS-FILTER", "KUBE-IPVS-OUT-FILTER"};
	static const char *const nat[] = {"KUBE-SERVICES", "KUBE-NODEPORTS", "KUBE-POSTROUTING",
					  "KUBE-MARK-MASQ",
					  /* ipvs mode's alone */
					  "KUBE-NODE-PORT", "KUBE-LOAD-BALANCER"};
	static const char *const prefixes[] = {"KUBE-SEP-", "KUBE-SVC-", "KUBE-EXT-", "KUBE-SVL-",
					       "KUBE-FW-"};

	if (strncmp(name, "KUBE-", strlen("KUBE-")) != 0)
		return false;
	if (streq(name, "KUBE-PROXY-CANARY"))
		return true;
	if (t == SEEN_FILTER)
		return in_list(name, filter, ELEMENTSOF(filter));
	if (t != SEEN_NAT)
		return false;
	for (size_t i = 0; i < ELEMENTSOF(prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return in_list(name, nat, ELEMENTSOF(nat));
}

/* The end of the word at p: the next blank that is not inside double quotes, where a backslash
 * protects the next byte. */
static const char *word_end(const char *p, const char *end)
{
	bool quoted = false;

	for (; p < end && (quoted || *p != ' '); p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		else if (*p == '"')
			quoted = !quoted;
	}
	return p;
}

static bool line_target(const char *line, const char *end, char *buf, size_t size)
{
	bool wanted = false;

	for (const char *p = line; p < end;) {
		const char *e = word_end(p, end);
		size_t n = (size_t)(e - p);

		if (wanted) {
			if (n == 0 || n >= size)
				return false;
			memcpy(buf, p, n);
			buf[n] = '\0';
			return true;
		}
		wanted = n == 2 && (memcmp(p, "-j", 2) == 0 || memcmp(p, "-g", 2) == 0);
		p = e < end ? e + 1 : e;
	}
	return false;
}

bool iptables_rule_target(const char *rule, char *buf, size_t size)
{
	return line_target(rule, rule + strlen(rule), buf, size);
}

/* "*filter" */
static int read_table(struct reader *r, const char *line, size_t n)
{
	static const char *const names[] = {"filter", "nat", "mangle"};

	if (r->in_table)
		return -EBADMSG;
	r->in_table = true;
	r->table = NULL;
	r->chain[0] = '\0';
	for (int t = 0; t < _SEEN_TABLE_MAX; t++) {
		if (n - 1 != strlen(names[t]) || memcmp(line + 1, names[t], n - 1) != 0)
			continue;
		r->index = (enum seen_table)t;
		r->table = &r->seen->tables[t];
		return r->table->chains ? 0 : map_new(&r->table->chains);
	}
	return 0;
}

/* The word at p as a chain name: -EBADMSG when it cannot be one. */
static int read_name(const char *p, const char *end, char name[NAME_SIZE])
{
	const char *e = memchr(p, ' ', (size_t)(end - p));
	size_t n = (size_t)((e ? e : end) - p);

	if (n == 0 || n >= NAME_SIZE || memchr(p, '\0', n))
		return -EBADMSG;
	memcpy(name, p, n);
	name[n] = '\0';
	return 0;
}

/* ":KUBE-SERVICES - [0:0]": only user chains have no policy */
static int read_chain(struct reader *r, const char *line, const char *end)
{
	char name[NAME_SIZE], policy[NAME_SIZE];
	size_t n;
	int k;

	k = read_name(line + 1, end, name);
	if (k < 0)
		return k;
	n = 1 + strlen(name);
	if (line + n == end)
		return -EBADMSG;
	k = read_name(line + n + 1, end, policy);
	if (k < 0)
		return k;
	if (!r->table)
		return 0;
	if (!streq(policy, "-")) {
		if (!streq(policy, "ACCEPT"))
			r->table->foreign_policy = true;
		return 0;
	}
	if (!iptables_chain_is_ours(r->index, name))
		r->table->n_foreign_chains++;
	if (array_reserve(&r->table->contents, &r->table->contents_allocated,
			  r->table->n_contents + 1) < 0)
		return -ENOMEM;
	r->table->n_contents++;
	return map_put(r->table->chains, name, (void *)(uintptr_t)r->table->n_contents);
}

/* A rule in a chain that is not ours, or in KUBE-FIREWALL, which may be shared. */
static int read_foreign(struct reader *r, const char *line, const char *end)
{
	bool user_chain = map_get(r->table->chains, r->chain) != NULL;
	bool firewall = r->index == SEEN_FILTER && streq(r->chain, "KUBE-FIREWALL");
	size_t n = (size_t)(end - line);
	char target[NAME_SIZE] = "";
	bool into_ours;
	int k;

	if (firewall) {
		k = seen_rules_add(&r->seen->firewall, line, n, r->position);
		if (k < 0)
			return k;
	}
	into_ours = line_target(line, end, target, sizeof(target)) &&
		    strncmp(target, "KUBE-", 5) == 0;
	if (!firewall && (user_chain || !iptables_chain_is_ours(r->index, target)))
		r->table->n_foreign_rules++;
	if (!into_ours)
		return 0;
	return seen_rules_add(user_chain ? &r->table->references : &r->table->jumps, line, n,
			      r->position);
}

/* "-A CHAIN ..." */
static int read_rule(struct reader *r, const char *line, const char *end)
{
	size_t known = strlen(r->chain);
	int k;

	if (!r->table) {
		r->seen->n_foreign_elsewhere++;
		return 0;
	}
	line += strlen("-A ");
	/* Rules of a chain stand together: mostly it is the one of the last line. */
	if (known == 0 || (size_t)(end - line) < known || memcmp(line, r->chain, known) != 0 ||
	    (line + known < end && line[known] != ' ')) {
		k = read_name(line, end, r->chain);
		if (k < 0)
			return k;
		r->position = 0;
		r->ours = iptables_chain_is_ours(r->index, r->chain);
		r->content = find_content(r->table, r->chain);
	}
	r->position++;
	if (r->ours && r->content) {
		const char *rule = line + strlen(r->chain);

		rule += rule < end; /* the blank */
		seen_content_add(&r->table->contents[r->content - 1], rule, (size_t)(end - rule));
	}
	if (r->ours && !streq(r->chain, "KUBE-FIREWALL"))
		return 0;
	return read_foreign(r, line - strlen("-A "), end);
}

static int read_line(struct reader *r, const char *line, const char *end)
{
	size_t n = (size_t)(end - line);

	if (n == 0 || line[0] == '#')
		return 0;
	if (line[0] == '*')
		return read_table(r, line, n);
	if (!r->in_table)
		return -EBADMSG;
	if (line[0] == ':')
		return read_chain(r, line, end);
	if (n > 3 && memcmp(line, "-A ", 3) == 0)
		return read_rule(r, line, end);
	if (n == strlen("COMMIT") && memcmp(line, "COMMIT", n) == 0) {
		r->in_table = false;
		return 0;
	}
	return -EBADMSG;
}

int iptables_seen_read(const char *text, size_t size, struct iptables_seen *ret)
{
	_cleanup_iptables_seen_ struct iptables_seen seen = {0};
	struct reader reader = {.seen = &seen};
	const char *end = text + size;

	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		int r = read_line(&reader, line, newline ? newline : end);

		if (r < 0)
			return r;
		line = newline ? newline + 1 : end;
	}
	/* Without the last COMMIT it was cut: chains behind the cut would look absent. */
	if (reader.in_table)
		return -EBADMSG;
	*ret = seen;
	seen = (struct iptables_seen){0};
	return 0;
}
