/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "service-rows.h"

#include <stdio.h>

#define GROUPS_MAX 4

/* A port with the name of its own, for several in a service. */
#define HTTP "{ name = \"http\"; port = 80; targetPort = 8080; }, "
#define DNS                                                    \
	"{ name = \"dns\"; port = 53; protocol = \"UDP\"; }, " \
	"{ name = \"dns-tcp\"; port = 53; }, "
#define G "service = \"web\"; "

static void add_list(struct strbuf *b, const char *name, const struct text_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		strbuf_addf(b, " %s=%s", name, l->items[i]);
}

/* One endpoint a line: port of the service, ip:port, conditions, what else is not as usual. */
static char *dump(const struct service *s)
{
	struct strbuf b = {0};
	char text[ADDR_PORT_TEXT_MAX];
	size_t n[_ADDR_FAMILY_MAX] = {0};

	for (size_t p = 0; p < service_n_lists(s); p++) {
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const struct endpoint_list *l = &s->endpoints[p][f];

			n[f] += l->n;
			for (size_t i = 0; i < l->n; i++) {
				const struct endpoint *e = &l->items[i];

				assert_int_equal(e->ip.family, f);
				strbuf_addf(&b, "%zu %s %s%s%s", p,
					    addr_port_format(&e->ip, e->port, text),
					    e->ready ? "r" : "-", e->serving ? "s" : "-",
					    e->terminating ? "t" : "-");
				if (e->weight != 1)
					strbuf_addf(&b, " weight=%u", e->weight);
				if (e->node)
					strbuf_addf(&b, " node=%s", e->node);
				if (e->zone)
					strbuf_addf(&b, " zone=%s", e->zone);
				if (e->hostname)
					strbuf_addf(&b, " hostname=%s", e->hostname);
				add_list(&b, "forZone", &e->for_zones);
				add_list(&b, "forNode", &e->for_nodes);
				strbuf_add_char(&b, '\n');
			}
		}
	}
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		assert_int_equal(s->n_endpoints[f], n[f]);
	assert_int_equal(strbuf_error(&b), 0);
	return strbuf_take(&b);
}

struct build_row {
	const char *service;
	const char *groups[GROUPS_MAX]; /* NULL: no more */
	const char *endpoints;		/* NULL: is refused */
	const char *said;
};

static void check_build(const struct build_row *row)
{
	struct service *const poisoned = (void *)0xA5A5;
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *def = NULL;
	_cleanup_diags_ struct diags d = {0};
	_cleanup_free_ char *said = NULL, *endpoints = NULL;
	struct endpoint_group *groups[GROUPS_MAX] = {0};
	struct service *s = poisoned;
	size_t n = 0;

	assert_int_equal(settings_init(&settings), 0);
	def = make_service(row->service, &settings);
	while (n < GROUPS_MAX && row->groups[n]) {
		groups[n] = make_group(row->groups[n], &settings);
		n++;
	}
	/* An error that was there before must not count. */
	diags_add(&d, DIAG_ERROR, NULL, NULL, NULL, NULL, NULL, "old");
	assert_int_equal(service_build(def, groups, n, &s, &d), row->endpoints ? 0 : -EBADMSG);
	said = messages_text(&d);
	if (!streq(said + strlen("error: old\n"), row->said))
		fail_msg("%s says\n%snot\n%s", row->service, said, row->said);
	/* The service must own all that it shows. */
	for (size_t i = 0; i < n; i++)
		endpoint_group_free(groups[i]);
	def = service_def_free(def);
	if (!row->endpoints) {
		assert_ptr_equal(s, poisoned);
		return;
	}
	endpoints = dump(s);
	if (!streq(endpoints, row->endpoints))
		fail_msg("%s has\n%snot\n%s", row->service, endpoints, row->endpoints);
	assert_string_equal(s->key, "default/web");
	assert_ptr_equal(s->key, s->def->key);
	assert_null(s->def->inline_group);
	assert_null(s->def->at.file);
	assert_int_equal(s->refs, 1);
	service_unref(s);
}

static void check_builds(const struct build_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_build(&rows[i]);
}

