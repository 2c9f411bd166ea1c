/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * Node trees from a short text, without a library: { key = value; } groups, ( ) or [ ] lists,
 * "strings" without escapes, whole numbers, numbers with a point, true, false, null. Lines and
 * columns are those of the text. A mistake in the text fails the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "model/node.h"

struct tree_text {
	struct node_tree *tree;
	const char *text, *p;
	const char *line,
		*seen; /* the line of the last value starts here; lines are counted up to seen */
	int n_lines;
};

static inline void tree_blanks(struct tree_text *t)
{
	t->p += strspn(t->p, " \t\n,;");
}

static inline char *tree_take(struct tree_text *t, size_t n)
{
	char *copy = arena_strndup(t->tree->arena, t->p, n);

	assert_non_null(copy);
	t->p += n;
	return copy;
}

static inline void tree_value(struct tree_text *t, struct node *parent, const char *key);

/* Members up to the closing character, which may be the end of the text. */
static inline void tree_members(struct tree_text *t, struct node *n, char close)
{
	for (tree_blanks(t); *t->p != close; tree_blanks(t)) {
		const char *key = NULL;

		if (*t->p == '\0')
			fail_msg("the text ends too soon: %s", t->text);
		if (n->type == NODE_GROUP) {
			key = tree_take(t, strcspn(t->p, " ="));
			tree_blanks(t);
			assert_int_equal(*t->p, '=');
			t->p++;
		}
		tree_value(t, n, key);
	}
	if (close)
		t->p++;
}

static inline void tree_word(struct tree_text *t, struct node *n)
{
	const char *word = tree_take(t, strcspn(t->p, " \t\n,;)]}"));

	if (streq(word, "true") || streq(word, "false")) {
		n->type = NODE_BOOL;
		n->value.boolean = *word == 't';
	} else if (streq(word, "null")) {
		n->type = NODE_NULL;
	} else if (strchr(word, '.')) {
		n->type = NODE_FLOAT;
		n->value.number = 0.5;
	} else {
		n->type = NODE_INT;
		assert_int_equal(num_parse_i64(word, INT64_MIN, INT64_MAX, &n->value.integer), 0);
	}
}

static inline void tree_value(struct tree_text *t, struct node *parent, const char *key)
{
	struct node *n = node_add(t->tree, parent, NODE_GROUP, key);

	assert_non_null(n);
	tree_blanks(t);
	for (; t->seen < t->p; t->seen++) {
		if (*t->seen == '\n') {
			t->line = t->seen + 1;
			t->n_lines++;
		}
	}
	n->line = t->n_lines + 1;
	n->column = (int)(t->p - t->line) + 1;
	switch (*t->p) {
	case '{':
		t->p++;
		tree_members(t, n, '}');
		break;
	case '(':
	case '[':
		n->type = NODE_LIST;
		tree_members(t, n, *t->p++ == '(' ? ')' : ']');
		break;
	case '"':
		t->p++;
		n->type = NODE_STRING;
		n->value.string = tree_take(t, strcspn(t->p, "\""));
		assert_int_equal(*t->p, '"');
		t->p++;
		break;
	default:
		tree_word(t, n);
	}
}

/* The text of a whole file: members of the root group. */
static inline struct node_tree *make_tree(const char *text)
{
	struct tree_text t = {.text = text, .p = text, .line = text, .seen = text};
	struct node *root;

	assert_int_equal(node_tree_new("test.cfg", &t.tree), 0);
	root = node_add(t.tree, NULL, NODE_GROUP, NULL);
	assert_non_null(root);
	root->line = root->column = 1;
	tree_members(&t, root, '\0');
	return t.tree;
}

/* All messages, one a line, as they are told but without file, line and column. */
static inline char *messages_text(struct diags *d)
{
	struct strbuf b = {0};

	assert_int_equal(d->error, 0);
	for (size_t i = 0; i < d->n; i++) {
		struct diag m = d->items[i];
		char *text;

		m.file = NULL;
		text = diag_format(&m);
		assert_non_null(text);
		strbuf_addf(&b, "%s\n", text);
		free(text);
	}
	assert_int_equal(strbuf_error(&b), 0);
	return strbuf_take(&b);
}
