/* SPDX-License-Identifier: GPL-2.0-or-later */

/* KubeProxyConfiguration, v1alpha1: spec/daemon.md section 10. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/num.h"
#include "base/text.h"
#include "import/kube-host.h"

#define USEC_DEFAULT_SYNC (30 * USEC_PER_SEC)

/* The sections that have sync periods; which of them counts is up to the mode. */
enum period_section {
	PERIOD_IPTABLES,
	PERIOD_IPVS,
	PERIOD_NFTABLES,
	_PERIOD_SECTION_MAX,
};

/* kube-proxy's modes, in the order of the sections. */
static const char *const modes[_PERIOD_SECTION_MAX] = {"iptables", "ipvs", "nftables"};

struct period {
	const struct node *node; /* NULL: not given, or 0, which means the default */
	uint64_t usec;
};

struct config_reader {
	struct kube_object *o;
	struct assignments *a;
	struct kube_host *host;
	enum period_section mode;
	struct period sync[_PERIOD_SECTION_MAX], min_sync[_PERIOD_SECTION_MAX];
};

enum value_type {
	VALUE_GROUP, /* keys of its own */
	VALUE_ANY,   /* not looked at */
	VALUE_TEXT,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_SPAN,	 /* of time, 0 means the default */
	VALUE_SPAN_ZERO, /* of time, 0 means 0 */
	VALUE_SPECIAL,	 /* has a function */
};

struct config_row {
	const char *path;
	enum value_type type;
	const char *section,
		*key;	  /* our setting; NULL: none, the value is checked and told about */
	int64_t min, max; /* of numbers */
	void (*read)(struct config_reader *c, const struct node *n);
};

static bool want(struct config_reader *c, const struct node *n, enum node_type type)
{
	if (n->type == type)
		return true;
	kube_error(c->o, n, type == NODE_STRING ? "put it in quotes" : NULL, "must be %s, not %s",
		   node_type_text(type), node_type_text(n->type));
	return false;
}

static bool is_unit_char(char ch)
{
	return ch && !strchr("0123456789.+- \t", ch);
}

/* Go's spelling: numbers that each have a unit, no blanks. The units of systemd are not Go's. */
static bool is_go_span(const char *s)
{
	static const char *const units[] = {"ns", "us", "\xc2\xb5s", "\xce\xbcs",
					    "ms", "s",	"m",	     "h"};

	if (*s == '-' || *s == '+')
		s++;
	if (streq(s, "0"))
		return true;
	if (!*s)
		return false;
	while (*s) {
		size_t digits = strspn(s, "0123456789."), n = 0;
		char unit[4];

		if (digits == 0)
			return false;
		s += digits;
		while (is_unit_char(*s) && n < sizeof(unit) - 1)
			unit[n++] = *s++;
		unit[n] = '\0';
		if (text_index(unit, units, ELEMENTSOF(units)) < 0)
			return false;
	}
	return true;
}

/* False after an error. "" is 0. */
static bool read_span(struct config_reader *c, const struct node *n, uint64_t *ret)
{
	const char *text;
	int r;

	if (n->type != NODE_STRING) {
		kube_error(c->o, n, "such as \"30s\"", "must be a span of time in quotes, not %s",
			   node_type_text(n->type));
		return false;
	}
	text = n->value.string;
	if (!*text) {
		*ret = 0;
		return true;
	}
	r = is_go_span(text) ? num_parse_usec(*text == '+' ? text + 1 : text, ret) : -EINVAL;
	if (r == -ERANGE && *text == '-')
		kube_error(c->o, n, NULL, "must not be negative");
	else if (r == -ERANGE)
		kube_error(c->o, n, NULL, "is too long a span of time");
	else if (r < 0)
		kube_error(c->o, n, NULL, "must be a span of time such as 1h30m, 30s or 250ms");
	return r == 0;
}

static void read_mode(struct config_reader *c, const struct node *n)
{
	int which;

	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	which = text_index(n->value.string, modes, ELEMENTSOF(modes));
	if (which < 0) {
		kube_error(c->o, n, NULL, "must be iptables, ipvs or nftables");
		return;
	}
	c->mode = (enum period_section)which;
	assign(c->a, c->o, n, "Proxy", "Mode", n->value.string);
}

static void read_hostname(struct config_reader *c, const struct node *n)
{
	const char *text;

	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	text = n->value.string;
	if (!text[strspn(text, " \t")])
		kube_error(c->o, n, NULL, "must not be blank");
	else
		c->host->override = n;
}

