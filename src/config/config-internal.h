/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "config/config-file.h"
#include "config/config.h"
#include "model/index.h"

/* Between config.c, which knows what changed, refresh-settings.c, and resolve.c, which makes a
 * world of it. */

struct config {
	struct config_places places;
	char *root, *single; /* what places points to */
	struct map *files;   /* by id: struct config_file */
	struct index *index;
	struct shared_settings *settings;
	struct settings_origin origin;
	char **origin_files; /* what its places point to, one per setting */
	char **directories;  /* NULL-terminated */
	struct diags listing_problems, settings_problems, problems;
	struct config_file **touched; /* looked at in this refresh */
	size_t n_touched, touched_allocated;
	size_t n_refused, n_told; /* of the files not touched: those refused, those with messages */
	bool settings_stale;	  /* a settings file changed: read them all again */
	bool notices;
};

/* Puts a file on the list of this refresh; it is left out of the counts until the refresh ends. */
int config_touch(struct config *c, struct config_file *f);

/* Replaces c->settings when a settings file changed and anything in the settings with it.
 * *ret_recheck is set when all object files have to be judged again. -EOPNOTSUPP and -EBADMSG as
 * config_refresh(). */
int config_refresh_settings(struct config *c, bool *ret_recheck);

/*
 * Makes the world of what the index holds, refusing one file after the other until there is no
 * clash. Which: files that changed give way to those that did not, later names to earlier ones; a
 * file that was refused before and is the same since gives way to all (product sheet section 2).
 * -ENOMEM.
 */
int config_resolve(struct config *c, struct world **ret);
