/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-owned.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>

#include "base/array.h"
#include "base/num.h"
#include "config/accepted-index.h"

#define HEAD "svcroute-owned "
#define MAJOR 1
#define CHECKSUM "checksum "
#define CHECKSUM_SIZE (strlen(CHECKSUM) + ACCEPTED_NAME_MAX) /* with the newline */

void ipvs_owned_done(struct ipvs_owned *o)
{
	free(o->servers);
	free(o->addresses);
	free(o->sysctls);
	*o = (struct ipvs_owned){0};
}

bool prefix_list_contains(const struct prefix_list *l, const struct addr *a)
{
	for (size_t i = 0; i < l->n; i++)
		if (addr_prefix_contains(&l->items[i], a))
			return true;
	return false;
}

static const uint8_t protocols[_SVC_PROTO_MAX] = {
	[SVC_TCP] = IPPROTO_TCP,
	[SVC_UDP] = IPPROTO_UDP,
	[SVC_SCTP] = IPPROTO_SCTP,
};

struct ipvs_key ipvs_virtual_key(const struct ipvs_virtual *v)
{
	return (struct ipvs_key){
		.addr = v->addr,
		.port = v->port,
		.protocol = protocols[v->protocol],
	};
}

static int compare_keys(const void *a, const void *b)
{
	return ipvs_key_compare(a, b);
}

static int compare_addrs(const void *a, const void *b)
{
	return addr_compare(a, b);
}

bool ipvs_owned_has_server(const struct ipvs_owned *o, const struct ipvs_key *key)
{
	return o->n_servers > 0 &&
	       bsearch(key, o->servers, o->n_servers, sizeof(*key), compare_keys);
}

bool ipvs_owned_has_address(const struct ipvs_owned *o, const struct addr *a)
{
	return o->n_addresses > 0 &&
	       bsearch(a, o->addresses, o->n_addresses, sizeof(*a), compare_addrs);
}

static int add_server(struct ipvs_owned *o, const struct ipvs_key *key)
{
	int r = array_reserve(&o->servers, &o->servers_allocated, o->n_servers + 1);

	if (r == 0)
		o->servers[o->n_servers++] = *key;
	return r;
}

static int add_address(struct ipvs_owned *o, const struct addr *a)
{
	int r = array_reserve(&o->addresses, &o->addresses_allocated, o->n_addresses + 1);

	if (r == 0)
		o->addresses[o->n_addresses++] = *a;
	return r;
}

static void sort(struct ipvs_owned *o)
{
	if (o->n_servers > 1)
		qsort(o->servers, o->n_servers, sizeof(*o->servers), compare_keys);
	if (o->n_addresses > 1)
		qsort(o->addresses, o->n_addresses, sizeof(*o->addresses), compare_addrs);
}

int ipvs_owned_claim(struct ipvs_owned *o, const struct ipvs_state *state, bool *ret_grew)
{
	size_t n_servers = o->n_servers, n_addresses = o->n_addresses;
	struct ipvs_owned known = *o; /* only its sorted part is searched */
	int r = 0;

	for (size_t i = 0; r == 0 && i < state->n_servers; i++) {
		struct ipvs_key key = ipvs_virtual_key(state->servers[i]);

		known.servers = o->servers;
		if (!ipvs_owned_has_server(&known, &key))
			r = add_server(o, &key);
	}
	for (size_t i = 0; r == 0 && i < state->n_addresses; i++) {
		known.addresses = o->addresses;
		if (!ipvs_owned_has_address(&known, &state->addresses[i]))
			r = add_address(o, &state->addresses[i]);
	}
	if (r < 0) {
		o->n_servers = n_servers;
		o->n_addresses = n_addresses;
		return r;
	}
	if (o->n_servers != n_servers || o->n_addresses != n_addresses) {
		sort(o);
		*ret_grew = true;
	}
	return 0;
}

bool ipvs_owned_covers(const struct ipvs_owned *o, const struct ipvs_state *state)
{
	size_t k = 0;

	for (size_t i = 0; i < state->n_servers; i++) {
		struct ipvs_key key = ipvs_virtual_key(state->servers[i]);

		while (k < o->n_servers && ipvs_key_compare(&o->servers[k], &key) < 0)
			k++;
		if (k == o->n_servers || ipvs_key_compare(&o->servers[k], &key) != 0)
			return false;
	}
	k = 0;
	for (size_t i = 0; i < state->n_addresses; i++) {
		while (k < o->n_addresses &&
		       addr_compare(&o->addresses[k], &state->addresses[i]) < 0)
			k++;
		if (k == o->n_addresses || !addr_equal(&o->addresses[k], &state->addresses[i]))
			return false;
	}
	return true;
}