static void read_bind_address(struct config_reader *c, const struct node *n)
{
	enum addr_reason reason;
	struct addr a;

	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	reason = addr_parse(n->value.string, &a);
	if (reason != ADDR_OK)
		kube_error(c->o, n, NULL, "%s", addr_reason_text(reason));
	else if (!(addr_kinds(&a) & ADDR_IS_UNSPECIFIED))
		c->host->bind_address = n;
}

static void read_detect_mode(struct config_reader *c, const struct node *n)
{
	static const char *const names[] = {"ClusterCIDR", "NodeCIDR", "BridgeInterface",
					    "InterfaceNamePrefix"};

	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	if (text_index(n->value.string, names, ELEMENTSOF(names)) < 0)
		kube_error(c->o, n, NULL,
			   "must be ClusterCIDR, NodeCIDR, BridgeInterface or InterfaceNamePrefix");
	else
		assign(c->a, c->o, n, "Proxy", "DetectLocalMode", n->value.string);
}

static void read_cluster_cidr(struct config_reader *c, const struct node *n)
{
	struct addr_prefix found[2];
	const char *at, *end;
	size_t count = 0;

	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	for (at = n->value.string; at; at = *end ? end + 1 : NULL) {
		char item[ADDR_PREFIX_TEXT_MAX + 20];
		enum addr_reason reason;
		struct addr_prefix p;

		end = at + strcspn(at, ",");
		if ((size_t)(end - at) >= sizeof(item)) {
			kube_error(c->o, n, NULL, "%s", addr_reason_text(ADDR_NOT_AN_ADDRESS));
			return;
		}
		memcpy(item, at, (size_t)(end - at));
		item[end - at] = '\0';
		reason = addr_prefix_parse(item, &p);
		if (reason != ADDR_OK) {
			if (streq(item, n->value.string))
				kube_error(c->o, n, NULL, "%s", addr_reason_text(reason));
			else
				kube_error(c->o, n, NULL, "'%s' %s", item,
					   addr_reason_text(reason));
			return;
		}
		if (count == 2 || (count == 1 && found[0].addr.family == p.addr.family)) {
			kube_error(c->o, n, NULL,
				   "must be one prefix, or two of different families");
			return;
		}
		found[count++] = p;
	}
	for (size_t i = 0; i < count; i++) {
		char text[ADDR_PREFIX_TEXT_MAX];

		assign(c->a, c->o, n, "Proxy", "ClusterCIDR", addr_prefix_format(&found[i], text));
	}
}

static bool is_before(const struct node *n, const char *text)
{
	for (const struct node *c = n->parent->first; c != n; c = c->next) {
		if (c->type == NODE_STRING && streq(c->value.string, text))
			return true;
	}
	return false;
}

/* Our own setting takes names of interfaces, too: kube-proxy does not. */
static void read_node_port_addresses(struct config_reader *c, const struct node *list)
{
	static const char *const words[] = {"primary", "localhost", "all"};

	if (!want(c, list, NODE_LIST))
		return;
	for (const struct node *n = list->first; n; n = n->next) {
		enum addr_reason reason;
		struct addr_prefix p;

		if (!want(c, n, NODE_STRING))
			continue;
		if (text_index(n->value.string, words, ELEMENTSOF(words)) < 0) {
			reason = addr_prefix_parse(n->value.string, &p);
			if (reason != ADDR_OK) {
				kube_error(c->o, n,
					   reason == ADDR_NOT_AN_ADDRESS
						   ? "or primary, localhost, all"
						   : NULL,
					   "%s", addr_reason_text(reason));
				continue;
			}
		} else if (is_before(n, n->value.string)) {
			kube_error(c->o, n, NULL, "was given before");
			continue;
		}
		assign(c->a, c->o, n, "Proxy", "NodePortAddresses", n->value.string);
	}
}

static void read_exclude_cidrs(struct config_reader *c, const struct node *list)
{
	if (!want(c, list, NODE_LIST))
		return;
	for (const struct node *n = list->first; n; n = n->next) {
		enum addr_reason reason;
		struct addr_prefix p;

		if (!want(c, n, NODE_STRING))
			continue;
		/* Looked at before the setting does, which would take two in one text. */
		reason = addr_prefix_parse(n->value.string, &p);
		if (reason != ADDR_OK)
			kube_error(c->o, n, NULL, "%s", addr_reason_text(reason));
		else
			assign(c->a, c->o, n, "IPVS", "ExcludeCIDRs", n->value.string);
	}
}

