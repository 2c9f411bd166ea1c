/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reader.h"

#define AFFINITY_SECONDS_DEFAULT 10800
#define AFFINITY_SECONDS_MAX 86400

static const char *const schedulers[] = {"rr", "wrr", "lc", "wlc", "lblc", "lblcr", "sh",
					 "dh", "sed", "nq", "mh",  "fo",   "ovf",   "twos"};

/* The type, or a negative number after an error: then nothing that depends on it is looked at. */
static int read_type(struct reader *r, const struct node *n)
{
	static const char *const names[] = {"ClusterIP", "NodePort", "LoadBalancer",
					    "ExternalName"};

	return n ? reader_choice(r, n, CHECK_S10_TYPE, names, ELEMENTSOF(names)) : SVC_CLUSTER_IP;
}

/* S20-S22. One dot at the end is allowed and taken off. */
static void read_external_name(struct reader *r, const struct node *service, const struct node *n,
			       struct service_def *s)
{
	_cleanup_free_ char *name = NULL;
	struct addr a;
	size_t size;

	if (!n) {
		if (s->type == SVC_EXTERNAL_NAME)
			reader_missing(r, service, CHECK_S21_MISSING);
		return;
	}
	if (!reader_want(r, n, NODE_STRING))
		return;
	if (s->type != SVC_EXTERNAL_NAME) {
		if (*n->value.string)
			reader_tell(r, n, CHECK_S22_TYPE);
		return;
	}
	name = reader_copy(r, n->value.string);
	if (!name)
		return;
	size = strlen(name);
	if (size > 0 && name[size - 1] == '.')
		name[size - 1] = '\0';
	if (!text_is_dns_subdomain(name)) {
		reader_tell(r, n, CHECK_S21_NAME);
		return;
	}
	if (addr_parse(name, &a) == ADDR_OK)
		reader_tell(r, n, CHECK_S21_ADDRESS);
	s->external_name = TAKE_PTR(name);
}

static void read_affinity(struct reader *r, const struct node *n, const struct node *timeout,
			  struct service_def *s)
{
	static const char *const names[] = {"None", "ClientIP"};
	int64_t seconds = AFFINITY_SECONDS_DEFAULT;
	int choice = 0;

	if (n)
		choice = reader_choice(r, n, CHECK_S70_AFFINITY, names, ELEMENTSOF(names));
	if (choice < 0)
		return;
	if (timeout && choice == 0) {
		/* An API server drops it without a look at the number. */
		if (reader_want(r, timeout, NODE_INT))
			reader_tell(r, timeout, CHECK_S71_NONE);
		return;
	}
	if (timeout)
		(void)reader_number(r, timeout, 1, AFFINITY_SECONDS_MAX, CHECK_S71_RANGE, &seconds);
	if (choice == 0)
		return;
	s->affinity = true;
	s->affinity_seconds = (uint32_t)seconds;
	if (s->headless)
		reader_tell(r, n, CHECK_S79_AFFINITY);
}

/* Cluster or Local; *ret is whether it is Local. False when it is not set or wrong. */
static bool read_policy(struct reader *r, const struct node *n, enum check check, bool *ret)
{
	static const char *const names[] = {"Cluster", "Local"};
	int choice;

	if (!n)
		return false;
	choice = reader_choice(r, n, check, names, ELEMENTSOF(names));
	if (choice < 0)
		return false;
	*ret = choice == 1;
	return true;
}

/* S72: the policy of traffic from outside says something only where there is any. */
static void read_external_policy(struct reader *r, const struct node *n,
				 const struct node *external, struct service_def *s)
{
	if (!read_policy(r, n, CHECK_S72_POLICY, &s->external_local) ||
	    service_def_externally_accessible(s))
		return;
	if (s->type == SVC_CLUSTER_IP && external && external->n_children > 0)
		return; /* they were wrong, which is told already */
	reader_tell(r, n, s->external_local ? CHECK_S72_LOCAL : CHECK_S72_CLUSTER);
}