/* Model section 2.3, line by line. */
static void test_ports(void **state)
{
	static const struct build_row rows[] = {
		{N C P, {NULL}, "", ""},
		{N C P "endpoints = ()", {NULL}, "", ""},
		{N C P "endpoints = [\"10.1.0.1:8080\"]", {NULL}, "0 10.1.0.1:8080 rs-\n", ""},
		/* Nothing written: the targetPort, which is the port unless it is set. */
		{N C P "endpoints = [\"10.1.0.1\"]", {NULL}, "0 10.1.0.1:80 rs-\n", ""},
		{N C "ports = (" HTTP ")",
		 {G "endpoints = [\"10.1.0.1\"]"},
		 "0 10.1.0.1:8080 rs-\n",
		 ""},
		/* A targetPort with a name needs a port with that name. */
		{N C "ports = ({ port = 80; targetPort = \"www\"; })",
		 {G "endpoints = [\"10.1.0.1\"]"},
		 "",
		 "warning: services[0].ports[0]: none of the endpoints has a port for the "
		 "service's "
		 "port 80/TCP (give the endpoints a TCP port without a name)\n"},
		{N C "ports = ({ port = 80; targetPort = \"www\"; })",
		 {G "ports = ({ name = \"www\"; port = 8081; }); endpoints = [\"10.1.0.1\"]"},
		 "0 10.1.0.1:8081 rs-\n",
		 ""},
		{N C "ports = ({ port = 80; targetPort = \"www\"; })",
		 {G "ports = ({ name = \"www\"; port = 8081; protocol = \"UDP\"; }); "
		    "endpoints = [\"10.1.0.1\"]"},
		 "",
		 "warning: services[0].ports[0]: none of the endpoints has a port for the "
		 "service's "
		 "port 80/TCP (give the endpoints a TCP port without a name)\n"},
		/* The name of the service's port comes first. */
		{N C "ports = ({ name = \"web\"; port = 80; targetPort = \"www\"; })",
		 {G "ports = ({ name = \"www\"; port = 8081; }, { name = \"web\"; port = 8082; }); "
		    "endpoints = [\"10.1.0.1\"]"},
		 "0 10.1.0.1:8082 rs-\n",
		 ""},
		/* With ports given the number of the targetPort plays no part. */
		{N C "ports = (" HTTP ")",
		 {G "ports = ({ port = 9; }); endpoints = [\"10.1.0.1\"]"},
		 "",
		 "warning: services[0].ports[0]: none of the endpoints has a port for the "
		 "service's "
		 "port 80/TCP (give the endpoints a TCP port named 'http')\n"},
		{N C P,
		 {G "ports = ({ port = 9; }); endpoints = [\"10.1.0.1\"]"},
		 "0 10.1.0.1:9 rs-\n",
		 ""},
		/* An empty list of ports: as in a slice, no port at all. */
		{N C P,
		 {G "ports = (); endpoints = [\"10.1.0.1\"]"},
		 "",
		 "warning: services[0].ports[0]: none of the endpoints has a port for the "
		 "service's "
		 "port 80/TCP (give the endpoints a TCP port without a name)\n"},
		/* An entry's own port or ports come before those of the group. */
		{N C P,
		 {G "ports = ({ port = 9; }); endpoints = (\"10.1.0.1:10\", "
		    "{ address = \"10.1.0.2\"; port = 11; }, "
		    "{ address = \"10.1.0.3\"; ports = ({ port = 12; }); }, \"10.1.0.4\")"},
		 "0 10.1.0.1:10 rs-\n0 10.1.0.2:11 rs-\n0 10.1.0.3:12 rs-\n0 10.1.0.4:9 rs-\n",
		 ""},
		/* Several ports of one number share the port of an endpoint. */
		{N C "ports = (" DNS ")",
		 {G "endpoints = [\"10.1.0.1:5353\"]"},
		 "0 10.1.0.1:5353 rs-\n1 10.1.0.1:5353 rs-\n",
		 ""},
		/* Of different numbers: which one is it? Each endpoint is told. */
		{N C "ports = (" HTTP DNS ") endpoints = [\"10.1.0.1\", \"10.1.0.2:8080\"]",
		 {G "endpoints = (\"10.1.0.3:1\", { address = \"fd00::1\"; port = 5; })"},
		 NULL,
		 "error: services[0].endpoints[1] '10.1.0.2:8080': which port? The service has "
		 "several ports with different numbers (write { address = \"10.1.0.2\"; ports = ( "
		 "{ "
		 "name = \"http\"; port = 8080; }, ... ); })\n"
		 "error: endpoints[0].endpoints[0] '10.1.0.3:1': which port? The service has "
		 "several ports with different numbers (write { address = \"10.1.0.3\"; ports = ( "
		 "{ "
		 "name = \"http\"; port = 1; }, ... ); })\n"
		 "error: endpoints[0].endpoints[1] '[fd00::1]:5': which port? The service has "
		 "several ports with different numbers (write { address = \"fd00::1\"; ports = ( { "
		 "name = \"http\"; port = 5; }, ... ); })\n"},
		{N C "ports = (" HTTP DNS ")",
		 {G "ports = ({ name = \"dns\"; port = 1; protocol = \"UDP\"; }, "
		    "{ name = \"http\"; port = 2; }); endpoints = [\"10.1.0.1\"]",
		  G "ports = ({ name = \"dns-tcp\"; port = 3; }); endpoints = [\"10.1.0.2\"]"},
		 "0 10.1.0.1:2 rs-\n1 10.1.0.1:1 rs-\n2 10.1.0.2:3 rs-\n",
		 ""},
		/* One group is for nothing, while all ports have endpoints. */
		{N C P,
		 {G "endpoints = [\"10.1.0.1\"]",
		  G "ports = ({ name = \"x\"; port = 1; }); endpoints = [\"10.1.0.2\"]",
		  G "ports = ({ name = \"y\"; port = 1; }); endpoints = ()"},
		 "0 10.1.0.1:80 rs-\n",
		 "warning: endpoints[0]: no port of the service matches, so these endpoints are "
		 "not "
		 "used (ports are matched by name and protocol)\n"},
	};

	(void)state;
	check_builds(rows, ELEMENTSOF(rows));
}

