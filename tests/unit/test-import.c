/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole imports: rows of objects with all that is told and made of them; the golden scenarios,
 * whose files our own readers must take without a change of meaning that they can see; and the
 * golden table of bad objects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "config/cfg.h"
#include "config/ini.h"
#include "import-rows-config.h"
#include "import-rows-endpoints.h"
#include "import-rows-host.h"
#include "import-rows-kinds.h"
#include "import-rows-match.h"
#include "import-rows-service-more.h"
#include "import-rows-service.h"
#include "import-rows-slice.h"
#include "import/import.h"
#include "model/read.h"

static const char file_head[] = "# Imported from Kubernetes objects.\n";

/* A descriptor from which the text is read. */
static int text_fd(const char *text)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	size_t n = strlen(text);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int import_text(const char *text, const char *node_name, struct import_result *ret,
		       struct diags *d)
{
	_cleanup_close_ int fd = text_fd(text);
	struct import_options options = {.node_name = node_name, .stdin_fd = fd};
	static const char *const files[] = {"-"};

	return import_files(files, 1, &options, ret, d);
}

/* "LINE:COLUMN: severity: ..." of each message, one a line. */
static char *messages(const struct diags *d)
{
	struct strbuf b = {0};

	for (size_t i = 0; i < d->n; i++) {
		_cleanup_free_ char *text = diag_format(&d->items[i]);

		assert_non_null(text);
		strbuf_addf(&b, "%s\n",
			    strncmp(text, "stdin:", 6) == 0 && text[6] != ' ' ? text + 6 : text);
	}
	assert_int_equal(strbuf_error(&b), 0);
	if (b.len == 0)
		strbuf_add_bytes(&b, "", 1);
	return strbuf_take(&b);
}

/* What is printed, without the line that each file starts with. */
static char *files_text(const struct import_result *r)
{
	_cleanup_strbuf_ struct strbuf b = {0};
	char *text, *at;

	import_print(r, &b);
	text = strdup(strbuf_text(&b));
	assert_non_null(text);
	for (size_t i = 0; i < r->n; i++)
		assert_int_equal(strncmp(r->files[i].text, file_head, strlen(file_head)), 0);
	while ((at = strstr(text, file_head)))
		memmove(at, at + strlen(file_head), strlen(at + strlen(file_head)) + 1);
	return text;
}

static void check_import_rows(const struct import_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_import_result_ struct import_result result = {0};
		_cleanup_free_ char *told = NULL, *made = NULL;
		_cleanup_diags_ struct diags d = {0};
		int r = import_text(rows[i].objects, NULL, &result, &d);

		told = messages(&d);
		made = files_text(&result);
		if (!streq(told, rows[i].messages) || !streq(made, rows[i].files))
			print_message("objects:\n%s\n", rows[i].objects);
		assert_string_equal(told, rows[i].messages);
		assert_string_equal(made, rows[i].files);
		assert_int_equal(r, d.n_errors > 0 ? -EBADMSG : 0);
	}
}

#define ROWS_TEST(name)                                                  \
	static void test_##name(void **state)                            \
	{                                                                \
		(void)state;                                             \
		check_import_rows(name##_rows, ELEMENTSOF(name##_rows)); \
	}                                                                \
	struct allow_trailing_semicolon_##name

ROWS_TEST(service);
ROWS_TEST(service_more);
ROWS_TEST(slice);
ROWS_TEST(endpoints);
ROWS_TEST(match);
ROWS_TEST(config);
ROWS_TEST(host);
ROWS_TEST(kinds);

/* ---- --node ---- */

static const char two_nodes[] = "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n---\n"
				"apiVersion: v1\nkind: Node\nmetadata: {name: node-2}\n"
				"status: {addresses: [{type: InternalIP, address: 192.0.2.2}]}\n";

static const struct {
	const char *objects, *node;
	const char *settings; /* NULL: refused with the message */
	const char *message;
} node_rows[] = {
	{two_nodes, "node-2", "\n[Proxy]\nNodeName=node-2\nNodeIP=192.0.2.2\n", NULL},
	{two_nodes, "NODE-1", "\n[Proxy]\nNodeName=node-1\nNodeIP=\n", NULL},
	{two_nodes, "node", NULL, "error: 'node': no Node has the name of --node\n"},
	{"", "node-1", "\n[Proxy]\nNodeName=node-1\n", NULL},
	{"apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
	 "hostnameOverride: node-9\nmode: ipvs\n",
	 "node-1", "\n[Proxy]\nMode=ipvs\nNodeName=node-1\n", NULL},
	{"", "a b", NULL, NULL},
};

static void test_node_option(void **state)
{
	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(node_rows); i++) {
		_cleanup_import_result_ struct import_result result = {0};
		_cleanup_diags_ struct diags d = {0};
		_cleanup_free_ char *told = NULL;
		int r = import_text(node_rows[i].objects, node_rows[i].node, &result, &d);

		told = messages(&d);
		if (!node_rows[i].settings) {
			assert_int_equal(r, -EBADMSG);
			assert_int_equal(d.n_errors, 1);
			if (node_rows[i].message)
				assert_string_equal(told, node_rows[i].message);
			continue;
		}
		assert_string_equal(told, "");
		assert_int_equal(result.n, 1);
		assert_string_equal(result.files[0].name, "svcroute.conf");
		assert_string_equal(result.files[0].text + strlen(file_head),
				    node_rows[i].settings);
	}
}

