/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/documents.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "import/json.h"
#include "import/yaml.h"

void documents_done(struct documents *d)
{
	for (size_t i = 0; i < d->n; i++)
		node_tree_free(d->trees[i]);
	free(d->trees);
	*d = (struct documents){0};
}

int documents_add(struct documents *d, struct node_tree *tree)
{
	int r = array_reserve(&d->trees, &d->allocated, d->n + 1);
	if (r < 0)
		return r;
	d->trees[d->n++] = tree;
	return 0;
}

int documents_move(struct documents *dst, struct documents *src)
{
	if (src->n) {
		int r = array_reserve(&dst->trees, &dst->allocated, dst->n + src->n);
		if (r < 0)
			return r;
		memcpy(dst->trees + dst->n, src->trees, src->n * sizeof(*src->trees));
		dst->n += src->n;
		src->n = 0;
	}
	documents_done(src);
	return 0;
}

/* Flow style YAML starts with a brace too, but rarely quotes its first key. */
static bool looks_like_json(const char *data, size_t size)
{
	static const char blanks[] = " \t\r\n";
	size_t i = 0;

	while (i < size && strchr(blanks, data[i]))
		i++;
	if (i == size || (data[i] != '{' && data[i] != '['))
		return false;
	i++;
	while (i < size && strchr(blanks, data[i]))
		i++;
	return i < size && strchr("\"{[}]", data[i]);
}

int documents_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
		    struct diags *d)
{
	static const char mark[] = "\xef\xbb\xbf";

	if (size > IMPORT_FILE_MAX) {
		diags_add(d, DIAG_ERROR, &(struct place){.file = file_name}, NULL, NULL, NULL, NULL,
			  "is larger than %u MiB", IMPORT_FILE_MAX >> 20);
		return -EBADMSG;
	}
	if (!text_is_utf8(data, size)) {
		diags_add(d, DIAG_ERROR, &(struct place){.file = file_name}, NULL, NULL, NULL, NULL,
			  "is not UTF-8 text, or holds a NUL byte");
		return -EBADMSG;
	}
	if (size >= 3 && memcmp(data, mark, 3) == 0) {
		data += 3;
		size -= 3;
	}
	if (looks_like_json(data, size)) {
		int r = json_parse(data, size, file_name, ret, d);
		if (r != -ENOTUNIQ)
			return r;
	}
	return yaml_parse(data, size, file_name, ret, d);
}