/* Model section 2.5: order and duplicates. */
static void test_merging(void **state)
{
	static const struct build_row rows[] = {
		/* Bytewise by the text, the families apart. */
		{N C P "endpoints = [\"10.0.1.2:80\", \"10.0.1.1:8080\", \"10.0.1.1:443\", "
		       "\"10.0.1.10:80\", \"[fd00::2]:80\", \"10.0.1.1:80\", \"[fd00::10]:80\"]",
		 {NULL},
		 "0 10.0.1.10:80 rs-\n0 10.0.1.1:443 rs-\n0 10.0.1.1:80 rs-\n0 10.0.1.1:8080 rs-\n"
		 "0 10.0.1.2:80 rs-\n0 [fd00::10]:80 rs-\n0 [fd00::2]:80 rs-\n",
		 ""},
		/* The same address in several spellings is one, and equal entries are no matter. */
		{N C P "endpoints = [\"fd00::1\", \"FD00:0::1\", \"[fd00::1]:80\"]",
		 {G "endpoints = [\"fd00::1\"]"},
		 "0 [fd00::1]:80 rs-\n",
		 ""},
		/* The later one counts, */
		{N C P "endpoints = ({ address = \"10.1.0.1\"; weight = 5; })",
		 {G "endpoints = ({ address = \"10.1.0.1\"; ready = false; })",
		  G "endpoints = ({ address = \"10.1.0.1\"; weight = 7; })"},
		 "0 10.1.0.1:80 rs- weight=7\n",
		 "warning: endpoints[0].endpoints[0] '10.1.0.1': is listed before with other "
		 "properties: those of this entry count (the other entry is at file:1:94)\n"
		 "warning: endpoints[0].endpoints[0] '10.1.0.1': is listed before with other "
		 "properties: those of this entry count (the other entry is at file:1:46)\n"},
		/* unless it is terminating; */
		{N C P,
		 {G "endpoints = (\"10.1.0.1\", { address = \"10.1.0.1\"; terminating = true; })"},
		 "0 10.1.0.1:80 rs-\n",
		 "warning: endpoints[0].endpoints[1] '10.1.0.1': is listed before with other "
		 "properties, which count because this entry is terminating (the other entry is at "
		 "file:1:46)\n"},
		{N C P,
		 {G "endpoints = ({ address = \"10.1.0.1\"; terminating = true; }, \"10.1.0.1\")"},
		 "0 10.1.0.1:80 rs-\n",
		 "warning: endpoints[0].endpoints[1] '10.1.0.1': is listed before with other "
		 "properties: those of this entry count (the other entry is at file:1:46)\n"},
		/* of two that are, the first. */
		{N C P,
		 {G "endpoints = ({ address = \"10.1.0.1\"; terminating = true; weight = 2; }, "
		    "{ address = \"10.1.0.1\"; terminating = true; weight = 3; })"},
		 "0 10.1.0.1:80 -st weight=2\n",
		 "warning: endpoints[0].endpoints[1] '10.1.0.1': is listed before with other "
		 "properties, which count because this entry is terminating (the other entry is at "
		 "file:1:46)\n"},
		/* Told once, not for each port. */
		{N C "ports = (" DNS ")",
		 {G "endpoints = (\"10.1.0.1\", { address = \"10.1.0.1\"; node = \"n\"; "
		    "zone = \"z\"; hostname = \"h\"; })"},
		 "0 10.1.0.1:53 rs- node=n zone=z hostname=h\n"
		 "1 10.1.0.1:53 rs- node=n zone=z hostname=h\n",
		 "warning: endpoints[0].endpoints[1] '10.1.0.1': is listed before with other "
		 "properties: those of this entry count (the other entry is at file:1:46)\n"},
	};

	(void)state;
	check_builds(rows, ELEMENTSOF(rows));
}

