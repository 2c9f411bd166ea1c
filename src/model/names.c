/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/names.h"

#include <nettle/sha2.h>
#include <string.h>

/* name, protocol, and for an endpoint its text. */
#define INPUT_MAX (SERVICE_PORT_NAME_MAX + 8 + ADDR_PORT_TEXT_MAX)

/* 80 of the 256 bits: 16 characters of 5 bits. */
static const char *hash(const char *const *parts, size_t n, char buf[NAME_HASH_MAX])
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	struct sha256_ctx ctx;
	uint8_t digest[10], input[INPUT_MAX];
	size_t used = 0;

	/* Most names fit the buffer, and one call is much cheaper than several; longer ones are fed
	 * piece by piece. */
	sha256_init(&ctx);
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(parts[i]);

		if (len > sizeof(input) - used) {
			sha256_update(&ctx, used, input);
			used = 0;
		}
		if (len > sizeof(input)) {
			sha256_update(&ctx, len, (const uint8_t *)parts[i]);
			continue;
		}
		memcpy(input + used, parts[i], len);
		used += len;
	}
	sha256_update(&ctx, used, input);
	sha256_digest(&ctx, sizeof(digest), digest);

	for (size_t half = 0; half < 2; half++) {
		const uint8_t *d = digest + 5 * half;
		uint64_t bits = (uint64_t)d[0] << 32 | (uint64_t)d[1] << 24 | (uint64_t)d[2] << 16 |
				(uint64_t)d[3] << 8 | d[4];

		for (size_t i = 0; i < 8; i++)
			buf[8 * half + i] = alphabet[bits >> (35 - 5 * i) & 31];
	}
	buf[NAME_HASH_MAX - 1] = '\0';
	return buf;
}

const char *name_hash_port(const char *name, enum svc_proto protocol, char buf[NAME_HASH_MAX])
{
	return hash((const char *const[]){name, svc_proto_lower(protocol)}, 2, buf);
}

const char *name_hash_endpoint(const char *name, enum svc_proto protocol, const struct addr *ip,
			       uint16_t port, char buf[NAME_HASH_MAX])
{
	char text[ADDR_PORT_TEXT_MAX];

	return hash((const char *const[]){name, svc_proto_lower(protocol),
					  addr_port_format(ip, port, text)},
		    3, buf);
}
