/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

#define ROWS_MAX 32 /* more than the longest table has */

void reader_missing_texts(struct reader *r, const struct node *group, enum check check,
			  const char *const *texts, size_t n_texts)
{
	const char *key = check_rows[check].key;
	_cleanup_strbuf_ struct strbuf path = {0};
	struct place at;

	/* A key that is only misspelt was told already. */
	for (const struct node *n = group->first; n; n = n->next)
		if (!streq(n->key, key) && text_closest(n->key, &key, 1))
			return;
	node_path(group, &path);
	if (path.len > 0)
		strbuf_add_char(&path, '.');
	strbuf_add(&path, key);
	if (strbuf_error(&path))
		r->error = -ENOMEM;
	node_place(r->tree, group, &at);
	check_tell_texts(r->diags, check, &at, r->object, strbuf_text(&path), NULL, texts, n_texts);
}

const char *reader_number_text(int64_t number, char buf[NUMBER_TEXT_MAX])
{
	(void)snprintf(buf, NUMBER_TEXT_MAX, "%" PRId64, number);
	return buf;
}

const char *reader_meant_name(const char *text, bool (*is_valid)(const char *), char buf[HINT_MAX])
{
	size_t n = strlen(text);

	if (n >= HINT_MAX)
		return NULL;
	for (size_t i = 0; i <= n; i++) {
		char c = text[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		else if (c == '_' || c == ' ')
			c = '-';
		buf[i] = c;
	}
	for (char *p = buf; *p && !is_valid(buf); p++)
		if (*p == '.')
			*p = '-';
	return is_valid(buf) ? buf : NULL;
}

int reader_result(const struct reader *r, size_t n_errors_before)
{
	if (r->error < 0)
		return r->error;
	if (r->diags->error < 0)
		return r->diags->error;
	if (r->tree->error < 0)
		return r->tree->error;
	return r->diags->n_errors > n_errors_before ? -EBADMSG : 0;
}

bool reader_want(struct reader *r, const struct node *n, enum node_type type)
{
	static const char *const marks[_NODE_TYPE_MAX] = {
		[NODE_STRING] = "double quotes",
		[NODE_LIST] = "parentheses or brackets",
		[NODE_GROUP] = "braces",
	};

	if (n->type == type)
		return true;
	reader_tell(r, n, CHECK_F1_TYPE, node_type_text(type), node_type_text(n->type),
		    node_type_text(type), marks[type]);
	return false;
}

void reader_unknown_key(struct reader *r, const struct node *n, const struct key_row *rows,
			size_t n_rows)
{
	const char *names[ROWS_MAX];

	for (size_t i = 0; i < n_rows; i++)
		names[i] = rows[i].key;
	reader_tell(r, n, CHECK_F2_UNKNOWN_KEY, text_closest(n->key, names, n_rows));
}

bool reader_keys(struct reader *r, const struct node *group, const struct key_row *rows,
		 size_t n_rows, const struct node **ret_values)
{
	memset(ret_values, 0, n_rows * sizeof(*ret_values));
	if (!reader_want(r, group, NODE_GROUP))
		return false;
	for (const struct node *n = group->first; n; n = n->next) {
		size_t i;

		for (i = 0; i < n_rows; i++)
			if (rows[i].key[0] == n->key[0] && streq(rows[i].key, n->key))
				break;
		if (i == n_rows)
			reader_unknown_key(r, n, rows, n_rows);
		else if (n->type != NODE_NULL)
			ret_values[i] = n;
	}
	return true;
}

char *reader_copy(struct reader *r, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		r->error = -ENOMEM;
	return copy;
}

void *reader_alloc(struct reader *r, size_t n, size_t size)
{
	void *block;

	if (n == 0)
		return NULL;
	block = calloc(n, size);
	if (!block)
		r->error = -ENOMEM;
	return block;
}

bool reader_number(struct reader *r, const struct node *n, int64_t min, int64_t max,
		   enum check check, int64_t *ret)
{
	char text[NUMBER_TEXT_MAX], range[2 * NUMBER_TEXT_MAX];

	if (n->type != NODE_INT) {
		uint64_t value;
		bool quoted = n->type == NODE_STRING &&
			      num_parse_u64(n->value.string, 0, UINT32_MAX, &value) == 0;

		reader_tell(r, n, CHECK_F3_WHOLE_NUMBER, node_type_text(n->type),
			    quoted ? reader_number_text((int64_t)value, text) : NULL);
		return false;
	}
	if (n->value.integer < min || n->value.integer > max) {
		(void)snprintf(range, sizeof(range), "%" PRId64 "-%" PRId64, min, max);
		reader_tell(r, n, check, range);
		return false;
	}
	*ret = n->value.integer;
	return true;
}

void reader_bool(struct reader *r, const struct node *n, bool *ret)
{
	if (!n)
		return;
	if (n->type != NODE_BOOL)
		reader_tell(r, n, CHECK_F4_TRUE_OR_FALSE, node_type_text(n->type));
	else
		*ret = n->value.boolean;
}

int reader_choice(struct reader *r, const struct node *n, enum check check,
		  const char *const *names, size_t n_names)
{
	_cleanup_strbuf_ struct strbuf all = {0};
	const char *closest;
	int i;

	if (!reader_want(r, n, NODE_STRING))
		return -1;
	i = text_index(n->value.string, names, n_names);
	if (i >= 0)
		return i;

	i = text_index_nocase(n->value.string, names, n_names);
	closest = i >= 0 ? names[i] : text_closest(n->value.string, names, n_names);
	for (size_t j = 0; j < n_names; j++) {
		strbuf_add(&all, j == 0 ? "" : j + 1 == n_names ? " or " : ", ");
		strbuf_add(&all, names[j]);
	}
	if (strbuf_error(&all))
		r->error = -ENOMEM;
	reader_tell(r, n, check, strbuf_text(&all), closest);
	return -1;
}

enum svc_proto reader_protocol(struct reader *r, const struct node *n, enum check check,
			       bool empty_is_tcp)
{
	static const char *const names[] = {"TCP", "UDP", "SCTP"};
	int i;

	if (!n || (empty_is_tcp && n->type == NODE_STRING && !*n->value.string))
		return SVC_TCP;
	i = reader_choice(r, n, check, names, ELEMENTSOF(names));
	return i < 0 ? SVC_TCP : (enum svc_proto)i;
}

/* A part of "namespace/name". In an object of Kubernetes the namespace stands in a place of its
 * own, beside the name that the node was made from. */
static bool key_part(struct reader *r, const struct node *n, const char *part, bool is_namespace,
		     const struct key_checks *checks)
{
	const struct node *own = NULL;
	char meant[HINT_MAX];

	if (text_is_dns_label(part))
		return true;
	if (is_namespace && n->origin && n->origin->parent)
		own = node_get(n->origin->parent, "namespace");
	if (!own)
		own = n;
	if (!*part)
		reader_tell(r, own, is_namespace ? checks->namespace_empty : checks->name_empty);
	else
		reader_tell(r, own, is_namespace ? checks->namespace_label : checks->name_label,
			    reader_meant_name(part, text_is_dns_label, meant));
	return false;
}

char *reader_service_key(struct reader *r, const struct node *n, const struct key_checks *checks)
{
	static const char other[] = "default/";
	char namespace[65] = "default", *key;
	const char *text, *slash, *name;
	size_t size;
	bool good;

	if (!reader_want(r, n, NODE_STRING))
		return NULL;
	text = n->value.string;
	slash = strchr(text, '/');
	name = slash ? slash + 1 : text;
	if (strchr(name, '/')) {
		reader_tell(r, n, checks->slashes);
		return NULL;
	}
	if (slash) {
		/* One byte more than a label has, so that a longer one is seen as such. */
		size = MIN_OF((size_t)(slash - text), sizeof(namespace) - 1);
		memcpy(namespace, text, size);
		namespace[size] = '\0';
	}
	/* Both parts are looked at, so that both mistakes are told. */
	good = key_part(r, n, namespace, true, checks);
	good = key_part(r, n, name, false, checks) && good;
	if (!good)
		return NULL;
	if (slash)
		return reader_copy(r, text);

	size = sizeof(other) + strlen(name);
	key = malloc(size);
	if (!key) {
		r->error = -ENOMEM;
		return NULL;
	}
	(void)snprintf(key, size, "%s%s", other, name);
	return key;
}

char *reader_object_key(struct reader *r, const struct node *group, const char *key,
			const struct key_checks *checks)
{
	const struct node *n = node_get(group, key);

	return n && n->type != NODE_NULL ? reader_service_key(r, n, checks) : NULL;
}

struct equal_context {
	int (*compare)(const void *, const void *);
};

static int compare_items(const void *a, const void *b, void *data)
{
	const struct equal_context *c = data;
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int order = c->compare(x, y);

	/* Among equals the order of the array. */
	return order ? order : (x > y) - (x < y);
}

size_t *reader_first_equal(struct reader *r, const void *items, size_t n, size_t size,
			   int (*compare)(const void *, const void *))
{
	struct equal_context c = {compare};
	_cleanup_free_ const char **sorted = NULL;
	size_t *first;

	if (n < 2)
		return NULL;
	first = reader_alloc(r, n, sizeof(*first));
	sorted = reader_alloc(r, n, sizeof(*sorted));
	if (!first || !sorted) {
		free(first);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = (const char *)items + i * size;
	qsort_r(sorted, n, sizeof(*sorted), compare_items, &c);
	for (size_t i = 0, leader = 0; i < n; i++) {
		if (compare(sorted[leader], sorted[i]) != 0)
			leader = i;
		first[(size_t)(sorted[i] - (const char *)items) / size] =
			(size_t)(sorted[leader] - (const char *)items) / size;
	}
	return first;
}
