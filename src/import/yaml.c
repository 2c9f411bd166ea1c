/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "base/map.h"
#include "base/num.h"
#include "base/text.h"
#include "import/json.h"

/* From this many keys on a group looks for duplicates in a map. */
#define KEYS_MAP_MIN 16

/* A list or group that is still open. */
struct frame {
	struct node *node;
	struct map *keys; /* of a large group */
	char *key;	  /* of a group: key read, value expected; in the arena */
};

struct reader {
	const char *file;
	struct diags *d;
	struct node_tree *tree; /* of the document being read */
	struct map *anchors;	/* name to node, of this document */
	struct frame stack[IMPORT_DEPTH_MAX];
	unsigned depth;
	size_t n_nodes, n_alias_nodes; /* of the whole text */
};

static void reader_document_done(struct reader *r)
{
	for (; r->depth > 0; r->depth--)
		map_free(r->stack[r->depth - 1].keys);
	r->anchors = map_free(r->anchors);
	r->tree = node_tree_free(r->tree);
}

static struct place place_of(const struct reader *r, const yaml_mark_t *mark)
{
	return (struct place){
		.file = r->file,
		.line = (int)mark->line + 1,
		.column = (int)mark->column + 1,
	};
}

static int refuse(struct reader *r, const struct place *at, const char *value, const char *reason)
{
	diags_add(r->d, DIAG_ERROR, at, NULL, NULL, value, NULL, "%s", reason);
	return -EBADMSG;
}

static int refuse_at(struct reader *r, const yaml_event_t *e, const char *value, const char *reason)
{
	struct place at = place_of(r, &e->start_mark);

	return refuse(r, &at, value, reason);
}

/* Digits with at most one sign in front. */
static bool is_integer(const char *s)
{
	if (*s == '-' || *s == '+')
		s++;
	if (s[0] == '0' && s[1])
		return false;
	return *s && !s[strspn(s, "0123456789")];
}

/* What YAML 1.1 takes for a number and is none in plain decimal: fractions, exponents, octal,
 * hexadecimal, binary, with underscores. No field that we know takes one; text must not be made of
 * it either. */
static bool is_other_number(const char *s)
{
	size_t digits, dots = 0;

	if (*s == '-' || *s == '+')
		s++;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'b' || s[1] == 'o')) {
		s += 2;
		return *s && !s[strspn(s, "0123456789abcdefABCDEF_")];
	}
	if (streq(s, ".inf") || streq(s, ".Inf") || streq(s, ".INF") || streq(s, ".nan") ||
	    streq(s, ".NaN") || streq(s, ".NAN"))
		return true;
	digits = strcspn(s, "0123456789");
	if (digits > 1 || (digits == 1 && *s != '.') || !s[digits])
		return false;
	for (; *s && strchr("0123456789_.", *s); s++)
		dots += *s == '.';
	if (dots > 1)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		if (*s == '-' || *s == '+')
			s++;
		return *s && !s[strspn(s, "0123456789")];
	}
	return !*s;
}

static bool is_one_of(const char *s, const char *const *words, size_t n)
{
	return text_index(s, words, n) >= 0;
}

static int resolve_plain(const char *s, struct node *n)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
	static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES",
					  "on",	  "On",	  "ON",	  "y",	 "Y"};
	static const char *const no[] = {"false", "False", "FALSE", "no", "No", "NO",
					 "off",	  "Off",   "OFF",   "n",  "N"};

	if (is_one_of(s, nulls, ELEMENTSOF(nulls))) {
		n->type = NODE_NULL;
	} else if (is_one_of(s, yes, ELEMENTSOF(yes))) {
		n->type = NODE_BOOL;
		n->value.boolean = true;
	} else if (is_one_of(s, no, ELEMENTSOF(no))) {
		n->type = NODE_BOOL;
		n->value.boolean = false;
	} else if (is_integer(s) && num_parse_i64(*s == '+' ? s + 1 : s, INT64_MIN, INT64_MAX,
						  &n->value.integer) == 0) {
		n->type = NODE_INT;
	} else if (is_integer(s) || is_other_number(s)) {
		n->type = NODE_FLOAT;
		n->value.number = NAN;
		if (json_parse_number(s, &n->value.number) == -ENOMEM)
			return -ENOMEM;
	} else {
		n->type = NODE_STRING;
		n->value.string = s;
	}
	return 0;
}

