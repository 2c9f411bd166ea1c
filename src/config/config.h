/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/host.h"
#include "config/accepted.h"
#include "config/tree.h"
#include "model/world.h"

/*
 * All configuration files and what was read from them: the owner of parse results, of the last good
 * content of each file, and of the index that turns them into worlds. Only changed files are read
 * again.
 */
struct config;

int config_new(const struct config_places *places,
	       struct config **ret); /* copies the paths; -ENOMEM */
struct config *config_free(struct config *c);
DEFINE_CLEANUP(struct config, config_free);

/* A file that may have changed. */
struct config_change {
	enum config_kind kind;
	char name[256];
};

/*
 * Reads what changed and builds the world. changes NULL: everything is listed again (files whose
 * stamp did not change are not read); else only these names are looked at. The unit of refusal is
 * the file (product sheet section 2): a bad file keeps its last good content, or is left out when
 * it has none; config_problems() has the diagnostics of all files now in that state. Gives a world,
 * except: -ENOMEM (the config is unusable afterwards: free it); -EOPNOTSUPP and -EBADMSG, only
 * before the first world: the settings ask for a mode that is not in this build, or cannot be used
 * even with files left out. Then config_problems() says why.
 */
int config_refresh(struct config *c, const struct config_change *changes, size_t n_changes,
		   struct world **ret);

/* Everything there is to say about the files as they are now: errors of refused files, warnings,
 * notices. */
const struct diags *config_problems(const struct config *c);

/*
 * The state directory (config/accepted.h), copied; before the first refresh. A file that is bad at
 * the first refresh then has the content that was last kept; without a directory it is left out.
 * -ENOMEM.
 */
int config_set_state(struct config *c, const char *directory);

/* What is in force, to be kept with accepted_save() once the kernel has it. False: it is kept
 * already. */
bool config_unkept(const struct config *c);
/* The list, by id; the caller frees it alone, what it points to is valid until the next refresh.
 * -ENOMEM. */
int config_keep(struct config *c, struct accepted_wanted **ret, size_t *ret_n);
/* What was kept is gone: all files are read again at the next look at all of them. */
void config_forget_kept(struct config *c);
/* The save of that list ended. Refreshes meanwhile do no harm. */
void config_kept(struct config *c, bool success);

/* Files whose newest content is not in force, in no particular order; start with *pos = 0. path is
 * borrowed until the next refresh; since_usec is when what is in force instead came into force
 * (realtime), 0: nothing is. False at the end. */
struct config_refused {
	const char *path;
	uint64_t since_usec;
};
bool config_next_refused(const struct config *c, size_t *pos, struct config_refused *ret);

/* Somebody is writing one of the files: refresh again before long, with any changes. */
bool config_busy(const struct config *c);
/* Refused files, and what else is refused, without a content in force in its place. */
size_t config_n_left_out(const struct config *c);

/* How many files are replaced by their last good content, or left out; one that has the wrong
 * suffix, a directory that cannot be read, and settings that cannot be put together count too. 0:
 * all that the files say is in force. */
size_t config_n_refused(const struct config *c);
size_t config_n_files(const struct config *c);

/* Directories to watch, existing or not: NULL-terminated, owned, valid until the next refresh. */
const char *const *config_directories(const struct config *c);

/* Where the settings in force came from; files are owned by c, valid until the next refresh. */
const struct settings_origin *config_origin(const struct config *c);

/* The definition of a service in its file, with the places of its values; NULL: none. Valid until
 * the next refresh. */
const struct service_def *config_definition(const struct config *c, const char *service);
/* Where a service is defined; valid until the next refresh. -ENOENT. */
int config_place(const struct config *c, const char *service, struct place *ret);

/* The host that files are for: what cannot go with it is refused when a file is read
 * (host_check_objects()). Borrowed: it has to live as long as c, or until another is set. NULL, as
 * at first: not known. */
void config_set_host(struct config *c, const struct host_facts *host);

/* Whether notices are kept among the problems (`check -v`); off at first. Before the first refresh.
 */
void config_set_notices(struct config *c, bool notices);
