/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML up to node trees: besides crashes, trees whose parts do not fit together. */
#include "import/yaml.c"

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

static void check_node(const struct node *n, unsigned depth)
{
	unsigned index = 0;

	check(depth <= IMPORT_DEPTH_MAX + 1);
	check(n->line > 0 && n->column > 0);
	if (n->type == NODE_STRING)
		check(n->value.string);
	for (const struct node *c = n->first; c; c = c->next) {
		check(c->parent == n && c->index == index++);
		check((n->type == NODE_GROUP) == (c->key != NULL));
		if (index < 50 && c->key)
			check(node_get(n, c->key) == c);
		check(c->next || c == n->last);
		check_node(c, depth + 1);
	}
	check(n->n_children == index);
	check(index == 0 || n->type == NODE_GROUP || n->type == NODE_LIST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_diags_ struct diags d = {0};
	int r = yaml_parse((const char *)data, size, "fuzz.yaml", &docs, &d);

	check(r == 0 || r == -EBADMSG);
	check((r == 0) == (d.n_errors == 0));
	check(r == 0 || docs.n == 0);
	for (size_t i = 0; i < docs.n; i++)
		check_node(docs.trees[i]->root, 1);
	return 0;
}