static void read_bind(struct config_reader *c, const struct node *n, const char *key)
{
	if (!want(c, n, NODE_STRING) || !*n->value.string)
		return;
	if (streq(n->value.string, "off"))
		kube_error(c->o, n, NULL, "must be IP:port");
	else
		assign(c->a, c->o, n, "Health", key, n->value.string);
}

static void read_healthz(struct config_reader *c, const struct node *n)
{
	read_bind(c, n, "HealthzBindAddress");
}

static void read_metrics(struct config_reader *c, const struct node *n)
{
	read_bind(c, n, "MetricsBindAddress");
}

static void read_gates(struct config_reader *c, const struct node *group)
{
	static const struct {
		const char *gate, *section, *key;
	} gates[] = {
		{"AllowServiceExternalIPs", "Proxy", "AllowExternalIPs"},
		{"KubeProxyNFTablesLocalhostNodePorts", "NFTables", "LocalhostNodePorts"},
	};

	if (!want(c, group, NODE_GROUP))
		return;
	for (const struct node *n = group->first; n; n = n->next) {
		size_t i = 0;

		if (!want(c, n, NODE_BOOL))
			continue;
		while (i < ELEMENTSOF(gates) && !streq(gates[i].gate, n->key))
			i++;
		if (i < ELEMENTSOF(gates))
			assign(c->a, c->o, n, gates[i].section, gates[i].key,
			       n->value.boolean ? "yes" : "no");
		else
			kube_notice(c->o, n, NULL, "has no counterpart here, ignored");
	}
}

static void read_period(struct config_reader *c, const struct node *n)
{
	static const char *const sections[_PERIOD_SECTION_MAX] = {"iptables", "ipvs", "nftables"};
	int section = text_index(n->parent->key, sections, ELEMENTSOF(sections));
	uint64_t usec = 0;
	struct period *p;

	if (section < 0 || !read_span(c, n, &usec) || usec == 0)
		return;
	p = streq(n->key, "syncPeriod") ? &c->sync[section] : &c->min_sync[section];
	*p = (struct period){.node = n, .usec = usec};
}

