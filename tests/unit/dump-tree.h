/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Node trees as one line of text: {key: value, ...}, [item, ...], "text", 1, 1.5, true, null. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "model/node.h"

static inline void dump_node(const struct node *n, struct strbuf *out)
{
	switch (n->type) {
	case NODE_GROUP:
	case NODE_LIST:
		strbuf_add_char(out, n->type == NODE_GROUP ? '{' : '[');
		for (const struct node *c = n->first; c; c = c->next) {
			if (c->key)
				strbuf_addf(out, "%s: ", c->key);
			dump_node(c, out);
			strbuf_add(out, c->next ? ", " : "");
		}
		strbuf_add_char(out, n->type == NODE_GROUP ? '}' : ']');
		break;
	case NODE_STRING:
		strbuf_addf(out, "\"%s\"", n->value.string);
		break;
	case NODE_FLOAT:
		strbuf_addf(out, "%.15gf", n->value.number);
		break;
	default:
		node_value_text(n, out);
	}
}

/* "LINE:COLUMN " of every node, a group or list before what it holds. */
static inline void dump_places(const struct node *n, struct strbuf *out)
{
	strbuf_addf(out, "%d:%d ", n->line, n->column);
	for (const struct node *c = n->first; c; c = c->next)
		dump_places(c, out);
}