/* ---- files ---- */

static void test_files(void **state)
{
	static const char *const missing[] = {"/nonexistent/a.yaml", "-", "/nonexistent/b.yaml"};
	_cleanup_close_ int fd = text_fd("a: [\n");
	struct import_options options = {.stdin_fd = fd};
	_cleanup_diags_ struct diags d = {0};
	struct import_result result, poison;

	(void)state;
	memset(&result, 0xaa, sizeof(result));
	memset(&poison, 0xaa, sizeof(poison));
	/* All are read, the first failure counts; a syntax error does not hide that a file is
	 * missing. */
	assert_int_equal(import_files(missing, 3, &options, &result, &d), -ENOENT);
	assert_memory_equal(&result, &poison, sizeof(result));
	assert_int_equal(d.n_errors, 3);
	assert_string_equal(d.items[0].file, "/nonexistent/a.yaml");
	assert_string_equal(d.items[1].file, "stdin");
	assert_string_equal(d.items[2].file, "/nonexistent/b.yaml");
	diags_done(&d);
	assert_int_equal(import_files(&missing[1], 2, &options, &result, &d), -ENOENT);
	diags_done(&d);
	options.stdin_fd = -1;
	assert_int_equal(import_files(&missing[1], 1, &options, &result, &d), -EBADF);
	assert_memory_equal(&result, &poison, sizeof(result));
}

static void test_pipe_and_directory(void **state)
{
	static const char text[] = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n";
	_cleanup_import_result_ struct import_result result = {0};
	struct import_options options = {.stdin_fd = -1};
	_cleanup_diags_ struct diags d = {0};
	char path[64];
	const char *const files[] = {path}, *const directory[] = {"/"},
			  *const device[] = {"/dev/zero"};
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
	close(fds[1]);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", fds[0]);
	assert_int_equal(import_files(files, 1, &options, &result, &d), 0);
	assert_int_equal(result.n, 1);
	close(fds[0]);
	assert_int_equal(import_files(directory, 1, &options, &result, &d), -EISDIR);
	assert_int_equal(import_files(device, 1, &options, &result, &d), -ENOTSUP);
	assert_int_equal(d.n_errors, 2);
}

/* Objects of several files belong together. */
static void test_several_files(void **state)
{
	char names[2][32] = {"/tmp/test-import-a.XXXXXX", "/tmp/test-import-b.XXXXXX"};
	const char *const files[] = {names[0], names[1]};
	const char *const texts[] = {service_rows[0].objects, slice_rows[0].objects};
	struct import_options options = {.stdin_fd = -1};
	_cleanup_import_result_ struct import_result result = {0};
	_cleanup_diags_ struct diags d = {0};
	int r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		int fd = mkstemp(names[i]);

		assert_true(fd >= 0);
		assert_int_equal(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
	}
	r = import_files(files, 2, &options, &result, &d);
	for (int i = 0; i < 2; i++)
		unlink(names[i]);
	assert_int_equal(r, 0);
	assert_int_equal(result.n, 2);
	assert_string_equal(result.files[0].name, "endpoints.d/default.web.cfg");
	assert_string_equal(result.files[1].name, "services.d/default.web.cfg");
}

/* ---- golden ---- */