static const struct config_row rows[] = {
	{"apiVersion", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"kind", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"featureGates", VALUE_SPECIAL, NULL, NULL, 0, 0, read_gates},
	{"clientConnection", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"clientConnection.kubeconfig", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"clientConnection.acceptContentTypes", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"clientConnection.contentType", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"clientConnection.qps", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"clientConnection.burst", VALUE_INT, NULL, NULL, 0, INT32_MAX, NULL},
	{"logging", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"logging.format", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"logging.flushFrequency", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"logging.verbosity", VALUE_INT, NULL, NULL, 0, INT32_MAX, NULL},
	{"logging.vmodule", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"logging.options", VALUE_ANY, NULL, NULL, 0, 0, NULL},
	{"hostnameOverride", VALUE_SPECIAL, NULL, NULL, 0, 0, read_hostname},
	{"bindAddress", VALUE_SPECIAL, NULL, NULL, 0, 0, read_bind_address},
	{"healthzBindAddress", VALUE_SPECIAL, NULL, NULL, 0, 0, read_healthz},
	{"metricsBindAddress", VALUE_SPECIAL, NULL, NULL, 0, 0, read_metrics},
	{"bindAddressHardFail", VALUE_BOOL, "Health", "BindHardFail", 0, 0, NULL},
	{"enableProfiling", VALUE_BOOL, NULL, NULL, 0, 0, NULL},
	{"showHiddenMetricsForVersion", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"mode", VALUE_SPECIAL, NULL, NULL, 0, 0, read_mode},
	{"iptables", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"iptables.masqueradeBit", VALUE_INT, "IPTables", "MasqueradeBit", 0, 31, NULL},
	{"iptables.masqueradeAll", VALUE_BOOL, "IPTables", "MasqueradeAll", 0, 0, NULL},
	{"iptables.localhostNodePorts", VALUE_BOOL, "IPTables", "LocalhostNodePorts", 0, 0, NULL},
	{"iptables.syncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"iptables.minSyncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"ipvs", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"ipvs.syncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"ipvs.minSyncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"ipvs.scheduler", VALUE_TEXT, "IPVS", "Scheduler", 0, 0, NULL},
	{"ipvs.excludeCIDRs", VALUE_SPECIAL, NULL, NULL, 0, 0, read_exclude_cidrs},
	{"ipvs.strictARP", VALUE_BOOL, "IPVS", "StrictARP", 0, 0, NULL},
	{"ipvs.tcpTimeout", VALUE_SPAN, "IPVS", "TCPTimeout", 0, 0, NULL},
	{"ipvs.tcpFinTimeout", VALUE_SPAN, "IPVS", "TCPFinTimeout", 0, 0, NULL},
	{"ipvs.udpTimeout", VALUE_SPAN, "IPVS", "UDPTimeout", 0, 0, NULL},
	{"nftables", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"nftables.masqueradeBit", VALUE_INT, "NFTables", "MasqueradeBit", 0, 31, NULL},
	{"nftables.masqueradeAll", VALUE_BOOL, "NFTables", "MasqueradeAll", 0, 0, NULL},
	{"nftables.syncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"nftables.minSyncPeriod", VALUE_SPECIAL, NULL, NULL, 0, 0, read_period},
	{"winkernel", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"winkernel.networkName", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"winkernel.sourceVip", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"winkernel.enableDSR", VALUE_BOOL, NULL, NULL, 0, 0, NULL},
	{"winkernel.rootHnsEndpointName", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"winkernel.forwardHealthCheckVip", VALUE_BOOL, NULL, NULL, 0, 0, NULL},
	{"detectLocalMode", VALUE_SPECIAL, NULL, NULL, 0, 0, read_detect_mode},
	{"detectLocal", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"detectLocal.bridgeInterface", VALUE_TEXT, "Proxy", "BridgeInterface", 0, 0, NULL},
	{"detectLocal.interfaceNamePrefix", VALUE_TEXT, "Proxy", "InterfaceNamePrefix", 0, 0, NULL},
	{"clusterCIDR", VALUE_SPECIAL, NULL, NULL, 0, 0, read_cluster_cidr},
	{"nodePortAddresses", VALUE_SPECIAL, NULL, NULL, 0, 0, read_node_port_addresses},
	{"oomScoreAdj", VALUE_INT, NULL, NULL, -1000, 1000, NULL},
	{"conntrack", VALUE_GROUP, NULL, NULL, 0, 0, NULL},
	{"conntrack.maxPerCore", VALUE_INT, "Conntrack", "MaxPerCore", 0, INT32_MAX, NULL},
	{"conntrack.min", VALUE_INT, "Conntrack", "Min", 0, INT32_MAX, NULL},
	{"conntrack.tcpEstablishedTimeout", VALUE_SPAN_ZERO, "Conntrack", "TCPEstablishedTimeout",
	 0, 0, NULL},
	{"conntrack.tcpCloseWaitTimeout", VALUE_SPAN_ZERO, "Conntrack", "TCPCloseWaitTimeout", 0, 0,
	 NULL},
	{"conntrack.tcpBeLiberal", VALUE_BOOL, "Conntrack", "TCPBeLiberal", 0, 0, NULL},
	{"conntrack.udpTimeout", VALUE_SPAN, "Conntrack", "UDPTimeout", 0, 0, NULL},
	{"conntrack.udpStreamTimeout", VALUE_SPAN, "Conntrack", "UDPStreamTimeout", 0, 0, NULL},
	{"configSyncPeriod", VALUE_SPAN, NULL, NULL, 0, 0, NULL},
	{"portRange", VALUE_TEXT, NULL, NULL, 0, 0, NULL},
	{"windowsRunAsService", VALUE_BOOL, NULL, NULL, 0, 0, NULL},
};

/* Assigns a value, or tells that it has no counterpart. */
static void use(struct config_reader *c, const struct config_row *row, const struct node *n,
		const char *value)
{
	if (row->section)
		assign(c->a, c->o, n, row->section, row->key, value);
	else
		kube_notice(c->o, n, NULL, "has no counterpart here, ignored");
}

static void read_value(struct config_reader *c, const struct config_row *row, const struct node *n)
{
	char text[32];
	uint64_t usec = 0;

	switch (row->type) {
	case VALUE_TEXT:
		if (want(c, n, NODE_STRING) && *n->value.string)
			use(c, row, n, n->value.string);
		return;
	case VALUE_BOOL:
		if (!want(c, n, NODE_BOOL))
			return;
		if (row->section || n->value.boolean)
			use(c, row, n, n->value.boolean ? "yes" : "no");
		return;
	case VALUE_INT:
		if (!want(c, n, NODE_INT))
			return;
		if (n->value.integer < row->min || n->value.integer > row->max) {
			kube_error(c->o, n, NULL, "must lie in %lld-%lld", (long long)row->min,
				   (long long)row->max);
			return;
		}
		(void)snprintf(text, sizeof(text), "%lld", (long long)n->value.integer);
		if (row->section || n->value.integer)
			use(c, row, n, text);
		return;
	case VALUE_SPAN:
	case VALUE_SPAN_ZERO:
		if (!read_span(c, n, &usec))
			return;
		if (usec || (row->type == VALUE_SPAN_ZERO && *n->value.string))
			use(c, row, n, num_format_usec(usec, text));
		return;
	case VALUE_SPECIAL:
		row->read(c, n);
		return;
	case VALUE_GROUP:
	case VALUE_ANY:
		return;
	}
}

/* The row of a key below the row of its group (NULL: the root). */
static bool is_row_of(const struct config_row *row, const struct config_row *group, const char *key)
{
	size_t n = group ? strlen(group->path) : 0;

	if (group && (strncmp(row->path, group->path, n) != 0 || row->path[n] != '.'))
		return false;
	return streq(row->path + (group ? n + 1 : 0), key);
}

static void check_unknown(struct config_reader *c, const struct config_row *group,
			  const struct node *n)
{
	const char *known[ELEMENTSOF(rows)];
	size_t n_known = 0, length = group ? strlen(group->path) + 1 : 0;

	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const char *name = rows[i].path + length;

		if (group ? strncmp(rows[i].path, group->path, length - 1) == 0 &&
				    rows[i].path[length - 1] == '.'
			  : !strchr(rows[i].path, '.'))
			known[n_known++] = name;
	}
	kube_fields(c->o, n, DIAG_ERROR, known, n_known);
}

