/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/addr.h"
#include "model/service.h"

/* Hash of a service port: first 16 characters of base32(sha256(name + lower-case protocol)), 17
 * bytes with the NUL (spec/iptables.md section 2). name is that of service_port_name(). Returns the
 * buffer. */
#define NAME_HASH_MAX 17
const char *name_hash_port(const char *name, enum svc_proto protocol, char buf[NAME_HASH_MAX]);
/* Hash of an endpoint: the same over name + protocol + "ip:port". */
const char *name_hash_endpoint(const char *name, enum svc_proto protocol, const struct addr *ip,
			       uint16_t port, char buf[NAME_HASH_MAX]);
