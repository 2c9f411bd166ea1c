/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "backend/ipvs-owned.h"
#include "base/cleanup.h"

/* What some work on the kernel did and found. It may be done in a copy of the process: then this
 * comes back as bytes. */
#define IPVS_SYSCTLS_MAX 16

struct ipvs_outcome {
	int error;		       /* the first; 0: all is as wanted */
	bool failed[_ADDR_FAMILY_MAX]; /* the family's account is lost */
	bool served[_ADDR_FAMILY_MAX]; /* the family is usable on this host */
	size_t n_errors;
	bool decided;					   /* variant was found out */
	int variant;					   /* enum iptables_variant */
	size_t n_chains, n_rules, n_stale;		   /* as in struct sync_result */
	size_t n_servers, n_dests, n_addresses, n_entries; /* changes made */
	bool sysctl_found[IPVS_SYSCTLS_MAX]; /* by row: we wrote it, and this was there before */
	int64_t sysctl_old[IPVS_SYSCTLS_MAX];
	bool saved;   /* the record was written; hash of its text */
	bool remains; /* something is left to be done later */
	uint8_t saved_hash[32];

	char *message;		   /* of the first error */
	struct strbuf warnings;	   /* texts, each with its NUL */
	struct ipvs_key *draining; /* virtual servers that have draining real servers */
	size_t n_draining, draining_allocated;
};
void ipvs_outcome_done(struct ipvs_outcome *o);
#define _cleanup_ipvs_outcome_ _cleanup_(ipvs_outcome_done)

/* An error, as people are told: FAMILY's account is lost; _ADDR_FAMILY_INVALID: that of both. */
void ipvs_outcome_fail(struct ipvs_outcome *o, enum addr_family family, int error,
		       const char *format, ...) _printf_(4, 5);
/* The same; takes text, which may be NULL. */
void ipvs_outcome_fail_text(struct ipvs_outcome *o, enum addr_family family, int error, char *text);
void ipvs_outcome_warn(struct ipvs_outcome *o, const char *format, ...) _printf_(2, 3);
void ipvs_outcome_log_warnings(const struct ipvs_outcome *o);
/* Keys come in any order, perhaps several times. */
void ipvs_outcome_drains(struct ipvs_outcome *o, const struct ipvs_key *key);

/* One line: the first error and how many there are. malloc'ed; NULL without memory. */
char *ipvs_outcome_text(const struct ipvs_outcome *o);

/* To and from a file descriptor's bytes. -errno; -EBADMSG. */
int ipvs_outcome_write(const struct ipvs_outcome *o, int fd);
int ipvs_outcome_read(const char *data, size_t size, struct ipvs_outcome *ret);