/* Model sections 2.4 and 2.7. */
static void test_conditions_and_hints(void **state)
{
	static const char group[] = G
		"endpoints = ({ address = \"10.1.0.1\"; node = \"n1\"; zone = \"a\"; }, "
		"{ address = \"10.1.0.2\"; node = \"n2\"; zone = \"b\"; ready = false; }, "
		"{ address = \"10.1.0.3\"; node = \"n3\"; }, "
		"{ address = \"10.1.0.4\"; zone = \"c\"; node = \"n4\"; forZones = [\"x\"]; }, "
		"{ address = \"10.1.0.5\"; zone = \"d\"; forNodes = [\"y\", \"z\"]; })";
	static const struct build_row rows[] = {
		{N C P,
		 {group},
		 "0 10.1.0.1:80 rs- node=n1 zone=a\n"
		 "0 10.1.0.2:80 -s- node=n2 zone=b\n"
		 "0 10.1.0.3:80 rs- node=n3\n"
		 "0 10.1.0.4:80 rs- node=n4 zone=c forZone=x\n"
		 "0 10.1.0.5:80 rs- zone=d forNode=y forNode=z\n",
		 ""},
		{N C P "trafficDistribution = \"PreferSameZone\"",
		 {group},
		 "0 10.1.0.1:80 rs- node=n1 zone=a forZone=a\n"
		 "0 10.1.0.2:80 -s- node=n2 zone=b\n"
		 "0 10.1.0.3:80 rs- node=n3\n"
		 "0 10.1.0.4:80 rs- node=n4 zone=c forZone=x\n"
		 "0 10.1.0.5:80 rs- zone=d forNode=y forNode=z\n",
		 ""},
		{N C P "trafficDistribution = \"PreferSameNode\"; publishNotReadyAddresses = true",
		 {group},
		 "0 10.1.0.1:80 rs- node=n1 zone=a forZone=a forNode=n1\n"
		 "0 10.1.0.2:80 rs- node=n2 zone=b forZone=b forNode=n2\n"
		 "0 10.1.0.3:80 rs- node=n3 forNode=n3\n"
		 "0 10.1.0.4:80 rs- node=n4 zone=c forZone=x\n"
		 "0 10.1.0.5:80 rs- zone=d forNode=y forNode=z\n",
		 ""},
		{N C P,
		 {G "endpoints = ({ address = \"10.1.0.1\"; terminating = true; }, "
		    "{ address = \"10.1.0.2\"; terminating = true; ready = true; }, "
		    "{ address = \"10.1.0.3\"; serving = false; })"},
		 "0 10.1.0.1:80 -st\n0 10.1.0.2:80 rst\n0 10.1.0.3:80 r--\n",
		 "warning: endpoints[0].endpoints[1] '10.1.0.2': is ready and terminating: it "
		 "takes new connections (leave out ready to let it run out)\n"},
		{N C P "publishNotReadyAddresses = true",
		 {G "endpoints = ({ address = \"10.1.0.1\"; terminating = true; }, "
		    "{ address = \"10.1.0.2\"; terminating = true; ready = true; }, "
		    "{ address = \"10.1.0.3\"; ready = false; serving = false; })"},
		 "0 10.1.0.1:80 rst\n0 10.1.0.2:80 rst\n0 10.1.0.3:80 r--\n",
		 ""},
	};

	(void)state;
	check_builds(rows, ELEMENTSOF(rows));
}

