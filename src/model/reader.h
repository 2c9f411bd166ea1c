/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "model/read.h"

/*
 * Shared by the files that make services and endpoint groups of node trees (read-*.c); nobody else
 * includes it. A reader function tells a mistake and goes on, so that all mistakes of an object are
 * found; what it read is thrown away in the end if there was an error.
 */
struct reader {
	struct node_tree *tree;
	const struct settings *settings;
	const char *file_name;
	struct diags *diags;
	const char *object;	 /* key of the object being read; NULL until it is known */
	int error;		 /* sticky -ENOMEM */
	bool has_free_node_port; /* free_node_port was looked for: read-ports.c */
	int64_t free_node_port;
};

/* Indices into the tables of keys, in their order. */
enum service_key {
	KEY_NAME,
	KEY_TYPE,
	KEY_CLUSTER_IP,
	KEY_CLUSTER_IPS,
	KEY_PORTS,
	KEY_EXTERNAL_IPS,
	KEY_LB_IPS,
	KEY_SOURCE_RANGES,
	KEY_AFFINITY,
	KEY_AFFINITY_TIMEOUT,
	KEY_EXTERNAL_POLICY,
	KEY_INTERNAL_POLICY,
	KEY_HEALTH_CHECK_NODE_PORT,
	KEY_PUBLISH_NOT_READY,
	KEY_DISTRIBUTION,
	KEY_EXTERNAL_NAME,
	KEY_SCHEDULER,
	KEY_SCHEDULER_FLAGS,
	KEY_ON_REMOVAL,
	KEY_HEALTH_CHECK,
	KEY_ENDPOINTS,
	_SERVICE_KEY_MAX,
};
enum service_port_key {
	PORT_NAME,
	PORT_PROTOCOL,
	PORT_PORT,
	PORT_TARGET_PORT,
	PORT_NODE_PORT,
	_SERVICE_PORT_KEY_MAX,
};
enum lb_ip_key {
	LB_IP,
	LB_IP_MODE,
	_LB_IP_KEY_MAX,
};
enum health_check_key {
	CHECK_KEY_TYPE,
	CHECK_KEY_PORT,
	CHECK_KEY_PATH,
	CHECK_KEY_HOST,
	CHECK_KEY_EXPECT,
	CHECK_KEY_INTERVAL,
	CHECK_KEY_TIMEOUT,
	CHECK_KEY_RISE,
	CHECK_KEY_FALL,
	CHECK_KEY_COMMAND,
	_HEALTH_CHECK_KEY_MAX,
};
enum endpoint_key {
	ENDPOINT_ADDRESS,
	ENDPOINT_PORT,
	ENDPOINT_PORTS,
	ENDPOINT_HOSTNAME,
	ENDPOINT_NODE,
	ENDPOINT_ZONE,
	ENDPOINT_FOR_ZONES,
	ENDPOINT_FOR_NODES,
	ENDPOINT_WEIGHT,
	ENDPOINT_TERMINATING,
	ENDPOINT_READY,
	ENDPOINT_SERVING,
	_ENDPOINT_KEY_MAX,
};
enum endpoint_port_key {
	EPORT_NAME,
	EPORT_PROTOCOL,
	EPORT_PORT,
	_ENDPOINT_PORT_KEY_MAX,
};
enum endpoint_group_key {
	GROUP_SERVICE,
	GROUP_PORTS,
	GROUP_ENDPOINTS,
	_ENDPOINT_GROUP_KEY_MAX,
};

/* Tells of a node what a row of the table of checks says, with the texts for its words. */
#define reader_tell(r, n, check, ...) \
	node_tell_texts((r)->diags, (r)->tree, (n), (check), (r)->object, CHECK_TEXTS(__VA_ARGS__))
/* The same of the key of the row, which the group does not have. */
#define reader_missing(r, group, check, ...) \
	reader_missing_texts((r), (group), (check), CHECK_TEXTS(__VA_ARGS__))
void reader_missing_texts(struct reader *r, const struct node *group, enum check check,
			  const char *const *texts, size_t n_texts);

/* Room for a text of a hint: a name, an address with a prefix length; longer ones are left out. */
#define HINT_MAX 256
/* The number in decimal; returns the buffer. */
#define NUMBER_TEXT_MAX 24
const char *reader_number_text(int64_t number, char buf[NUMBER_TEXT_MAX]);
/* The name that was probably meant: in lower case, with '-' for '_' and blanks, and if the test
 * wants it for '.', too. NULL when the test does not take that either. */
const char *reader_meant_name(const char *text, bool (*is_valid)(const char *), char buf[HINT_MAX]);

/* The reader's result: -ENOMEM, -EBADMSG when there are more errors than n_errors_before, else 0.
 */
int reader_result(const struct reader *r, size_t n_errors_before);

/* True if the node has the type; otherwise an error. */
bool reader_want(struct reader *r, const struct node *n, enum node_type type);
/* The values of a group by the rows of its table, NULL where there is none (or null). Unknown keys
 * are errors. False when the node is no group. */
bool reader_keys(struct reader *r, const struct node *group, const struct key_row *rows,
		 size_t n_rows, const struct node **ret_values);
