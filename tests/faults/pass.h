/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "config/config.h"
#include "kernel/addresses.h"
#include "rules/ruleset.h"

/* What the modes that work inside this process share: a pass of the daemon without the kernel. */

/* A directory of our own with DIR/etc, whose DIR/etc/svcroute can be made a link to one directory
 * or the other. Not freed: removed by fault_remove_tree(). */
#define SCRATCH_MAX 256
int scratch_make(char ret[SCRATCH_MAX]);
int scratch_switch(const char *scratch, const char *directory);

/* The world and its rules: what the daemon holds between two passes. */
struct pass {
	struct local_addrs *addrs; /* borrowed */
	struct world *world;
	struct ruleset *rules[_ADDR_FAMILY_MAX];
};
void pass_done(struct pass *p);
#define _cleanup_pass_ _cleanup_(pass_done)

/* Addresses of a host to compile for. */
int pass_addrs(struct local_addrs **ret);

/* Compiles p->world. previous may be NULL. */
int pass_compile(struct pass *p, const struct pass *previous);
/* What has to be written to the kernel; previous NULL: all. */
int pass_plan(const struct pass *p, const struct pass *previous, struct strbuf *out);
/* All that the daemon answers on its socket. */
int pass_answers(const struct config *c, const struct world *w, struct strbuf *out);
/* As daemon/sync.c does it. changes NULL: files are listed. */
int pass_run(struct config *c, const struct config_change *changes, size_t n_changes,
	     const struct pass *previous, struct pass *ret, struct strbuf *out);

/* Rules, and with a config the answers, too. NULL when out of memory. */
char *pass_text(const struct config *c, const struct pass *p);

/* An exit status that is never good, after a line that says why. */
int wrong(const char *what);
