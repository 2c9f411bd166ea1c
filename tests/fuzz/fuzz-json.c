/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON up to node trees. Besides crashes: what jansson prints of a tree must be read as the same
 * tree. */
#include "import/json.c"

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

static void check_equal(const struct node *n, json_t *j)
{
	size_t index = 0;

	check(n->type == type_of(j));
	check(n->line >= 0 && (n->line > 0) == (n->column > 0));
	if (n->type == NODE_STRING)
		check(streq(n->value.string, json_string_value(j)));
	if (n->type == NODE_INT)
		check(n->value.integer == json_integer_value(j));
	for (const struct node *c = n->first; c; c = c->next, index++) {
		json_t *value = c->key ? json_object_get(j, c->key) : json_array_get(j, index);

		check(value);
		check_equal(c, value);
	}
	check(index == (json_is_object(j) ? json_object_size(j) : json_array_size(j)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_documents_ struct documents docs = {0};
	_cleanup_(free_jsonp) json_t *j = NULL;
	_cleanup_diags_ struct diags d = {0};
	json_error_t error;
	int r;

	/* As the caller does: text without NUL bytes. */
	if (size == 0 || memchr(data, 0, size))
		return 0;
	r = json_parse((const char *)data, size, "fuzz.json", &docs, &d);
	check(r == 0 || r == -EBADMSG || r == -ENOTUNIQ);
	check((r == -EBADMSG) == (d.n_errors > 0));
	check(r == 0 || docs.n == 0);
	j = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
	if (j && r == 0) {
		check(docs.n == 1);
		check_equal(docs.trees[0]->root, j);
	}
	return 0;
}