/* Gives the node its type and value. */
static int resolve_scalar(struct reader *r, const yaml_event_t *e, const char *text, struct node *n)
{
	static const char *const typed[] = {YAML_NULL_TAG, YAML_BOOL_TAG, YAML_INT_TAG,
					    YAML_FLOAT_TAG};
	static const enum node_type types[] = {NODE_NULL, NODE_BOOL, NODE_INT, NODE_FLOAT};
	const char *tag = (const char *)e->data.scalar.tag;
	int which, k;

	if (!tag && e->data.scalar.plain_implicit)
		return resolve_plain(text, n);
	if (!tag || streq(tag, "!") || streq(tag, YAML_STR_TAG)) {
		n->type = NODE_STRING;
		n->value.string = text;
		return 0;
	}
	which = text_index(tag, typed, ELEMENTSOF(typed));
	if (which < 0)
		return refuse_at(r, e, tag, "is a tag that is not read here");
	k = resolve_plain(text, n);
	if (k < 0)
		return k;
	if (n->type != types[which])
		return refuse_at(r, e, text, "does not have the type that its tag says");
	return 0;
}

static int count_node(struct reader *r, const struct place *at)
{
	if (++r->n_nodes > IMPORT_NODES_MAX)
		return refuse(r, at, NULL, "more values than can be read");
	return 0;
}

/* Makes the next value: of the pending key, of the open list, or the root. */
static int add_value(struct reader *r, const struct place *at, enum node_type type,
		     struct node **ret)
{
	struct frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;
	struct node *n;
	int k = count_node(r, at);

	if (k < 0)
		return k;
	n = node_add(r->tree, f ? f->node : NULL, type, f ? f->key : NULL);
	if (!n)
		return -ENOMEM;
	n->line = at->line;
	n->column = at->column;
	if (f)
		f->key = NULL;
	*ret = n;
	return 0;
}

static int set_anchor(struct reader *r, const yaml_char_t *anchor, struct node *n)
{
	if (!anchor)
		return 0;
	if (!r->anchors) {
		int k = map_new(&r->anchors);
		if (k < 0)
			return k;
	}
	return map_put(r->anchors, (const char *)anchor, n);
}

static bool key_taken(const struct frame *f, const char *key)
{
	return f->keys ? map_get(f->keys, key) != NULL : node_get(f->node, key) != NULL;
}

static int note_key(struct frame *f, const char *key, struct node *value)
{
	if (!f->keys) {
		if (f->node->n_children < KEYS_MAP_MIN)
			return 0;
		int k = map_new(&f->keys);
		if (k < 0)
			return k;
		for (struct node *n = f->node->first; n; n = n->next) {
			k = map_put(f->keys, n->key, n);
			if (k < 0)
				return k;
		}
		return 0;
	}
	return map_put(f->keys, key, value);
}

static bool wants_key(const struct reader *r)
{
	const struct frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;

	return f && f->node->type == NODE_GROUP && !f->key;
}

static int read_key(struct reader *r, const yaml_event_t *e)
{
	struct frame *f = &r->stack[r->depth - 1];
	const char *text = (const char *)e->data.scalar.value;

	if (strlen(text) != e->data.scalar.length)
		return refuse_at(r, e, NULL, "a key must not hold NUL bytes");
	if (key_taken(f, text))
		return refuse_at(r, e, text, "is a key that was given before in the same place");
	f->key = arena_strdup(r->tree->arena, text);
	return f->key ? 0 : -ENOMEM;
}

/* After a value of a group was made. The key of a value that is "<<" is looked at when the group
 * ends. */
static int value_made(struct reader *r, struct node *parent, struct node *value)
{
	struct frame *f = r->depth ? &r->stack[r->depth - 1] : NULL;

	if (!f || f->node != parent || parent->type != NODE_GROUP)
		return 0;
	return note_key(f, value->key, value);
}