/* Reads a group by the table, in the order of the table. */
static void read_group(struct config_reader *c, const struct config_row *group,
		       const struct node *n)
{
	check_unknown(c, group, n);
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		const char *key = strrchr(rows[i].path, '.');
		const struct node *value;

		key = key ? key + 1 : rows[i].path;
		value = is_row_of(&rows[i], group, key) ? kube_get(n, key) : NULL;
		if (!value)
			continue;
		if (rows[i].type == VALUE_GROUP)
			read_group(c, &rows[i], value);
		else
			read_value(c, &rows[i], value);
	}
}

/* A missing value of a section, for a message. */
static const struct node *missing_in(struct config_reader *c, const char *section, const char *key)
{
	struct node *group = kube_get(c->o->root, section);

	if (!group)
		group = kube_missing(c->o, c->o->root, NODE_GROUP, section);
	return group ? kube_missing(c->o, group, NODE_STRING, key) : NULL;
}

static void check_periods(struct config_reader *c)
{
	for (int i = 0; i < _PERIOD_SECTION_MAX; i++) {
		const struct period *sync = &c->sync[i], *min = &c->min_sync[i];
		uint64_t usec = sync->node ? sync->usec : USEC_DEFAULT_SYNC;
		uint64_t least = min->node ? min->usec : i == PERIOD_IPVS ? 0 : USEC_PER_SEC;
		const struct node *n = sync->node;
		char text[32];

		if (usec < least) {
			if (!n)
				n = missing_in(c, modes[i], "syncPeriod");
			if (n)
				kube_error(c->o, n, NULL, "must not be less than minSyncPeriod, %s",
					   num_format_usec(least, text));
		} else if (i == (int)c->mode) {
			if (sync->node)
				assign(c->a, c->o, sync->node, "Sync", "SyncPeriod",
				       num_format_usec(sync->usec, text));
			if (min->node)
				assign(c->a, c->o, min->node, "Sync", "MinSyncPeriod",
				       num_format_usec(min->usec, text));
		}
	}
}

/* The modes that need a name of an interface. */
static void check_detect(struct config_reader *c)
{
	static const struct {
		const char *mode, *key;
	} needs[] = {
		{"BridgeInterface", "bridgeInterface"},
		{"InterfaceNamePrefix", "interfaceNamePrefix"},
	};
	const struct node *mode = kube_get(c->o->root, "detectLocalMode");

	for (size_t i = 0; i < ELEMENTSOF(needs) && mode && mode->type == NODE_STRING; i++) {
		const struct node *n = kube_get(kube_get(c->o->root, "detectLocal"), needs[i].key);

		if (!streq(mode->value.string, needs[i].mode) ||
		    (n && (n->type != NODE_STRING || *n->value.string)))
			continue;
		if (!n)
			n = missing_in(c, "detectLocal", needs[i].key);
		if (n)
			kube_error(c->o, n, NULL, "must be given with detectLocalMode %s",
				   needs[i].mode);
	}
}

void kube_proxy_configuration(struct kube_object *o, struct assignments *a, struct kube_host *host)
{
	struct config_reader c = {.o = o, .a = a, .host = host};

	host->config = o;
	read_group(&c, NULL, o->root);
	check_periods(&c);
	check_detect(&c);
}
