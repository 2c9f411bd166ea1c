/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/cfg-tree.h"

#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/scan.h"

/* A part of the text that is parsed by itself. */
struct piece {
	size_t start, end;
	const struct cfg_cut *before, *after; /* NULL: the start or the end of the text */
};

void cfg_cuts_done(struct cfg_cuts *c)
{
	free(c->items);
	*c = (struct cfg_cuts){0};
}

int cfg_note_cut(void *userdata, unsigned depth, size_t key, size_t value)
{
	struct cfg_cuts *c = userdata;
	int r;

	if (depth == 1) {
		c->current.key = key;
		c->current.open = value;
		c->is_list = c->data[value] == '(';
	}
	if (depth != 2 || !c->is_list || value - c->current.entry < CFG_PIECE_SIZE)
		return 0;
	r = array_reserve(&c->items, &c->allocated, c->n + 1);
	if (r < 0)
		return r;
	c->current.entry = value;
	c->items[c->n++] = c->current;
	return 0;
}

static enum node_type type_of(const config_setting_t *setting)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_GROUP:
		return NODE_GROUP;
	case CONFIG_TYPE_ARRAY:
	case CONFIG_TYPE_LIST:
		return NODE_LIST;
	case CONFIG_TYPE_BOOL:
		return NODE_BOOL;
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return NODE_INT;
	case CONFIG_TYPE_FLOAT:
		return NODE_FLOAT;
	case CONFIG_TYPE_STRING:
		return NODE_STRING;
	default:
		return NODE_NULL; /* no text makes one; every reader refuses it */
	}
}

/* Gives the node the value of the setting, except children. */
static int set_value(struct node_tree *tree, struct node *n, const config_setting_t *setting,
		     struct diags *d)
{
	const char *text;

	switch (n->type) {
	case NODE_BOOL:
		n->value.boolean = config_setting_get_bool(setting);
		return 0;
	case NODE_INT:
		n->value.integer = config_setting_get_int64(setting);
		return 0;
	case NODE_FLOAT:
		n->value.number = config_setting_get_float(setting);
		if (isfinite(n->value.number))
			return 0;
		node_diag(d, tree, n, DIAG_ERROR, NULL, NULL, "the number is too large");
		return d->error ? d->error : -EBADMSG;
	case NODE_STRING:
		text = config_setting_get_string(setting);
		n->value.string = arena_strdup(tree->arena, text ? text : "");
		return n->value.string ? 0 : -ENOMEM;
	default:
		return 0;
	}
}

static int convert_children(struct node_tree *tree, struct node *n, const config_setting_t *setting,
			    unsigned n_left_out, struct diags *d);

/* Adds a setting and all below it, in the order that the scanner told, except for the last
 * n_left_out children. The scanner has limited the depth. */
static int convert(struct node_tree *tree, struct node *parent, const config_setting_t *setting,
		   unsigned n_left_out, struct diags *d)
{
	const char *key = NULL;
	struct node *n;
	int r;

	if (config_setting_name(setting)) {
		key = arena_strdup(tree->arena, config_setting_name(setting));
		if (!key)
			return -ENOMEM;
	}
	n = node_add(tree, parent, type_of(setting), key);
	if (!n)
		return -ENOMEM;
	r = set_value(tree, n, setting, d);
	if (r < 0 || !config_setting_is_aggregate(setting))
		return r;
	return convert_children(tree, n, setting, n_left_out, d);
}

static int convert_children(struct node_tree *tree, struct node *n, const config_setting_t *setting,
			    unsigned n_left_out, struct diags *d)
{
	unsigned n_children = (unsigned)config_setting_length(setting);

	for (unsigned i = 0; i + n_left_out < n_children; i++) {
		int r = convert(tree, n, config_setting_get_elem(setting, i), 0, d);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The list before a cut is closed behind an entry that was not there, as a comma must not be the
 * last; the list after a cut is opened again under its own key, which cannot be that of another
 * setting. A comment at the end of a text without a line feed would be a syntax error to the
 * library. */
static int write_piece(const char *data, const struct piece *p, struct strbuf *out)
{
	strbuf_reset(out);
	if (p->before)
		strbuf_add_bytes(out, data + p->before->key, p->before->open + 1 - p->before->key);
	strbuf_add_bytes(out, data + p->start, p->end - p->start);
	strbuf_add(out, p->after ? "0);" : "\n");
	return strbuf_error(out);
}

static int convert_piece(struct node_tree *tree, const struct piece *p,
			 const config_setting_t *piece_root, struct diags *d)
{
	unsigned n_settings = (unsigned)config_setting_length(piece_root);

	for (unsigned i = 0; i < n_settings; i++) {
		const config_setting_t *setting = config_setting_get_elem(piece_root, i);
		unsigned n_left_out = p->after && i + 1 == n_settings;
		int r;

		if (p->before && i == 0)
			r = convert_children(tree, tree->root->last, setting, n_left_out, d);
		else
			r = convert(tree, tree->root, setting, n_left_out, d);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The library's own verdict. The scanner is the stricter of the two, so this is for what was
 * overlooked. */
static int refuse_piece(const config_t *config, const char *data, size_t size,
			const struct piece *p, const char *file_name, struct diags *d)
{
	struct place place = {.file = file_name};
	const char *text = config_error_text(config);
	struct scan_cursor c;
	int line;

	scan_cursor_init(&c, data, size);
	scan_cursor_move(&c, p->start);
	for (line = c.line + config_error_line(config) - 1; c.line < line && c.offset < size;)
		scan_cursor_move(&c, c.offset + 1);
	while (c.offset < size && (data[c.offset] == ' ' || data[c.offset] == '\t'))
		scan_cursor_move(&c, c.offset + 1);
	place.line = c.line;
	place.column = c.column;
	diags_add(d, DIAG_ERROR, &place, NULL, NULL, NULL, NULL, "%s",
		  text ? text : "syntax error");
	return d->error ? d->error : -EBADMSG;
}

int cfg_fill_tree(const char *data, size_t size, const struct cfg_cuts *cuts,
		  struct node_tree *tree, struct diags *d)
{
	_cleanup_strbuf_ struct strbuf text = {0};

	if (!node_add(tree, NULL, NODE_GROUP, NULL))
		return -ENOMEM;

	for (size_t i = 0; i <= cuts->n; i++) {
		const struct piece p = {
			.before = i > 0 ? &cuts->items[i - 1] : NULL,
			.after = i < cuts->n ? &cuts->items[i] : NULL,
			.start = i > 0 ? cuts->items[i - 1].entry : scan_bom_size(data, size),
			.end = i < cuts->n ? cuts->items[i].entry : size,
		};
		_cleanup_(config_destroy) config_t config;
		int r;

		config_init(&config);
		r = write_piece(data, &p, &text);
		if (r < 0)
			return r;
		if (!config_read_string(&config, strbuf_text(&text)))
			return refuse_piece(&config, data, size, &p, tree->file, d);
		r = convert_piece(tree, &p, config_root_setting(&config), d);
		if (r < 0)
			return r;
	}
	return 0;
}
