/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/programs.h"

#include <errno.h>

#include "backend/helper.h"
#include "backend/iptables-run.h"

/* 0 when it did its work. The caller looks at c and calls child_done(). */
static int run(struct child *c, const char *const *argv, const void *input, size_t size,
	       bool *ret_missing, char **ret_message)
{
	_cleanup_free_ char *errors = NULL;
	int status = child_start(c, argv, input, size);

	if (status == 0)
		status = child_wait(c);
	if (status == 0)
		return 0;
	if (child_errors(c, &errors) < 0)
		errors = NULL;
	*ret_missing = programs_mean_missing(status, errors);
	*ret_message = helper_failure_text(argv[0], status, errors);
	if (status < 0)
		return status;
	return helper_lost_lock(status, errors) ? -EAGAIN : -EIO;
}

int programs_look(enum iptables_variant v, enum addr_family f, struct iptables_seen *ret,
		  char **ret_message)
{
	const char *argv[] = {iptables_program(v, f, true), NULL};
	_cleanup_(child_done) struct child c;
	_cleanup_free_ char *text = NULL;
	bool in_use, missing;
	size_t size;
	int r;

	child_init(&c);
	r = iptables_variant_in_use(v, f, &in_use);
	if (r < 0) {
		struct strbuf b = {0};

		strbuf_addf(&b, "%s, %s: cannot find out whether it is in use: %s",
			    iptables_variant_name(v), addr_family_name(f), strerror(-r));
		*ret_message = strbuf_take(&b);
		return r;
	}
	if (!in_use) {
		*ret = (struct iptables_seen){0};
		return 0;
	}
	r = run(&c, argv, NULL, 0, &missing, ret_message);
	if (r < 0)
		return r;
	r = child_output(&c, &text, &size);
	if (r == 0)
		r = iptables_seen_read(text, size, ret);
	if (r < 0)
		*ret_message = helper_failure_text(argv[0], r, NULL);
	return r;
}

int programs_load(enum iptables_variant v, enum addr_family f, const char *text, size_t size,
		  bool *ret_missing, char **ret_message)
{
	_cleanup_(child_done) struct child c;

	child_init(&c);
	return run(&c, RESTORE_ARGV(iptables_program(v, f, false)), text, size, ret_missing,
		   ret_message);
}

bool programs_mean_missing(int status, const char *errors)
{
	/* What iptables says in either variant. */
	static const char *const signs[] = {
		"Table does not exist", "can't initialize",	    "TABLE_ADD failed",
		"CHAIN_ADD failed",	"Failed to initialize nft", "not supported by protocol",
	};

	if (status == -ENOENT)
		return true;
	for (size_t i = 0; errors && i < ELEMENTSOF(signs); i++)
		if (strstr(errors, signs[i]))
			return true;
	return false;
}

enum iptables_variant programs_choose(enum iptables_backend setting,
				      const bool foreign[_VARIANT_MAX])
{
	bool possible;

	if (setting != IPTABLES_AUTO)
		return setting == IPTABLES_LEGACY ? VARIANT_LEGACY : VARIANT_NFT;
	if (foreign[VARIANT_LEGACY] && !foreign[VARIANT_NFT])
		return VARIANT_LEGACY;
	if (!foreign[VARIANT_NFT] &&
	    iptables_variant_possible(VARIANT_NFT, ADDR_IPV4, &possible) == 0 && !possible)
		return VARIANT_LEGACY;
	return VARIANT_NFT;
}
