/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/node.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const char *node_type_text(enum node_type type)
{
	static const char *const texts[_NODE_TYPE_MAX] = {
		[NODE_NULL] = "null",	    [NODE_BOOL] = "true or false",
		[NODE_INT] = "a number",    [NODE_FLOAT] = "a number with a fraction",
		[NODE_STRING] = "a string", [NODE_LIST] = "a list",
		[NODE_GROUP] = "a group",
	};

	if ((unsigned)type >= _NODE_TYPE_MAX)
		return texts[NODE_NULL];
	return texts[type];
}

int node_tree_new(const char *file_name, struct node_tree **ret)
{
	_cleanup_(node_tree_freep) struct node_tree *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return -ENOMEM;
	r = arena_new(&t->arena);
	if (r < 0)
		return r;
	if (file_name) {
		t->file = arena_strdup(t->arena, file_name);
		if (!t->file)
			return -ENOMEM;
	}
	*ret = TAKE_PTR(t);
	return 0;
}

struct node_tree *node_tree_free(struct node_tree *t)
{
	if (!t)
		return NULL;
	arena_free(t->arena);
	free(t);
	return NULL;
}

struct node *node_add(struct node_tree *tree, struct node *parent, enum node_type type,
		      const char *key)
{
	struct node *n = arena_alloc(tree->arena, sizeof(*n));

	if (!n)
		return NULL;
	n->type = type;
	n->key = key;
	n->ordinal = tree->n_ordinals++;
	if (!parent) {
		tree->root = n;
		return n;
	}
	n->parent = parent;
	n->index = parent->n_children++;
	if (parent->last)
		parent->last->next = n;
	else
		parent->first = n;
	parent->last = n;
	return n;
}

struct node *node_add_string(struct node_tree *tree, struct node *parent, const char *key,
			     const char *text)
{
	struct node *n = node_add(tree, parent, NODE_STRING, key);

	if (n)
		n->value.string = text;
	return n;
}

struct node *node_add_int(struct node_tree *tree, struct node *parent, const char *key,
			  int64_t value)
{
	struct node *n = node_add(tree, parent, NODE_INT, key);

	if (n)
		n->value.integer = value;
	return n;
}

struct node *node_add_bool(struct node_tree *tree, struct node *parent, const char *key, bool value)
{
	struct node *n = node_add(tree, parent, NODE_BOOL, key);

	if (n)
		n->value.boolean = value;
	return n;
}

struct node *node_get(const struct node *group, const char *key)
{
	if (group->type != NODE_GROUP)
		return NULL;
	for (struct node *n = group->first; n; n = n->next) {
		if (n->key && streq(n->key, key))
			return n;
	}
	return NULL;
}

/* The node that messages are about. */
static const struct node *written_node(const struct node *n)
{
	while (n->origin)
		n = n->origin;
	return n;
}

/* Keys that could be taken for a path, or would upset a terminal, stand in brackets. */
static bool is_plain_key(const char *key)
{
	size_t n = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	return n > 0 && n <= 64 && key[n] == '\0';
}

void node_path(const struct node *n, struct strbuf *out)
{
	n = written_node(n);
	if (!n->parent)
		return; /* the root has no name */

	/* Readers bound the depth of a tree, so this ends soon. */
	node_path(n->parent, out);
	if (n->parent->type == NODE_LIST || !n->key) {
		strbuf_addf(out, "[%u]", n->index);
	} else if (is_plain_key(n->key)) {
		if (written_node(n->parent)->parent)
			strbuf_add_char(out, '.');
		strbuf_add(out, n->key);
	} else {
		char quoted[TEXT_QUOTE_MAX];

		strbuf_addf(out, "[%s]", text_quote(n->key, quoted));
	}
}

void node_value_text(const struct node *n, struct strbuf *out)
{
	switch (n->type) {
	case NODE_NULL:
		strbuf_add(out, "null");
		break;
	case NODE_BOOL:
		strbuf_add(out, n->value.boolean ? "true" : "false");
		break;
	case NODE_INT:
		strbuf_addf(out, "%" PRId64, n->value.integer);
		break;
	case NODE_FLOAT:
		/* shorter than all digits of a double: 0.1 is to read 0.1 */
		strbuf_addf(out, "%.15g", n->value.number);
		break;
	case NODE_STRING:
		strbuf_add(out, n->value.string);
		break;
	case NODE_LIST:
	case NODE_GROUP:
	case _NODE_TYPE_MAX:
		break;
	}
}

void node_place(struct node_tree *tree, const struct node *n, struct place *ret)
{
	struct place at = {.file = tree->file};

	/* A node that was made up has no place: then the nearest node around it that has one. */
	for (; n && at.line == 0; n = n->parent) {
		n = written_node(n);
		at.line = n->line;
		at.column = n->column;
		if ((at.line == 0 || at.column == 0) && tree->locate)
			tree->locate(tree, n, &at);
	}
	*ret = at;
}

/* What a message says of a node. */
struct node_texts {
	struct place at;
	struct strbuf path, value;
	bool has_value; /* lists and groups have no text */
};

static void node_texts_done(struct node_texts *t)
{
	strbuf_done(&t->path);
	strbuf_done(&t->value);
}

static void node_texts_make(struct diags *d, struct node_tree *tree, const struct node *n,
			    struct node_texts *ret)
{
	const struct node *written = written_node(n);

	node_path(n, &ret->path);
	node_value_text(written, &ret->value);
	ret->has_value = written->type < NODE_LIST;
	/* Half a message is better than none; the list is marked as incomplete. */
	if (strbuf_error(&ret->path) < 0 || strbuf_error(&ret->value) < 0)
		d->error = -ENOMEM;
	node_place(tree, n, &ret->at);
}

void node_diag(struct diags *d, struct node_tree *tree, const struct node *n,
	       enum diag_severity severity, const char *object, const char *hint,
	       const char *reason_format, ...)
{
	_cleanup_(node_texts_done) struct node_texts t = {0};
	va_list ap;

	node_texts_make(d, tree, n, &t);
	va_start(ap, reason_format);
	diags_addv(d, severity, &t.at, object, t.path.len > 0 ? strbuf_text(&t.path) : NULL,
		   t.has_value ? strbuf_text(&t.value) : NULL, hint, reason_format, ap);
	va_end(ap);
}

void node_tell_texts(struct diags *d, struct node_tree *tree, const struct node *n,
		     enum check check, const char *object, const char *const *texts, size_t n_texts)
{
	_cleanup_(node_texts_done) struct node_texts t = {0};

	node_texts_make(d, tree, n, &t);
	check_tell_texts(d, check, &t.at, object, t.path.len > 0 ? strbuf_text(&t.path) : NULL,
			 t.has_value ? strbuf_text(&t.value) : NULL, texts, n_texts);
}