/* S74, and S4's clash with a node port (X4) as far as this service has them. */
static void read_health_check_node_port(struct reader *r, const struct node *service,
					const struct node *n, struct service_def *s)
{
	bool wanted = s->type == SVC_LOAD_BALANCER && s->external_local;
	int64_t number;

	if (n && n->type == NODE_INT && n->value.integer == 0)
		n = NULL;
	if (!n) {
		if (wanted)
			reader_missing(r, service, CHECK_S74_MISSING);
		return;
	}
	if (!reader_number(r, n, r->settings->node_port_min, r->settings->node_port_max,
			   CHECK_S74_RANGE, &number))
		return;
	if (!wanted) {
		reader_tell(r, n, CHECK_S74_TYPE);
		return;
	}
	s->health_check_node_port = (uint16_t)number;
	for (size_t i = 0; i < s->n_ports; i++) {
		if (s->ports[i].node_port == number && s->ports[i].protocol == SVC_TCP) {
			reader_tell(r, n, CHECK_X4_OWN_PORT);
			break;
		}
	}
}

static void read_distribution(struct reader *r, const struct node *n, struct service_def *s)
{
	static const char *const names[] = {"PreferSameZone", "PreferSameNode", "PreferClose"};
	int choice;

	if (!n)
		return;
	choice = reader_choice(r, n, CHECK_S76_DISTRIBUTION, names, ELEMENTSOF(names));
	if (choice < 0)
		return;
	s->distribution = choice == 1 ? SVC_PREFER_SAME_NODE : SVC_PREFER_SAME_ZONE;
	if (choice == 2)
		reader_tell(r, n, CHECK_S76_OLD_NAME);
	if (s->external_local || s->internal_local)
		reader_tell(r, n, CHECK_S77_LOCAL);
}

/* Which schedulers mean something to a mode: the others are for IPVS alone. */
static void check_scheduler_mode(struct reader *r, const struct node *n, const char *name)
{
	static const char *const userspace[] = {"rr", "wrr", "lc", "wlc", "sh", "mh", "sed", "nq"};

	switch (r->settings->mode) {
	case MODE_IPTABLES:
	case MODE_NFTABLES:
		if (!streq(name, "rr") && !streq(name, "wrr"))
			reader_tell(r, n, CHECK_K1_MODE, svc_mode_text(r->settings->mode));
		break;
	case MODE_USERSPACE:
		if (text_index(name, userspace, ELEMENTSOF(userspace)) < 0)
			reader_tell(r, n, CHECK_K1_USERSPACE);
		break;
	case MODE_IPVS:
	case _MODE_MAX:
		break;
	}
}

static void read_scheduler(struct reader *r, const struct node *n, const struct node *flags,
			   struct service_def *s)
{
	static const char *const names[] = {"fallback", "port"};
	const char *effective = r->settings->ipvs_scheduler;

	if (n) {
		int choice = reader_choice(r, n, CHECK_K1_SCHEDULER, schedulers,
					   ELEMENTSOF(schedulers));

		if (choice >= 0) {
			effective = schedulers[choice];
			check_scheduler_mode(r, n, effective);
			s->scheduler = reader_copy(r, effective);
		}
	}
	if (!flags || !reader_want(r, flags, NODE_LIST))
		return;
	for (const struct node *c = flags->first; c; c = c->next) {
		int choice = reader_choice(r, c, CHECK_K2_FLAG, names, ELEMENTSOF(names));

		s->flag_fallback |= choice == 0;
		s->flag_port |= choice == 1;
	}
	if (flags->first && effective && !streq(effective, "sh") && !streq(effective, "mh"))
		reader_tell(r, flags, CHECK_K2_SCHEDULER, effective);
}

static void read_on_removal(struct reader *r, const struct node *n, struct service_def *s)
{
	static const char *const names[] = {"drain", "cut"};

	if (n)
		s->cut = reader_choice(r, n, CHECK_K3_ON_REMOVAL, names, ELEMENTSOF(names)) == 1;
}