/* Both lists are sorted by address first, so those of a family stand together in either. */
static bool wants_server(const struct ipvs_state *s, size_t *at, const struct ipvs_key *key)
{
	while (*at < s->n_servers) {
		struct ipvs_key there = ipvs_virtual_key(s->servers[*at]);
		int order = ipvs_key_compare(&there, key);

		if (order >= 0)
			return order == 0;
		(*at)++;
	}
	return false;
}

static bool wants_address(const struct ipvs_state *s, size_t *at, const struct addr *a)
{
	while (*at < s->n_addresses) {
		int order = addr_compare(&s->addresses[*at], a);

		if (order >= 0)
			return order == 0;
		(*at)++;
	}
	return false;
}

void ipvs_owned_settle(struct ipvs_owned *o, struct ipvs_state *const states[_ADDR_FAMILY_MAX],
		       const struct prefix_list *exclude)
{
	size_t at_server[_ADDR_FAMILY_MAX] = {0}, at_address[_ADDR_FAMILY_MAX] = {0}, n = 0;

	for (size_t i = 0; i < o->n_servers; i++) {
		const struct addr *a = &o->servers[i].addr;
		const struct ipvs_state *s = states[a->family];

		if (!s || prefix_list_contains(exclude, a) ||
		    wants_server(s, &at_server[a->family], &o->servers[i]))
			o->servers[n++] = o->servers[i];
	}
	o->n_servers = n;
	n = 0;
	for (size_t i = 0; i < o->n_addresses; i++) {
		const struct addr *a = &o->addresses[i];
		const struct ipvs_state *s = states[a->family];

		if (!s || wants_address(s, &at_address[a->family], a))
			o->addresses[n++] = *a;
	}
	o->n_addresses = n;
}

int ipvs_owned_keep_sysctl(struct ipvs_owned *o, size_t row, int64_t value)
{
	size_t at = 0;
	int r;

	while (at < o->n_sysctls && o->sysctls[at].row < row)
		at++;
	if (at < o->n_sysctls && o->sysctls[at].row == row)
		return 0;
	r = array_reserve(&o->sysctls, &o->sysctls_allocated, o->n_sysctls + 1);
	if (r < 0)
		return r;
	memmove(&o->sysctls[at + 1], &o->sysctls[at], (o->n_sysctls - at) * sizeof(*o->sysctls));
	o->sysctls[at] = (struct ipvs_owned_sysctl){.row = row, .value = value};
	o->n_sysctls++;
	return 0;
}

const char *ipvs_protocol_text(uint8_t protocol)
{
	for (int p = 0; p < _SVC_PROTO_MAX; p++)
		if (protocols[p] == protocol)
			return svc_proto_lower((enum svc_proto)p);
	return "other";
}

void ipvs_owned_print(const struct ipvs_owned *o, struct strbuf *out)
{
	uint8_t hash[ACCEPTED_HASH_SIZE];
	char text[ADDR_PORT_TEXT_MAX], name[ACCEPTED_NAME_MAX];

	strbuf_addf(out, HEAD "%d.0\n", MAJOR);
	for (size_t i = 0; i < o->n_servers; i++) {
		const struct ipvs_key *k = &o->servers[i];

		strbuf_add(out, "server ");
		strbuf_add(out, ipvs_protocol_text(k->protocol));
		strbuf_add_char(out, ' ');
		strbuf_add(out, addr_port_format(&k->addr, k->port, text));
		strbuf_add_char(out, '\n');
	}
	for (size_t i = 0; i < o->n_addresses; i++) {
		strbuf_add(out, "address ");
		strbuf_add(out, addr_format(&o->addresses[i], text));
		strbuf_add_char(out, '\n');
	}
	for (size_t i = 0; i < o->n_sysctls; i++)
		strbuf_addf(out, "sysctl %s %" PRId64 "\n", ipvs_sysctls[o->sysctls[i].row].path,
			    o->sysctls[i].value);
	if (strbuf_error(out) < 0)
		return;
	accepted_hash(strbuf_text(out), out->len, hash);
	strbuf_addf(out, CHECKSUM "%s\n", accepted_hash_format(hash, name));
}

