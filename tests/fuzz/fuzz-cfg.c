/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of services.d and endpoints.d, up to the node tree. Besides crashes it looks for texts on
 * which the scanner and the library disagree: as to validity, the number of values, or their
 * places. */
#define CFG_PIECE_SIZE 8
#include "config/cfg-tree.c"
#include "config/cfg.c"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define check(condition)                                                     \
	do {                                                                 \
		if (!(condition)) {                                          \
			(void)fprintf(stderr, "not true: %s\n", #condition); \
			abort();                                             \
		}                                                            \
	} while (0)

/* The first byte at a node's place tells its type. */
static void check_place(const char *text, size_t size, struct node_tree *tree, const struct node *n)
{
	static const char *const first[_NODE_TYPE_MAX] = {
		[NODE_BOOL] = "tTfF", [NODE_INT] = "+-0123456789", [NODE_FLOAT] = "+-.0123456789",
		[NODE_STRING] = "\"", [NODE_LIST] = "([",	   [NODE_GROUP] = "{",
	};
	struct scan_cursor c;
	struct place at;

	node_place(tree, n, &at);
	check(at.line > 0 && at.column > 0);
	if (!n->parent)
		return;
	scan_cursor_init(&c, text, size);
	while (c.offset < size && (c.line != at.line || c.column != at.column))
		scan_cursor_move(&c, c.offset + 1);
	check(c.offset < size);
	check(strchr(first[n->type], text[c.offset]) && text[c.offset]);
}

static unsigned check_node(const char *text, size_t size, struct node_tree *tree,
			   const struct node *n, unsigned ordinal)
{
	check(n->ordinal == ordinal);
	if (size < 4096)
		check_place(text, size, tree, n);
	for (const struct node *child = n->first; child; child = child->next)
		ordinal = check_node(text, size, tree, child, ordinal + 1);
	return ordinal;
}

static void check_tree(const char *text, size_t size, struct node_tree *tree)
{
	_cleanup_(locations_done) struct locations l = {0};

	check(locations_scan(text, size, &l) == 0);
	check(l.n == tree->n_ordinals);
	check(check_node(text, size, tree, tree->root, 0) == tree->n_ordinals - 1);
}

/* What the scanner passes, the library must pass too: nothing but a number that is too large is
 * found later. */
static void check_refusal(const char *text, size_t size, const struct diags *d)
{
	check(d->n == 1 && d->n_errors == 1);
	check(d->items[0].line > 0 && d->items[0].column > 0);
	free(diag_format(&d->items[0]));

	if (scan_text(text, size, NULL, NULL, NULL, NULL) == 0 && text_is_utf8(text, size))
		check(strstr(d->items[0].reason, "too large") ||
		      strstr(d->items[0].reason, "carriage return"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *text = malloc(size + 1);
	int r;

	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';

	r = cfg_parse(text, size, "fuzz.cfg", &tree, &d);
	if (r == 0) {
		check(d.n == 0);
		check_tree(text, size, tree);
	} else {
		check(r == -EBADMSG && !tree);
		check_refusal(text, size, &d);
	}
	return 0;
}