static int read_scalar(struct reader *r, const yaml_event_t *e)
{
	struct place at = place_of(r, &e->start_mark);
	struct node *n = NULL;
	char *text;
	int k;

	if (wants_key(r))
		return read_key(r, e);
	if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
		return refuse_at(r, e, NULL, "a text must not hold NUL bytes");
	text = arena_strdup(r->tree->arena, (const char *)e->data.scalar.value);
	if (!text)
		return -ENOMEM;
	k = add_value(r, &at, NODE_STRING, &n);
	if (k < 0)
		return k;
	k = resolve_scalar(r, e, text, n);
	if (k < 0)
		return k;
	k = set_anchor(r, e->data.scalar.anchor, n);
	if (k < 0)
		return k;
	return n->parent ? value_made(r, n->parent, n) : 0;
}

static int open_value(struct reader *r, const yaml_event_t *e, enum node_type type,
		      const yaml_char_t *anchor)
{
	struct place at = place_of(r, &e->start_mark);
	struct node *n = NULL;
	int k;

	if (wants_key(r))
		return refuse_at(r, e, NULL, "a key must be a text");
	if (r->depth == ELEMENTSOF(r->stack))
		return refuse_at(r, e, NULL, "nested too deeply");
	k = add_value(r, &at, type, &n);
	if (k < 0)
		return k;
	k = set_anchor(r, anchor, n);
	if (k < 0)
		return k;
	if (n->parent) {
		k = value_made(r, n->parent, n);
		if (k < 0)
			return k;
	}
	r->stack[r->depth++] = (struct frame){.node = n};
	return 0;
}

/* Copies what `from` holds into `to`. The depth was not checked: the copy may lie deeper than the
 * original. */
static int copy_children(struct reader *r, const struct place *at, const struct node *from,
			 struct node *to, unsigned depth);

static int copy_node(struct reader *r, const struct place *at, const struct node *from,
		     struct node *parent, const char *key, unsigned depth)
{
	struct node *n;
	int k = count_node(r, at);

	if (k < 0)
		return k;
	if (++r->n_alias_nodes > IMPORT_ALIAS_NODES_MAX)
		return refuse(r, at, NULL, "aliases add more values than can be read");
	n = node_add(r->tree, parent, from->type, key);
	if (!n)
		return -ENOMEM;
	n->line = at->line;
	n->column = at->column;
	n->value = from->value;
	return copy_children(r, at, from, n, depth + 1);
}

static int copy_children(struct reader *r, const struct place *at, const struct node *from,
			 struct node *to, unsigned depth)
{
	if (from->first && depth >= IMPORT_DEPTH_MAX)
		return refuse(r, at, NULL, "nested too deeply");
	for (const struct node *c = from->first; c; c = c->next) {
		int k = copy_node(r, at, c, to, c->key, depth);
		if (k < 0)
			return k;
	}
	return 0;
}

static int read_alias(struct reader *r, const yaml_event_t *e)
{
	const char *name = (const char *)e->data.alias.anchor;
	struct place at = place_of(r, &e->start_mark);
	const struct node *from = r->anchors ? map_get(r->anchors, name) : NULL;
	struct node *n = NULL;
	int k;

	if (wants_key(r))
		return refuse_at(r, e, name, "a key must be a text, not an alias");
	if (!from)
		return refuse_at(r, e, name, "is an alias without an anchor before it");
	for (unsigned i = 0; i < r->depth; i++) {
		if (r->stack[i].node == from)
			return refuse_at(r, e, name, "is an alias of what it lies in");
	}
	k = add_value(r, &at, from->type, &n);
	if (k < 0)
		return k;
	n->value = from->value;
	k = copy_children(r, &at, from, n, r->depth + 1);
	if (k < 0)
		return k;
	return n->parent ? value_made(r, n->parent, n) : 0;
}

/* Takes the keys of one merged group that the group itself does not have. */
static int merge_group(struct reader *r, struct frame *f, const struct node *from)
{
	struct place at = {.file = r->file, .line = from->line, .column = from->column};

	if (from->type != NODE_GROUP)
		return refuse(r, &at, "<<", "can merge groups only");
	for (const struct node *c = from->first; c; c = c->next) {
		if (key_taken(f, c->key))
			continue;
		int k = copy_node(r, &at, c, f->node, c->key, r->depth);
		if (k < 0)
			return k;
		k = note_key(f, c->key, f->node->last);
		if (k < 0)
			return k;
	}
	return 0;
}