/* E21, and services without frontends. */
static void test_loops_and_kinds(void **state)
{
	static const struct build_row rows[] = {
		{N C P,
		 {G "endpoints = [\"10.96.0.10:80\"]"},
		 NULL,
		 "error: endpoints[0].endpoints[0] '10.96.0.10:80': is an address and port of the "
		 "service itself (write the address of the host or pod that answers)\n"},
		{N C P,
		 {G "endpoints = [\"10.96.0.10:81\", \"10.96.0.11:80\"]"},
		 "0 10.96.0.10:81 rs-\n0 10.96.0.11:80 rs-\n",
		 ""},
		/* Another port of the service is a frontend as well; another protocol is not. */
		{N C "ports = (" HTTP DNS ")",
		 {G "ports = ({ name = \"http\"; port = 53; }, { name = \"dns-tcp\"; port = 54; }, "
		    "{ name = \"dns\"; port = 80; protocol = \"UDP\"; }); "
		    "endpoints = [\"10.96.0.10\"]"},
		 NULL,
		 "error: endpoints[0].endpoints[0] '10.96.0.10': is an address and port of the "
		 "service itself (write the address of the host or pod that answers)\n"},
		{N C P "externalIPs = [\"198.51.100.1\"]",
		 {G "endpoints = [\"198.51.100.1\"]"},
		 NULL,
		 "error: endpoints[0].endpoints[0] '198.51.100.1': is an address and port of the "
		 "service itself (write the address of the host or pod that answers)\n"},
		{L C LP "loadBalancerIPs = [\"203.0.113.5\"]",
		 {G "endpoints = [\"203.0.113.5\"]"},
		 NULL,
		 "error: endpoints[0].endpoints[0] '203.0.113.5': is an address and port of the "
		 "service itself (write the address of the host or pod that answers)\n"},
		/* There are no rules for an address of mode Proxy. */
		{L C LP "loadBalancerIPs = ({ ip = \"203.0.113.5\"; ipMode = \"Proxy\"; })",
		 {G "endpoints = [\"203.0.113.5\"]"},
		 "0 203.0.113.5:80 rs-\n",
		 ""},
		/* A warning about the same endpoint does not hide the error. */
		{N C P,
		 {G "endpoints = (\"10.96.0.10\", { address = \"10.96.0.10\"; node = \"n\"; })"},
		 NULL,
		 "warning: endpoints[0].endpoints[1] '10.96.0.10': is listed before with other "
		 "properties: those of this entry count (the other entry is at file:1:46)\n"
		 "error: endpoints[0].endpoints[1] '10.96.0.10': is an address and port of the "
		 "service itself (write the address of the host or pod that answers)\n"},
		{N "clusterIP = \"None\"; " P,
		 {G "endpoints = [\"10.1.0.1\", \"fd00::1\"]"},
		 "0 10.1.0.1:80 rs-\n0 [fd00::1]:80 rs-\n",
		 ""},
		/* Headless without ports: the addresses, for exports. */
		{N "clusterIP = \"None\"",
		 {G "endpoints = [\"10.1.0.2\", \"10.1.0.1:7\", \"fd00::1\", \"10.1.0.2\"]",
		  G "ports = ({ name = \"a\"; port = 5; }); endpoints = [\"10.1.0.3\"]"},
		 "0 10.1.0.1:7 rs-\n0 10.1.0.2:0 rs-\n0 10.1.0.3:0 rs-\n0 [fd00::1]:0 rs-\n",
		 ""},
		{N "type = \"ExternalName\"; externalName = \"a.b\"; ports = (" HTTP DNS ");",
		 {G "endpoints = [\"10.1.0.1:80\"]"},
		 "",
		 ""},
	};

	(void)state;
	check_builds(rows, ELEMENTSOF(rows));
}

/* An object by itself, as import has them: its field has no index of the file's list, and the place
 * is that of the endpoint. */
static void test_single_object(void **state)
{
	_cleanup_settings_ struct settings settings;
	_cleanup_(service_def_freep) struct service_def *def = NULL;
	_cleanup_(endpoint_group_freep) struct endpoint_group *g = NULL;
	_cleanup_diags_ struct diags d = {0};
	struct service *s = NULL;

	(void)state;
	assert_int_equal(settings_init(&settings), 0);
	def = make_service(N C "ports = (" HTTP DNS ")", &settings);
	g = make_group(G "endpoints = (\"10.1.0.1\",\n \"10.1.0.1:80\")", &settings);
	def->position = g->position = -1;
	assert_int_equal(service_build(def, &g, 1, &s, &d), -EBADMSG);
	assert_int_equal(d.n, 1);
	assert_string_equal(d.items[0].field, "endpoints[1]");
	assert_string_equal(d.items[0].file, "file");
	assert_string_equal(d.items[0].object, "default/web");
	assert_int_equal(d.items[0].line, 2);
	assert_int_equal(d.items[0].column, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_conditions_and_hints),
		cmocka_unit_test(test_loops_and_kinds),
		cmocka_unit_test(test_single_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
