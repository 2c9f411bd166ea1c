/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/host.h"
#include "config/accepted.h"
#include "config/tree.h"
#include "model/read.h"
#include "model/settings.h"

/* Of two files that clash the one of the higher class is replaced. */
enum config_class {
	CLASS_UNCHANGED, /* was in force before this refresh */
	CLASS_CHANGED,	 /* its content is new */
	CLASS_REFUSED,	 /* lost a clash before and is the same since: it is only tried again */
};

/* What one version of a file says. */
struct config_content {
	struct objects objects; /* of an object file */
	/* The text: of a settings file always, of an object file until it is kept in the state
	 * directory. */
	char *text;
	size_t size;
	uint8_t hash[ACCEPTED_HASH_SIZE];
	const char *path;    /* where it stood; one of the file's paths */
	uint64_t since_usec; /* realtime: when it came into force; 0: not yet */
	bool kept;	     /* in the state directory */
	bool being_kept;     /* is in the list of a save that runs */
};
void config_content_done(struct config_content *content);

/* One configuration file as struct config keeps it: the newest look at it, and what of it is in
 * force. */
struct config_file {
	enum config_kind kind;
	char *id;	  /* orders files as they are read: kind, then name */
	const char *path; /* as shown in messages; one of paths */
	char **paths;	  /* all that the file had: what was read long ago still points to them */
	size_t n_paths, paths_allocated;
	struct file_stamp stamp;
	int examine_error;  /* of the look at it; 0 fine */
	bool present;	    /* takes part at all */
	bool racy;	    /* its stamp may not tell the next change: to be read once more */
	bool unread;	    /* to be read in this refresh */
	bool edited;	    /* its stamp changed in this refresh */
	bool changed;	    /* in force, but not yet part of a world */
	bool refused;	    /* the newest content is not in force */
	bool clashed;	    /* refused for what another file says: worth another try */
	bool busy;	    /* refused because somebody writes it: to be read again soon */
	bool touched;	    /* on the config's list for this refresh */
	struct diags diags; /* about the newest content */

	/* While clashes are resolved */
	enum config_class class;
	bool won;	    /* another file was replaced because of it */
	unsigned lost_in;   /* the round in which it was replaced, 0: none */
	struct diags spare; /* what was said of it before it lost */

	bool in_force;
	struct config_content content;
	/* Object files only. What was in force before this refresh, until a world was made: the
	 * index may still point to it. */
	bool has_before;
	struct config_content before;
	struct config_content *discarded; /* read in this refresh and refused for a clash */
	size_t n_discarded, discarded_allocated;
};

#define CONFIG_FILE_ID_MAX 300
/* "1/name": kinds in reading order. Returns the buffer. */
const char *config_file_id(enum config_kind kind, const char *name, char buf[CONFIG_FILE_ID_MAX]);

/* The name alone; borrowed. */
const char *config_file_name(const struct config_file *f);

int config_file_new(enum config_kind kind, const char *id, struct config_file **ret);
/* Makes path the file's path; copies. -ENOMEM. */
int config_file_set_path(struct config_file *f, const char *path);
/* A copy of path that lives as long as the file. -ENOMEM. */
int config_file_keep_path(struct config_file *f, const char *path, const char **ret);
struct config_file *config_file_free(struct config_file *f);

/*
 * Reads the file's bytes. A failure is a diagnostic that says what to do: -EBADMSG. An empty
 * file is an empty text. -ENOMEM. The caller frees.
 */
int config_file_read(struct config_file *f, char **ret_text, size_t *ret_size);

/* What an object file is judged by besides itself. */
struct config_judge {
	const struct settings *settings;
	const struct host_facts *host; /* NULL: not known */
	bool notices;		       /* to be kept */
};

/* Reads and parses an object file; sets its class, clears unread, refused and the messages first.
 * -EBADMSG: refused, f->diags says why and what was in force stays. */
int config_file_read_objects(struct config_file *f, const struct config_judge *judge,
			     struct config_content *ret);

/* Parses the text of an object file that stood at path (one of the file's paths), which content
 * takes over. -EBADMSG, -ENOMEM: *text is still the caller's. */
int config_file_parse(const struct config_file *f, const char *path, char **text, size_t size,
		      const struct settings *settings, struct diags *d, struct config_content *ret);

/* The objects in force are no longer wanted: kept as `before`, or discarded when there is such
 * already. */
int config_file_set_aside(struct config_file *f);
/* Undoes config_file_set_aside(): what was in force before this refresh is in force again (perhaps
 * nothing). */
int config_file_put_back(struct config_file *f);
/* Undoes config_file_put_back(): the newest content is in force once more. -ENOENT: there is none.
 */
int config_file_take_up(struct config_file *f);
/* A world was made: all that was set aside is freed, what is in force is the last good state. */
void config_file_settle(struct config_file *f);

void config_file_clear_diags(struct config_file *f);
