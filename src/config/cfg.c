/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/cfg.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "config/cfg-tree.h"
#include "config/locate.h"
#include "config/scan.h"

static int refuse(const char *data, size_t size, const char *bad, const char *file_name,
		  struct diags *d, const char *reason, const char *hint)
{
	struct place place = {.file = file_name};
	struct scan_cursor c;

	scan_cursor_init(&c, data, size);
	scan_cursor_move(&c, (size_t)(bad - data));
	place.line = c.line;
	place.column = c.column;
	diags_add(d, DIAG_ERROR, &place, NULL, NULL, NULL, hint, "%s", reason);
	return d->error ? d->error : -EBADMSG;
}

/* The first byte that is not part of a UTF-8 character. */
static const char *first_invalid(const char *data, size_t size)
{
	const char *end = data + size;

	while (data < end) {
		size_t n = 1;

		while (n <= 4 && n <= (size_t)(end - data) && !text_is_utf8(data, n))
			n++;
		if (n > 4 || n > (size_t)(end - data))
			return data;
		data += n;
	}
	return end;
}

/*
 * What an editor, a copy or a broken disk makes of a text. The library would stop at a NUL, keep a
 * CR inside strings, take the rest of a file with bare CRs for a comment, and call all of the
 * others "syntax error".
 */
static int check_encoding(const char *data, size_t size, const char *file_name, struct diags *d)
{
	size_t bom = scan_bom_size(data, size);
	const char *end = data + size, *nul;

	if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
		return refuse(data, size, data, file_name, d, "the file is in UTF-16, not UTF-8",
			      "save it as UTF-8");
	if (bom && scan_bom_size(data + bom, size - bom))
		return refuse(data, size, data + bom, file_name, d,
			      "the file starts with two byte order marks", "save it as UTF-8");

	nul = memchr(data, '\0', size);
	if (nul) {
		bool wide = nul - data < 4 && end - nul > 2 && !nul[2];

		return refuse(data, size, nul, file_name, d,
			      wide ? "NUL byte: the file seems to be in UTF-16"
				   : "NUL byte: this is not a text file",
			      wide ? "save it as UTF-8" : NULL);
	}
	for (const char *cr = data; (cr = memchr(cr, '\r', (size_t)(end - cr))); cr++)
		if (cr + 1 == end || cr[1] != '\n')
			return refuse(data, size, cr, file_name, d,
				      "carriage return without a line feed",
				      "lines end in LF or CR LF");
	if (!text_is_utf8(data, size))
		return refuse(data, size, first_invalid(data, size), file_name, d,
			      "the text is not valid UTF-8", NULL);
	return 0;
}

/* What the locator needs; lives in the arena of the tree. */
struct locator {
	const char *data;
	size_t size;
	const struct location *places; /* by ordinal; NULL until the first message */
	size_t n;
};

static int find_places(struct locator *l, struct arena *arena)
{
	_cleanup_(locations_done) struct locations found = {0};
	struct location *copy;
	int r;

	r = locations_scan(l->data, l->size, &found);
	if (r < 0)
		return r;
	copy = arena_alloc(arena, found.n * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, found.items, found.n * sizeof(*copy));
	l->places = copy;
	l->n = found.n;
	return 0;
}

/* Without memory there is no place, and the tree is marked. */
static void locate(struct node_tree *tree, const struct node *node, struct place *at)
{
	struct locator *l = tree->locate_data;

	if (!l->places) {
		int r = find_places(l, tree->arena);

		if (r == -ENOMEM)
			tree->error = r;
		if (r < 0)
			return;
	}
	if (node->ordinal >= l->n)
		return;
	at->line = l->places[node->ordinal].line;
	at->column = l->places[node->ordinal].column;
}

static int set_locator(struct node_tree *tree, const char *data, size_t size)
{
	struct locator *l = arena_alloc(tree->arena, sizeof(*l));

	if (!l)
		return -ENOMEM;
	*l = (struct locator){.data = data, .size = size};
	tree->locate = locate;
	tree->locate_data = l;
	return 0;
}

int cfg_parse(const char *data, size_t size, const char *file_name, struct node_tree **ret,
	      struct diags *d)
{
	_cleanup_(cfg_cuts_done) struct cfg_cuts cuts = {.data = data};
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	int r;

	r = check_encoding(data, size, file_name, d);
	if (r < 0)
		return r;
	r = scan_text(data, size, cfg_note_cut, &cuts, file_name, d);
	if (r < 0)
		return r;

	r = node_tree_new(file_name, &tree);
	if (r < 0)
		return r;
	r = set_locator(tree, data, size);
	if (r < 0)
		return r;
	r = cfg_fill_tree(data, size, &cuts, tree, d);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(tree);
	return 0;
}