static int parse_server(char *value, struct ipvs_owned *o)
{
	char *protocol = strsep(&value, " ");
	struct ipvs_key key = {0};

	if (!value || addr_port_parse(value, &key.addr, &key.port) != ADDR_OK)
		return -EBADMSG;
	for (int p = 0; p < _SVC_PROTO_MAX; p++)
		if (streq(protocol, svc_proto_lower((enum svc_proto)p)))
			key.protocol = protocols[p];
	return key.protocol ? add_server(o, &key) : -EBADMSG;
}

static int parse_address(const char *value, struct ipvs_owned *o)
{
	struct addr a;

	return addr_parse(value, &a) == ADDR_OK ? add_address(o, &a) : -EBADMSG;
}

/* A sysctl that this version does not write is not restored by it either. */
static int parse_sysctl(char *value, struct ipvs_owned *o)
{
	const char *path = strsep(&value, " ");
	int64_t number;

	if (!value || num_parse_i64(value, INT64_MIN, INT64_MAX, &number) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < n_ipvs_sysctls; i++)
		if (streq(ipvs_sysctls[i].path, path))
			return ipvs_owned_keep_sysctl(o, i, number);
	return 0;
}

static int parse_lines(char *rest, struct ipvs_owned *o)
{
	char *line;
	int r = 0;

	while (r == 0 && (line = strsep(&rest, "\n"))) {
		const char *kind = strsep(&line, " ");

		if (streq(kind, "server"))
			r = line ? parse_server(line, o) : -EBADMSG;
		else if (streq(kind, "address"))
			r = line ? parse_address(line, o) : -EBADMSG;
		else if (streq(kind, "sysctl"))
			r = line ? parse_sysctl(line, o) : -EBADMSG;
	}
	return r;
}

static int parse_version(char *line)
{
	uint64_t major;
	char *number;

	if (strncmp(line, HEAD, strlen(HEAD)) != 0)
		return -EBADMSG;
	line += strlen(HEAD);
	number = strsep(&line, ".");
	if (!line || num_parse_u64(number, 0, UINT32_MAX, &major) < 0)
		return -EBADMSG;
	return major == MAJOR ? 0 : -EOPNOTSUPP;
}

/* Is the last line the checksum of all before it? */
static bool checksum_fits(const char *text, size_t size)
{
	uint8_t said[ACCEPTED_HASH_SIZE], found[ACCEPTED_HASH_SIZE];
	char name[ACCEPTED_NAME_MAX];
	const char *line;

	if (size <= CHECKSUM_SIZE)
		return false;
	line = text + size - CHECKSUM_SIZE;
	if (line[-1] != '\n' || strncmp(line, CHECKSUM, strlen(CHECKSUM)) != 0)
		return false;
	memcpy(name, line + strlen(CHECKSUM), sizeof(name));
	if (name[sizeof(name) - 1] != '\n')
		return false;
	name[sizeof(name) - 1] = '\0';
	if (accepted_hash_parse(name, said) < 0)
		return false;
	accepted_hash(text, size - CHECKSUM_SIZE, found);
	return memcmp(said, found, sizeof(said)) == 0;
}

int ipvs_owned_parse(const void *data, size_t size, struct ipvs_owned *ret)
{
	_cleanup_ipvs_owned_ struct ipvs_owned o = {0};
	_cleanup_free_ char *text = NULL;
	char *rest;
	int r;

	if (size == 0 || memchr(data, '\0', size))
		return -EBADMSG;
	text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, data, size);
	text[size] = '\0';
	rest = text;
	/* The version comes first: another one may have another kind of checksum. */
	r = parse_version(strsep(&rest, "\n"));
	if (r < 0)
		return r;
	if (!rest || !checksum_fits(data, size))
		return -EBADMSG;
	text[size - CHECKSUM_SIZE] = '\0';
	r = parse_lines(rest, &o);
	if (r < 0)
		return r;
	sort(&o);
	*ret = o;
	o = (struct ipvs_owned){0};
	return 0;
}