/* The error of a key that none of the rows has. */
void reader_unknown_key(struct reader *r, const struct node *n, const struct key_row *rows,
			size_t n_rows);
/* A copy of a text of the tree, NULL after -ENOMEM. */
char *reader_copy(struct reader *r, const char *text);
/* calloc() with the sticky error; NULL also for n == 0. */
void *reader_alloc(struct reader *r, size_t n, size_t size);
/* A whole number in min..max; another one is told by a row with one word, for the range. False
 * after an error. */
bool reader_number(struct reader *r, const struct node *n, int64_t min, int64_t max,
		   enum check check, int64_t *ret);
/* yes or no; missing (NULL) leaves *ret as it is. */
void reader_bool(struct reader *r, const struct node *n, bool *ret);
/* One of the names: its index, or -1 after an error, told by a row with a word for all of
 * them, and in its hint one for a suggestion. Letter case counts. */
int reader_choice(struct reader *r, const struct node *n, enum check check,
		  const char *const *names, size_t n_names);
/* The protocol; missing (NULL) is TCP. empty_is_tcp: "" too, as the API server reads a service. */
enum svc_proto reader_protocol(struct reader *r, const struct node *n, enum check check,
			       bool empty_is_tcp);
/* The rows by which a wrong key of a service is told. */
struct key_checks {
	enum check slashes, namespace_empty, namespace_label, name_empty, name_label;
};
/* The key of a service: "ns/name", "name" is "default/name". NULL after an error. */
char *reader_service_key(struct reader *r, const struct node *n, const struct key_checks *checks);
/* The same of a key of the group; NULL also when it is not there. */
char *reader_object_key(struct reader *r, const struct node *group, const char *key,
			const struct key_checks *checks);

/*
 * Finds equal items in at most n log n steps: for each item the index of the first one equal to it,
 * its own if it is that one. NULL when n < 2 or no memory (sticky).
 */
size_t *reader_first_equal(struct reader *r, const void *items, size_t n, size_t size,
			   int (*compare)(const void *, const void *));

/* read-service.c, read-endpoints.c: one object. *ret is what could be read so far, perhaps NULL,
 * with or without errors; r->object is NULL afterwards. */
void read_service(struct reader *r, const struct node *n, struct service_def **ret);
void read_group(struct reader *r, const struct node *n, struct endpoint_group **ret);

/* read-address.c */

/* An address as Y7 has it. False after an error. */
bool reader_address(struct reader *r, const struct node *n, struct addr *ret);
/* What a frontend or an endpoint outside the cluster network can never be (S50, S51, E7). */
#define ADDR_KINDS_UNUSABLE                                                                \
	(ADDR_IS_UNSPECIFIED | ADDR_IS_LOOPBACK | ADDR_IS_LINK_LOCAL | ADDR_IS_MULTICAST | \
	 ADDR_IS_LINK_LOCAL_MULTICAST | ADDR_IS_BROADCAST | ADDR_IS_THIS_NETWORK |         \
	 ADDR_IS_RESERVED)
/* The error of a text that is no address. */
void reader_address_error(struct reader *r, const struct node *n, enum addr_reason reason);
/* An error if the address is of one of the kinds, told by a row with a word for the kind. */
bool reader_address_usable(struct reader *r, const struct node *n, const struct addr *a,
			   unsigned unusable, enum check check);
/* Checks of an external IP or a load balancer's: not the own cluster IP (S53), of a family that is
 * served (S56, a row with a word for it). */
void reader_check_frontend(struct reader *r, const struct node *n, const struct addr *a,
			   const struct service_def *s, enum check equal, enum check unused);
const char *reader_family_text(int family);	       /* "IPv4" */
int reader_compare_addr(const void *a, const void *b); /* addr_compare() for qsort() */
/* Marks an entry of a list that could not be read, until it is taken out. */
#define BAD_FAMILY _ADDR_FAMILY_MAX
/* clusterIP and clusterIPs; the type must be known. */
void read_cluster_ips(struct reader *r, const struct node *service, const struct node *const *keys,
		      struct service_def *s);
/* externalIPs; after the cluster IPs. */
void read_external_ips(struct reader *r, const struct node *n, struct service_def *s);

/* read-lb.c */

/* loadBalancerIPs and loadBalancerSourceRanges, in this order; after the external IPs. */
void read_lb_ips(struct reader *r, const struct node *n, struct service_def *s);
void read_source_ranges(struct reader *r, const struct node *n, struct service_def *s);

/* read-ports.c */

/* Ports of a service; the type must be known. n may be NULL. */
void read_service_ports(struct reader *r, const struct node *service, const struct node *n,
			struct service_def *s);
/* Ports of a group of endpoints or of one endpoint, sorted. */
void read_endpoint_ports(struct reader *r, const struct node *n, struct endpoint_port **ret_ports,
			 size_t *ret_n);

/* read-places.c */

/* Where the values of a service stand; after all else, and only when there was no error. */
void read_places(struct reader *r, const struct node *const *keys, struct service_def *s);

/* read-health.c */
void read_health_check(struct reader *r, const struct node *n, struct health_check *ret);

/* read-endpoints.c */

/* `endpoints` of a service or of a group. g->at.file must be set. */
void read_endpoints(struct reader *r, const struct node *list, struct endpoint_group *g);
