/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "kernel/iptables-save.h"
#include "model/settings.h"
#include "rules/ruleset.h"

/* The same table under the name that a save's reader gives it. */
enum seen_table plan_seen_table(enum rule_table t);

/* Index of the jump of iptables mode that a rule of a save is, by its exact text in the table;
 * -ENOENT when it is none. */
int plan_jump_find(enum seen_table t, const char *text);

/* The modes that have a jump, or a chain of ours, as bits 1 << enum svc_mode; 0: it is not ours.
 * The canary and KUBE-FIREWALL count as iptables mode's. */
unsigned plan_jump_modes(enum seen_table t, const char *text);
unsigned plan_chain_modes(enum seen_table t, const char *name);

/*
 * Lines that make every jump of a table be there once: missing ones are inserted at the top in the
 * order of spec/iptables.md section 1.2, of several copies only the first stays, at its place.
 */
void plan_jumps_print(const struct iptables_seen *seen, enum rule_table t, struct strbuf *out,
		      size_t *n_rules);

/* F1 as saves print it, spec/iptables.md section 3.10. */
extern const char plan_firewall_rule[];

/*
 * Whether KUBE-FIREWALL is ours alone, spec/iptables.md W18: nothing in it but our own rule, and no
 * sign of a kubelet, which makes the same chain for itself.
 */
bool plan_firewall_is_ours(const struct iptables_seen *seen);

/* A rule of someone else that points at chain, as text; NULL when there is none. Owned by seen. */
const char *plan_foreign_reference(const struct iptables_seen *seen, enum seen_table t,
				   const char *chain);