static void read_again(const struct import_result *result)
{
	_cleanup_free_ struct place *places = calloc(n_setting_rows, sizeof(*places));
	struct settings_origin origin = {.places = places};
	_cleanup_settings_ struct settings s = {0};

	assert_non_null(places);
	assert_int_equal(settings_init(&s), 0);
	for (size_t i = 0; i < result->n; i++) {
		const struct import_file *f = &result->files[i];
		bool services = strncmp(f->name, "services.d/", 11) == 0;
		_cleanup_(node_tree_freep) struct node_tree *tree = NULL;
		_cleanup_objects_ struct objects objects = {0};
		_cleanup_diags_ struct diags d = {0};
		int r;

		if (streq(f->name, "svcroute.conf")) {
			assert_int_equal(i, 0);
			r = ini_read(f->text, strlen(f->text), f->name, &s, &origin, &d);
			if (r == 0)
				r = settings_finish(&s, "localhost", &origin, &d);
		} else {
			r = cfg_parse(f->text, strlen(f->text), f->name, &tree, &d);
			if (r == 0)
				r = objects_read(tree,
						 services ? OBJECTS_SERVICES : OBJECTS_ENDPOINTS,
						 &s, f->name, &objects, &d);
			assert_int_equal(objects.n_services, services);
			assert_true(services || objects.n_groups > 0);
		}
		if (r != 0)
			fail_msg("%s: %s: %s\n%s", f->name, d.n ? d.items[0].field : "",
				 d.n ? d.items[0].reason : "", f->text);
	}
}

/* Calls check for every NAME.yaml of a folder of tests/golden; how many there were. */
static size_t each_golden(const char *folder, void (*check)(const char *path))
{
	const char *source = getenv("SVCROUTE_SOURCE");
	_cleanup_free_ char *directory = NULL;
	struct dirent **entries;
	size_t found = 0;
	int n;

	assert_true(asprintf(&directory, "%s/tests/golden/%s", source ? source : ".", folder) > 0);
	n = scandir(directory, &entries, NULL, alphasort);
	if (n < 0)
		fail_msg("%s: %s", directory, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *suffix = strrchr(entries[i]->d_name, '.');
		_cleanup_free_ char *path = NULL;

		if (suffix && streq(suffix, ".yaml")) {
			assert_true(asprintf(&path, "%s/%s", directory, entries[i]->d_name) > 0);
			check(path);
			found++;
		}
		free(entries[i]);
	}
	free(entries);
	return found;
}

static int import_path(const char *path, struct import_result *ret, struct diags *d)
{
	struct import_options options = {.stdin_fd = -1};

	return import_files(&path, 1, &options, ret, d);
}

static void check_scenario(const char *path)
{
	_cleanup_import_result_ struct import_result result = {0}, second = {0};
	_cleanup_strbuf_ struct strbuf a = {0}, b = {0};
	_cleanup_diags_ struct diags d = {0};

	if (import_path(path, &result, &d) != 0)
		fail_msg("%s: %s: %s", path, d.items[0].field, d.items[0].reason);
	read_again(&result);
	assert_int_equal(import_path(path, &second, &d), 0);
	import_print(&result, &a);
	import_print(&second, &b);
	assert_string_equal(strbuf_text(&a), strbuf_text(&b));
}

static void test_scenarios(void **state)
{
	(void)state;
	assert_int_equal(each_golden("scenarios", check_scenario), 161);
}

/* kube-proxy's internal names of what its configuration file calls otherwise. */
static const char *const config_fields[][2] = {
	{"BindAddress", "bindAddress"},
	{"DetectLocalConfiguration.ClusterCIDRs", "clusterCIDR"},
	{"DetectLocalConfiguration.ClusterCIDRs[0]", "clusterCIDR"},
	{"DetectLocalMode", "detectLocalMode"},
	{"HealthzBindAddress", "healthzBindAddress"},
	{"KubeProxyIPTablesConfiguration.MasqueradeBit", "iptables.masqueradeBit"},
	{"KubeProxyIPVSConfiguration.ExcludeCidrs[0]", "ipvs.excludeCIDRs[0]"},
	{"KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration.MaxPerCore",
	 "conntrack.maxPerCore"},
	{"MinSyncPeriod", "iptables.minSyncPeriod"},
	{"NodePortAddresses[0]", "nodePortAddresses[0]"},
	{"SyncPeriod", "iptables.syncPeriod"},
	{"spec.LoadBalancerSourceRanges[0]", "spec.loadBalancerSourceRanges[0]"},
};

static const char *our_field(const char *field)
{
	static const char prefix[] = "KubeProxyConfiguration.";

	if (strncmp(field, prefix, strlen(prefix)) == 0)
		field += strlen(prefix);
	for (size_t i = 0; i < ELEMENTSOF(config_fields); i++) {
		if (streq(config_fields[i][0], field))
			return config_fields[i][1];
	}
	return field;
}

