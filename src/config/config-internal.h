/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "config/config-file.h"
#include "config/config.h"
#include "model/index.h"

/* Between config.c, which knows what changed, refresh-settings.c, resolve.c, which makes a world of
 * it, and recall.c, which knows what was in force before a restart. */

struct config {
	struct config_places places;
	char *root, *single; /* what places points to */
	char *state;	     /* the state directory, NULL: none */
	struct map *files;   /* by id: struct config_file */
	struct index *index;
	const struct host_facts *host; /* borrowed, NULL: not known */
	struct shared_settings *settings;
	struct settings_origin origin;
	char **origin_files; /* what its places point to, one per setting */
	char **directories;  /* NULL-terminated */
	struct diags listing_problems, settings_problems, problems;
	struct config_file **touched; /* looked at in this refresh */
	size_t n_touched, touched_allocated;
	/* Of the files not touched: those refused, those being written, those with messages. */
	size_t n_refused, n_busy, n_told;
	struct accepted *accepted; /* until the first world: what was in force before the start */
	struct diags recall_problems;
	size_t n_recalled;   /* files with the content that they had before the start */
	bool kept_stale;     /* what is in force is not what was last kept */
	bool settings_stale; /* a settings file changed: read them all again */
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

/* Before the first world: reads what the state directory remembers. -ENOMEM. */
int config_recall_open(struct config *c);
/* From the first world on nothing is recalled: what goes missing then was deleted. */
void config_recall_close(struct config *c);
/* Files of a kind with a directory that cannot be read take part as they were; in c->files
 * afterwards. -ENOMEM. */
int config_recall_unlisted(struct config *c, const struct config_listing *listing);
/* The text that a settings file had is put in force until it is read. -ENOMEM. */
int config_recall_settings(struct config *c, struct config_file *f);
/* What an object file had is put in force when there is no newest content (NULL), else it is what
 * the file falls back to when it loses a clash; newest is told since when it is in force when it is
 * the same. -ENOMEM. */
int config_recall_objects(struct config *c, struct config_file *f, struct config_content *newest);

/* The file with this name, made when there is none. -ENOMEM. */
int config_get_file(struct config *c, enum config_kind kind, const char *name,
		    struct config_file **ret);