static void read_inline_endpoints(struct reader *r, const struct node *n, struct service_def *s)
{
	struct endpoint_group *g = calloc(1, sizeof(*g));

	if (!g) {
		r->error = -ENOMEM;
		return;
	}
	s->inline_group = g;
	g->position = s->position;
	node_place(r->tree, n, &g->at);
	g->at.file = r->file_name;
	if (s->key)
		g->service = reader_copy(r, s->key);
	if (s->type == SVC_EXTERNAL_NAME)
		reader_tell(r, n, CHECK_S20_ENDPOINTS);
	read_endpoints(r, n, g);
}

/* What does not depend on the type, or only in ways that a wrong type does not make worse. */
static void read_rest(struct reader *r, const struct node *const *keys, struct service_def *s)
{
	(void)read_policy(r, keys[KEY_INTERNAL_POLICY], CHECK_S73_POLICY, &s->internal_local);
	reader_bool(r, keys[KEY_PUBLISH_NOT_READY], &s->publish_not_ready);
	read_affinity(r, keys[KEY_AFFINITY], keys[KEY_AFFINITY_TIMEOUT], s);
	read_distribution(r, keys[KEY_DISTRIBUTION], s);
	read_scheduler(r, keys[KEY_SCHEDULER], keys[KEY_SCHEDULER_FLAGS], s);
	read_on_removal(r, keys[KEY_ON_REMOVAL], s);
	if (keys[KEY_HEALTH_CHECK])
		read_health_check(r, keys[KEY_HEALTH_CHECK], &s->health_check);
	if (keys[KEY_ENDPOINTS])
		read_inline_endpoints(r, keys[KEY_ENDPOINTS], s);
}

void read_service(struct reader *r, const struct node *n, struct service_def **ret)
{
	static const struct key_checks checks = {
		CHECK_S3_SLASHES, CHECK_S2_EMPTY, CHECK_S2_LABEL, CHECK_S1_EMPTY, CHECK_S1_LABEL,
	};
	const struct node *keys[_SERVICE_KEY_MAX];
	size_t before = r->diags->n_errors;
	struct service_def *s;
	int type;

	if (!reader_want(r, n, NODE_GROUP))
		return;
	s = reader_alloc(r, 1, sizeof(*s));
	if (!s)
		return;
	*ret = s;
	s->position = n->parent ? (int)n->index : -1;
	node_place(r->tree, n, &s->at);
	s->at.file = r->file_name;

	/* The name before all else, also before unknown keys: messages say whose they are. */
	s->key = reader_object_key(r, n, "name", &checks);
	r->object = s->key;
	(void)reader_keys(r, n, service_keys, n_service_keys, keys);
	if (!keys[KEY_NAME])
		reader_missing(r, n, CHECK_S1_MISSING);

	type = read_type(r, keys[KEY_TYPE]);
	if (type >= 0) {
		s->type = (enum svc_type)type;
		/* The order matters: each looks at what those before it found. */
		read_cluster_ips(r, n, keys, s);
		read_service_ports(r, n, keys[KEY_PORTS], s);
		read_external_name(r, n, keys[KEY_EXTERNAL_NAME], s);
		read_external_ips(r, keys[KEY_EXTERNAL_IPS], s);
		read_lb_ips(r, keys[KEY_LB_IPS], s);
		read_source_ranges(r, keys[KEY_SOURCE_RANGES], s);
		read_external_policy(r, keys[KEY_EXTERNAL_POLICY], keys[KEY_EXTERNAL_IPS], s);
		read_health_check_node_port(r, n, keys[KEY_HEALTH_CHECK_NODE_PORT], s);
	}
	read_rest(r, keys, s);
	if (s->position >= 0 && r->diags->n_errors == before && r->error == 0)
		read_places(r, keys, s);
	r->object = NULL;
}

int service_def_read(struct node_tree *tree, const struct node *n, const struct settings *settings,
		     const char *file_name, struct service_def **ret, struct diags *d)
{
	struct reader r = {.tree = tree, .settings = settings, .file_name = file_name, .diags = d};
	_cleanup_(service_def_freep) struct service_def *s = NULL;
	size_t before = d->n_errors;
	int result;

	read_service(&r, n, &s);
	result = reader_result(&r, before);
	if (result < 0)
		return result;
	*ret = TAKE_PTR(s);
	return 0;
}