static void remove_child(struct node *group, struct node *child)
{
	struct node *before = NULL;
	unsigned index = 0;

	for (struct node *n = group->first; n; n = n->next) {
		if (n == child) {
			if (before)
				before->next = n->next;
			else
				group->first = n->next;
			if (group->last == child)
				group->last = before;
			continue;
		}
		n->index = index++;
		before = n;
	}
	group->n_children = index;
}

static int merge(struct reader *r, struct frame *f)
{
	struct node *from = f->node->type == NODE_GROUP ? node_get(f->node, "<<") : NULL;
	int k = 0;

	if (!from)
		return 0;
	remove_child(f->node, from);
	if (f->keys)
		map_remove(f->keys, "<<");
	if (from->type != NODE_LIST)
		return merge_group(r, f, from);
	for (const struct node *c = from->first; c && k == 0; c = c->next)
		k = merge_group(r, f, c);
	return k;
}

static int close_value(struct reader *r)
{
	struct frame *f = &r->stack[r->depth - 1];
	int k = merge(r, f);

	f->keys = map_free(f->keys);
	r->depth--;
	return k;
}

static int end_document(struct reader *r, struct documents *ret)
{
	if (r->tree->root && r->tree->root->type != NODE_NULL) {
		int k = documents_add(ret, r->tree);
		if (k < 0)
			return k;
		r->tree = NULL;
	}
	reader_document_done(r);
	return 0;
}

/* Values lie in documents, and only what is open ends. The library keeps to that; a reader that
 * took its word would have nothing left to stand on if it did not. */
static bool is_in_order(const struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return !r->tree;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return r->tree && r->depth > 0;
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_NO_EVENT:
		return true;
	default:
		return r->tree != NULL;
	}
}

static int handle(struct reader *r, const yaml_event_t *e, struct documents *ret)
{
	if (!is_in_order(r, e))
		return refuse_at(r, e, NULL, "not YAML: parts out of order");
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return node_tree_new(r->file, &r->tree);
	case YAML_DOCUMENT_END_EVENT:
		return end_document(r, ret);
	case YAML_SCALAR_EVENT:
		return read_scalar(r, e);
	case YAML_ALIAS_EVENT:
		return read_alias(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return open_value(r, e, NODE_LIST, e->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT:
		return open_value(r, e, NODE_GROUP, e->data.mapping_start.anchor);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		return close_value(r);
	default:
		return 0;
	}
}

static int refuse_syntax(struct reader *r, const yaml_parser_t *parser)
{
	struct place at = place_of(r, &parser->problem_mark);

	if (parser->error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	if (parser->error == YAML_READER_ERROR) {
		diags_add(r->d, DIAG_ERROR, &(struct place){.file = r->file}, NULL, NULL, NULL,
			  NULL, "not YAML: %s at byte %zu", parser->problem,
			  parser->problem_offset);
		return -EBADMSG;
	}
	diags_add(r->d, DIAG_ERROR, &at, NULL, NULL, NULL, NULL, "not YAML: %s%s%s",
		  parser->context ? parser->context : "", parser->context ? ", " : "",
		  parser->problem ? parser->problem : "no reason given");
	return -EBADMSG;
}

static int read_events(struct reader *r, yaml_parser_t *parser, struct documents *ret)
{
	bool more = true;

	while (more) {
		yaml_event_t event;
		int k;

		if (!yaml_parser_parse(parser, &event))
			return refuse_syntax(r, parser);
		more = event.type != YAML_STREAM_END_EVENT;
		k = handle(r, &event, ret);
		yaml_event_delete(&event);
		if (k < 0)
			return k;
	}
	return 0;
}

int yaml_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
	       struct diags *d)
{
	_cleanup_documents_ struct documents found = {0};
	struct reader r = {.file = file_name, .d = d};
	yaml_parser_t parser;
	int k;

	if (!yaml_parser_initialize(&parser))
		return -ENOMEM;
	yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	k = read_events(&r, &parser, &found);
	reader_document_done(&r);
	yaml_parser_delete(&parser);
	if (k < 0)
		return k;
	return documents_move(ret, &found);
}
