/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/map.h"
#include "base/text.h"
#include "import/collect.h"
#include "import/kube-host.h"
#include "import/kube-match.h"
#include "import/translate.h"
#include "import/write-cfg.h"

#define FILE_HEAD "# Imported from Kubernetes objects.\n"

void import_result_done(struct import_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->files[i].name);
		free(r->files[i].text);
	}
	free(r->files);
	*r = (struct import_result){0};
}

/* ---- reading ---- */

static int read_stream(int fd, char **ret, size_t *ret_size)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	char block[16384];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		strbuf_add_bytes(&text, block, (size_t)n);
		if (strbuf_error(&text) < 0)
			return -ENOMEM;
		if (text.len > IMPORT_FILE_MAX)
			return -EFBIG;
	}
	strbuf_add_char(&text, '\0');
	*ret_size = text.len - 1;
	*ret = strbuf_take(&text);
	return *ret ? 0 : -ENOMEM;
}

/* What a shell makes of <(command). */
static int read_pipe(const char *path, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISFIFO(st.st_mode))
		return -ENOTSUP;
	return read_stream(fd, ret, ret_size);
}

static int read_text(const char *path, int stdin_fd, char **ret, size_t *ret_size)
{
	struct stat st;
	int r;

	if (streq(path, "-"))
		return read_stream(stdin_fd, ret, ret_size);
	r = file_read(AT_FDCWD, path, IMPORT_FILE_MAX, ret, ret_size, NULL);
	if (r == -ENOTSUP && stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return read_pipe(path, ret, ret_size);
	return r;
}

static int read_documents(const char *path, int stdin_fd, struct documents *ret, struct diags *d)
{
	const char *name = streq(path, "-") ? "stdin" : path;
	_cleanup_free_ char *data = NULL;
	size_t size = 0;
	int r = read_text(path, stdin_fd, &data, &size);

	if (r < 0) {
		if (r != -ENOMEM)
			diags_add(d, DIAG_ERROR, &(struct place){.file = name}, NULL, NULL, NULL,
				  NULL, "cannot be read: %s", strerror(-r));
		return r;
	}
	return documents_parse(data, size, name, ret, d);
}

/* ---- one service with its endpoints ---- */

/* The trees of one service; either half may be missing. */
struct target {
	char *key;
	struct kube_object *service;
	struct node_tree *own;	 /* of the service */
	struct documents groups; /* of endpoints */
	bool has_slice;
};

struct importer {
	const struct import_options *options;
	struct diags *d;
	struct documents documents;
	struct collection objects;
	struct assignments settings;
	bool has_settings;	 /* an object that makes svcroute.conf was read */
	struct target **targets; /* in the order found */
	size_t n_targets, targets_allocated;
	struct map *by_key;
};

static struct target *target_free(struct target *t)
{
	if (!t)
		return NULL;
	free(t->key);
	node_tree_free(t->own);
	documents_done(&t->groups);
	free(t);
	return NULL;
}
DEFINE_CLEANUP(struct target, target_free);

static void importer_done(struct importer *i)
{
	for (size_t k = 0; k < i->n_targets; k++)
		target_free(i->targets[k]);
	free(i->targets);
	map_free(i->by_key);
	assignments_done(&i->settings);
	collection_done(&i->objects);
	documents_done(&i->documents);
}

static int get_target(struct importer *i, const char *key, struct target **ret)
{
	_cleanup_(target_freep) struct target *t = NULL;
	int r;

	*ret = map_get(i->by_key, key);
	if (*ret)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->key = strdup(key);
	if (!t->key)
		return -ENOMEM;
	r = array_reserve(&i->targets, &i->targets_allocated, i->n_targets + 1);
	if (r < 0)
		return r;
	r = map_put(i->by_key, key, t);
	if (r < 0)
		return r;
	*ret = i->targets[i->n_targets++] = TAKE_PTR(t);
	return 0;
}

/* Mistakes are counted in d; only -ENOMEM ends the work. */
static int go_on(int r)
{
	return r == -EBADMSG ? 0 : r;
}

static int add_service(struct importer *i, struct kube_object *o)
{
	struct target *t;
	int r = get_target(i, o->key, &t);

	if (r < 0)
		return r;
	t->service = o;
	return go_on(kube_service(o, &i->settings.settings, &t->own));
}

static bool is_headless(const struct importer *i, const char *key)
{
	const struct target *t = map_get(i->by_key, key);
	const struct node *ip = t && t->own ? kube_get(t->own->root, "clusterIP") : NULL;

	return ip && ip->type == NODE_STRING && streq(ip->value.string, "None");
}

static int add_groups(struct importer *i, struct kube_object *o, const char *key,
		      struct documents *groups)
{
	struct target *t;
	int r;

	if (groups->n == 0)
		return 0;
	r = get_target(i, key, &t);
	if (r < 0)
		return r;
	if (o->kind == KUBE_ENDPOINTS && t->has_slice) {
		kube_warning(o, o->root, NULL,
			     "the service has EndpointSlices, which count; ignored");
		return 0;
	}
	t->has_slice |= o->kind == KUBE_ENDPOINT_SLICE;
	return documents_move(&t->groups, groups);
}

static int add_slice(struct importer *i, struct kube_object *o)
{
	const struct node *headless = kube_label(o, "labels", "service.kubernetes.io/headless");
	_cleanup_documents_ struct documents groups = {0};
	const char *key = NULL;
	int r = kube_endpoint_slice(o, &i->settings.settings, &groups);

	if (r < 0)
		return go_on(r);
	if (groups.n > 0)
		key = kube_get(groups.trees[0]->root, "service")->value.string;
	/* kube-proxy does not watch them; those of a headless service are for lists and exports. */
	if (key && headless && !is_headless(i, key)) {
		kube_notice(o, headless, NULL,
			    "kube-proxy does not read slices with this label, ignored");
		return 0;
	}
	return key ? add_groups(i, o, key, &groups) : 0;
}

static int add_endpoints(struct importer *i, struct kube_object *o)
{
	_cleanup_documents_ struct documents groups = {0};
	int r = kube_endpoints(o, &i->settings.settings, &groups);

	return r < 0 ? go_on(r) : add_groups(i, o, o->key, &groups);
}

/* ---- the host ---- */

/* The host's name from the command line, where there is no Node that has it. */
static int assign_node_name(struct importer *i)
{
	_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
	struct kube_object o = {.d = i->d};
	int r = node_tree_new("--node", &tree);

	if (r < 0)
		return r;
	o.tree = tree;
	o.root = node_add_string(tree, NULL, NULL, i->options->node_name);
	if (!o.root)
		return -ENOMEM;
	assign(&i->settings, &o, o.root, "Proxy", "NodeName", i->options->node_name);
	/* The place must not outlive the tree. */
	i->settings.origin.places[setting_find("Proxy", "NodeName") - setting_rows] =
		(struct place){0};
	i->has_settings = true;
	return o.error;
}

static int translate_host(struct importer *i)
{
	const struct collection *c = &i->objects;
	const struct kube_list *configs = &c->kinds[KUBE_PROXY_CONFIGURATION];
	const struct kube_list *nodes = &c->kinds[KUBE_NODE];
	const struct kube_list *ranges = &c->kinds[KUBE_SERVICE_CIDR];
	const char *name = i->options->node_name;
	struct kube_host host = {0};
	int r;

	i->has_settings = configs->n + nodes->n + ranges->n > 0;
	if (configs->n > 0)
		kube_proxy_configuration(configs->items[0], &i->settings, &host);
	for (size_t k = 1; k < configs->n; k++)
		kube_error(configs->items[k], configs->items[k]->root, NULL,
			   "is a second KubeProxyConfiguration");
	r = kube_node(nodes->items, nodes->n, name, &host, &i->settings);
	if (r == -ENOENT)
		diags_add(i->d, DIAG_ERROR, NULL, NULL, NULL, name, NULL,
			  "no Node has the name of --node");
	else if (name && nodes->n == 0) {
		r = assign_node_name(i);
		if (r < 0)
			return r;
	}
	for (size_t k = 0; k < ranges->n; k++)
		kube_service_cidr(ranges->items[k], &i->settings);
	return 0;
}

/* What our own reader will ask of the settings together. The name of the host does not matter here.
 */
static int check_settings(struct importer *i, size_t n_errors)
{
	if (i->d->n_errors > n_errors)
		return 0;
	return go_on(
		settings_finish(&i->settings.settings, "localhost", &i->settings.origin, i->d));
}

/* ---- all of it ---- */

/* The first error of an object that has no place in d: no memory. */
static int objects_error(const struct importer *i)
{
	for (int kind = 0; kind < _KUBE_KIND_MAX; kind++) {
		const struct kube_list *l = &i->objects.kinds[kind];

		for (size_t k = 0; k < l->n; k++) {
			if (l->items[k]->error < 0)
				return l->items[k]->error;
		}
	}
	return i->d->error;
}

static int translate(struct importer *i)
{
	static const struct {
		enum kube_kind kind;
		int (*add)(struct importer *i, struct kube_object *o);
	} steps[] = {
		{KUBE_SERVICE, add_service},
		/* Slices before Endpoints: they win. */
		{KUBE_ENDPOINT_SLICE, add_slice},
		{KUBE_ENDPOINTS, add_endpoints},
	};
	size_t n_errors = i->d->n_errors;
	int r = translate_host(i);

	if (r == 0)
		r = check_settings(i, n_errors);
	for (size_t s = 0; s < ELEMENTSOF(steps); s++) {
		const struct kube_list *l = &i->objects.kinds[steps[s].kind];

		for (size_t k = 0; k < l->n && r == 0; k++)
			r = steps[s].add(i, l->items[k]);
	}
	return r < 0 ? r : objects_error(i);
}

static int add_file(struct import_result *ret, const char *directory, const char *key,
		    struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf name = {0};
	char *slash;
	int r = array_reserve(&ret->files, &ret->allocated, ret->n + 1);

	if (r < 0)
		return r;
	if (key) {
		strbuf_addf(&name, "%s/%s.cfg", directory, key);
		slash = name.data ? strrchr(name.data, '/') : NULL;
		if (slash)
			*slash = '.';
	} else {
		strbuf_add(&name, directory);
	}
	if (strbuf_error(&name) < 0 || strbuf_error(text) < 0)
		return -ENOMEM;
	ret->files[ret->n].name = strbuf_take(&name);
	ret->files[ret->n].text = strbuf_take(text);
	if (!ret->files[ret->n].name || !ret->files[ret->n].text) {
		free(ret->files[ret->n].name);
		free(ret->files[ret->n].text);
		return -ENOMEM;
	}
	ret->n++;
	return 0;
}

static int write_target(const struct target *t, struct import_result *ret)
{
	_cleanup_strbuf_ struct strbuf text = {0};
	_cleanup_free_ const struct node **roots = NULL;
	int r;

	if (t->own) {
		const struct node *root = t->own->root;

		strbuf_add(&text, FILE_HEAD);
		r = cfg_write_list("services", &root, 1, &text);
		if (r == 0)
			r = add_file(ret, "services.d", t->key, &text);
		if (r < 0)
			return r;
	}
	if (t->groups.n == 0)
		return 0;
	roots = calloc(t->groups.n, sizeof(*roots));
	if (!roots)
		return -ENOMEM;
	for (size_t k = 0; k < t->groups.n; k++)
		roots[k] = t->groups.trees[k]->root;
	strbuf_reset(&text);
	strbuf_add(&text, FILE_HEAD);
	r = cfg_write_list("endpoints", roots, t->groups.n, &text);
	return r < 0 ? r : add_file(ret, "endpoints.d", t->key, &text);
}

/* svcroute.conf first: it is the only one without a directory. */
static int compare_files(const void *a, const void *b)
{
	const struct import_file *x = a, *y = b;
	bool x_below = strchr(x->name, '/'), y_below = strchr(y->name, '/');

	return x_below != y_below ? x_below - y_below : strcmp(x->name, y->name);
}

static int write_result(struct importer *i, struct import_result *ret)
{
	_cleanup_import_result_ struct import_result made = {0};
	_cleanup_strbuf_ struct strbuf text = {0};
	int r = 0;

	if (i->has_settings) {
		strbuf_add(&text, FILE_HEAD);
		if (i->settings.n > 0)
			strbuf_add_char(&text, '\n');
		assignments_print(&i->settings, &text);
		r = add_file(&made, "svcroute.conf", NULL, &text);
	}
	for (size_t k = 0; k < i->n_targets && r == 0; k++) {
		struct target *t = i->targets[k];

		if (t->own)
			kube_match(t->service, t->own, &t->groups);
		r = write_target(t, &made);
	}
	if (r == 0)
		r = i->d->error;
	if (r < 0)
		return r;
	if (made.n > 1)
		qsort(made.files, made.n, sizeof(*made.files), compare_files);
	*ret = made;
	made = (struct import_result){0};
	return 0;
}

static int import(struct importer *i, const char *const *files, size_t n, struct import_result *ret)
{
	size_t n_errors = i->d->n_errors;
	int result = 0, r;

	/* All files are read, so that the mistakes of all are told. */
	for (size_t k = 0; k < n; k++) {
		r = read_documents(files[k], i->options->stdin_fd, &i->documents, i->d);
		if (r == -ENOMEM)
			return r;
		if (r < 0 && (result == 0 || result == -EBADMSG))
			result = r;
	}
	for (size_t k = 0; k < i->documents.n; k++) {
		r = collect(i->documents.trees[k], &i->objects, i->d);
		if (r < 0)
			return r;
	}
	r = translate(i);
	if (r < 0)
		return r;
	if (result < 0)
		return result;
	if (i->d->n_errors > n_errors)
		return -EBADMSG;
	return write_result(i, ret);
}

int import_files(const char *const *files, size_t n, const struct import_options *options,
		 struct import_result *ret, struct diags *d)
{
	struct importer i = {.options = options, .d = d};
	int r = assignments_init(&i.settings);

	if (r == 0)
		r = map_new(&i.by_key);
	if (r == 0)
		r = import(&i, files, n, ret);
	importer_done(&i);
	return r;
}
