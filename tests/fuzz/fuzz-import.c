/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes objects up to the texts of our own files. Besides crashes it looks for objects that
 * are accepted but make files that our own readers refuse. */
#include "import/import.c"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/cfg.h"
#include "config/ini.h"
#include "model/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define check(condition)                                                     \
	do {                                                                 \
		if (!(condition)) {                                          \
			(void)fprintf(stderr, "not true: %s\n", #condition); \
			abort();                                             \
		}                                                            \
	} while (0)

static void read_settings(const struct import_file *f, struct settings *s)
{
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	struct settings_origin origin = {.places = places};
	_cleanup_diags_ struct diags d = {0};

	if (!places)
		return;
	check(ini_read(f->text, strlen(f->text), f->name, s, &origin, &d) == 0);
	check(settings_finish(s, "localhost", &origin, &d) == 0);
}

static void read_objects(const struct import_file *f, const struct settings *s)
{
	bool services = strncmp(f->name, "services.d/", 11) == 0;
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	_cleanup_objects_ struct objects objects = {0};
	_cleanup_diags_ struct diags d = {0};

	check(cfg_parse(f->text, strlen(f->text), f->name, &tree, &d) == 0);
	check(objects_read(tree, services ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS, s, f->name,
			   &objects, &d) == 0);
	check(objects.n_services == services);
	check(services || objects.n_groups > 0);
}

static void read_again(const struct import_result *result)
{
	_cleanup_settings_ struct settings s = {0};

	if (settings_init(&s) < 0)
		return;
	for (size_t i = 0; i < result->n; i++) {
		if (strchr(result->files[i].name, '/'))
			read_objects(&result->files[i], &s);
		else
			read_settings(&result->files[i], &s);
	}
}

static int import_bytes(struct importer *i, const uint8_t *data, size_t size,
			struct import_result *ret)
{
	int r = documents_parse((const char *)data, size, "fuzz.yaml", &i->documents, i->d);

	for (size_t k = 0; k < i->documents.n && r == 0; k++)
		r = collect(i->documents.trees[k], &i->objects, i->d);
	if (r == 0)
		r = translate(i);
	if (r == 0 && i->d->n_errors > 0)
		r = -EBADMSG;
	return r == 0 ? write_result(i, ret) : r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_options options = {.stdin_fd = -1};
	_cleanup_import_result_ struct import_result result = {0};
	_cleanup_diags_ struct diags d = {0};
	struct importer i = {.options = &options, .d = &d};
	int r;

	if (assignments_init(&i.settings) < 0 || map_new(&i.by_key) < 0) {
		importer_done(&i);
		return 0;
	}
	r = import_bytes(&i, data, size, &result);
	check(r == 0 || r == -EBADMSG);
	check((r == 0) == (d.n_errors == 0));
	importer_done(&i);
	if (r == 0)
		read_again(&result);
	return 0;
}
