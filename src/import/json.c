/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/json.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "import/yaml.h"

static json_t *free_json(json_t *j)
{
	json_decref(j);
	return NULL;
}
DEFINE_CLEANUP(json_t, free_json);

int json_parse_number(const char *text, double *ret)
{
	_cleanup_(free_jsonp) json_t *j = NULL;
	json_error_t error;

	errno = 0;
	j = json_loadb(text, strlen(text), JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
	if (errno == ENOMEM)
		return -ENOMEM;
	if (!json_is_real(j))
		return -EINVAL;
	*ret = json_real_value(j);
	return 0;
}

struct converter {
	struct node_tree *tree;
	struct diags *d;
	size_t n_nodes;
};

static int refuse(struct converter *c, const char *reason)
{
	diags_add(c->d, DIAG_ERROR, &(struct place){.file = c->tree->file}, NULL, NULL, NULL, NULL,
		  "%s", reason);
	return -EBADMSG;
}

static enum node_type type_of(const json_t *j)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return NODE_GROUP;
	case JSON_ARRAY:
		return NODE_LIST;
	case JSON_STRING:
		return NODE_STRING;
	case JSON_INTEGER:
		return NODE_INT;
	case JSON_REAL:
		return NODE_FLOAT;
	case JSON_TRUE:
	case JSON_FALSE:
		return NODE_BOOL;
	default:
		return NODE_NULL;
	}
}

static int convert(struct converter *c, json_t *j, struct node *parent, const char *key,
		   unsigned depth);

static int convert_children(struct converter *c, json_t *j, struct node *n, unsigned depth)
{
	const char *key;
	json_t *child;
	size_t i;

	if (depth > IMPORT_DEPTH_MAX)
		return refuse(c, "nested too deeply");
	if (json_is_object(j)) {
		json_object_foreach(j, key, child)
		{
			const char *copy = arena_strdup(c->tree->arena, key);
			int k = copy ? convert(c, child, n, copy, depth) : -ENOMEM;
			if (k < 0)
				return k;
		}
		return 0;
	}
	json_array_foreach(j, i, child)
	{
		int k = convert(c, child, n, NULL, depth);
		if (k < 0)
			return k;
	}
	return 0;
}

static int convert(struct converter *c, json_t *j, struct node *parent, const char *key,
		   unsigned depth)
{
	struct node *n;

	if (++c->n_nodes > IMPORT_NODES_MAX)
		return refuse(c, "more values than can be read");
	n = node_add(c->tree, parent, type_of(j), key);
	if (!n)
		return -ENOMEM;
	switch (n->type) {
	case NODE_GROUP:
	case NODE_LIST:
		return convert_children(c, j, n, depth + 1);
	case NODE_STRING:
		n->value.string = arena_strdup(c->tree->arena, json_string_value(j));
		return n->value.string ? 0 : -ENOMEM;
	case NODE_INT:
		n->value.integer = json_integer_value(j);
		return 0;
	case NODE_FLOAT:
		n->value.number = json_real_value(j);
		return 0;
	case NODE_BOOL:
		n->value.boolean = json_is_true(j);
		return 0;
	default:
		return 0;
	}
}

/* Both trees come from one text; where they do not agree the rest stays without places. */
static void copy_places(struct node *to, const struct node *from)
{
	const struct node *f = from->first;

	if (to->n_children != from->n_children)
		return;
	to->line = from->line;
	to->column = from->column;
	for (struct node *t = to->first; t && f; t = t->next, f = f->next)
		copy_places(t, f);
}

static int locate(const char *data, size_t size, const char *file_name, struct documents *docs)
{
	_cleanup_documents_ struct documents located = {0};
	_cleanup_diags_ struct diags ignored = {0};
	int r = yaml_parse(data, size, file_name, &located, &ignored);

	if (r == -ENOMEM)
		return r;
	if (r < 0 || located.n != docs->n)
		return 0;
	for (size_t i = 0; i < docs->n; i++)
		copy_places(docs->trees[i]->root, located.trees[i]->root);
	return 0;
}

static size_t skip_blanks(const char *data, size_t size, size_t at)
{
	while (at < size && strchr(" \t\r\n", data[at]))
		at++;
	return at;
}

/* jansson counts from the start of the value, not of the text, and its column is that of the last
 * byte read. */
static void place_in_text(const char *data, size_t at, const json_error_t *error, struct place *ret)
{
	int line = 1, column = 1;

	for (size_t i = 0; i < at; i++) {
		column = data[i] == '\n' ? 1 : column + 1;
		line += data[i] == '\n';
	}
	ret->column = error->line == 1 ? column + error->column - 1 : error->column;
	ret->column = MAX_OF(ret->column, 1);
	ret->line = line + error->line - 1;
}

static int read_value(const char *data, size_t size, size_t *at, const char *file_name,
		      struct documents *ret, struct diags *d)
{
	struct place place = {.file = file_name};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_(free_jsonp) json_t *j = NULL;
	struct converter c = {.d = d};
	json_error_t error;
	int k;

	errno = 0;
	j = json_loadb(data + *at, size - *at, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK,
		       &error);
	/* jansson calls it a syntax error, or loses bytes and calls it a success. */
	if (errno == ENOMEM)
		return -ENOMEM;
	if (!j) {
		place_in_text(data, *at, &error, &place);
		diags_add(d, DIAG_ERROR, &place, NULL, NULL, NULL, NULL, "not JSON: %s",
			  error.text);
		return -EBADMSG;
	}
	k = node_tree_new(file_name, &tree);
	if (k < 0)
		return k;
	c.tree = tree;
	k = convert(&c, j, NULL, NULL, 0);
	if (k < 0)
		return k;
	k = documents_add(ret, tree);
	if (k < 0)
		return k;
	TAKE_PTR(tree);
	*at += (size_t)error.position;
	return 0;
}

int json_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
	       struct diags *d)
{
	_cleanup_documents_ struct documents found = {0};
	size_t at = skip_blanks(data, size, 0);
	int r;

	while (at < size) {
		int k = read_value(data, size, &at, file_name, &found, d);
		if (k < 0)
			return k;
		at = skip_blanks(data, size, at);
		if (size - at >= 3 && memcmp(data + at, "---", 3) == 0)
			return -ENOTUNIQ;
	}
	r = locate(data, size, file_name, &found);
	if (r < 0)
		return r;
	return documents_move(ret, &found);
}