static bool has_error(const struct diags *d, const char *field)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->items[i].severity == DIAG_ERROR && d->items[i].field &&
		    streq(d->items[i].field, field))
			return true;
	}
	return false;
}

/* Accepted by an API server, refused by us on purpose: rows K of spec/model.md (its number), Y9:
 * strict prefixes. */
static const char *const refused_on_purpose[][2] = {
	{"clustercidr-leading-zero", "Y9"},
	{"clustercidr-mapped", "Y9"},
	{"clustercidr-mask-leading-zero", "Y9"},
	{"clusterip-link", "S17"},
	{"clusterip-link6", "S17"},
	{"clusterip-loop", "S17"},
	{"clusterip-mcast", "S17"},
	{"clusterip-mcast6", "S17"},
	{"clusterip-unspec", "S17"},
	{"clusterip-unspec6", "S17"},
	{"detect-prefix-long", "section 4.1"},
	{"endpoint-bcast", "E7"},
	{"excludecidr-leading-zero", "Y9"},
	{"excludecidr-mapped", "Y9"},
	{"excludecidr-mask-leading-zero", "Y9"},
	{"externalip-bcast", "S51"},
	{"externalname-with-ip", "S20"},
	{"hcnp-equals-nodeport", "X4"},
	{"lbip-bcast", "S58"},
	{"lbip-link", "S58"},
	{"lbip-link6", "S58"},
	{"lbip-loop6", "S58"},
	{"lbip-mcast", "S58"},
	{"lbip-unspec", "S58"},
	{"nodeport-big", "S39"},
	{"nodeport-max", "S39"},
	{"nodeport-neg", "S39"},
	{"nodeportaddress-leading-zero", "Y9"},
	{"nodeportaddress-mask-leading-zero", "Y9"},
	{"scheduler-unknown", "scheduler"},
	{"slice-port-big", "E13"},
	{"slice-port-neg", "E13"},
	{"slice-port-null", "E13"},
	{"slice-port-zero", "E13"},
	{"slice-zone-hint-empty", "E17"},
};

/* Fields that a verdict names beside the one that was written: the API server's defaults made them
 * wrong. */
static const char *const defaulted[] = {"spec.ipFamilies[1]", "spec.ports[0].targetPort"};

static bool is_refused_on_purpose(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t n = strlen(name) - strlen(".yaml");

	for (size_t i = 0; i < ELEMENTSOF(refused_on_purpose); i++) {
		if (strlen(refused_on_purpose[i][0]) == n &&
		    strncmp(refused_on_purpose[i][0], name, n) == 0)
			return true;
	}
	return false;
}

/* Each field of the verdict has an error; where there is none, nothing is refused but on purpose.
 */
static void check_bad(const char *path)
{
	_cleanup_free_ char *verdict_path = NULL, *verdict = NULL;
	_cleanup_import_result_ struct import_result result = {0};
	_cleanup_diags_ struct diags d = {0};
	char *line, *rest;
	size_t size, n_found = 0;
	int r = import_path(path, &result, &d);

	assert_true(asprintf(&verdict_path, "%.*s.verdict", (int)(strrchr(path, '.') - path),
			     path) > 0);
	assert_int_equal(file_read(AT_FDCWD, verdict_path, 65536, &verdict, &size, NULL), 0);
	if (size == 0) {
		if ((r != 0) != is_refused_on_purpose(path))
			fail_msg("%s: %s: %s", path, d.n ? d.items[0].field : "accepted",
				 d.n ? d.items[0].reason : "but should be refused on purpose");
		return;
	}
	assert_int_equal(r, -EBADMSG);
	for (rest = verdict; (line = strsep(&rest, "\n"));) {
		char *kind = strsep(&line, " "), *field = strsep(&line, " ");

		if (!field || !line || streq(kind, "refused"))
			continue;
		if (has_error(&d, our_field(field)))
			n_found++;
		else if (text_index(field, defaulted, ELEMENTSOF(defaulted)) < 0)
			fail_msg("%s: no error about %s, but %s: %s", path, our_field(field),
				 d.items[0].field, d.items[0].reason);
	}
	assert_true(n_found > 0 || strncmp(verdict, "refused", 7) == 0);
}

static void test_bad(void **state)
{
	(void)state;
	assert_int_equal(each_golden("bad", check_bad), 231);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_service),
		cmocka_unit_test(test_service_more),
		cmocka_unit_test(test_slice),
		cmocka_unit_test(test_endpoints),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_node_option),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_pipe_and_directory),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_scenarios),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
