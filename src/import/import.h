/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "model/diag.h"

/*
 * Kubernetes objects to our own files: product sheet section 5 (row `import`) and section 6 (rows
 * "import, what is read", "import, what is written"), spec/model.md sections 1 and 2,
 * spec/daemon.md section 10.
 */

struct import_options {
	const char *node_name; /* --node: which Node is this host; NULL: not said */
	int stdin_fd;	       /* what the file name "-" reads; not closed */
};

/* One file to write. Both texts are owned. */
struct import_file {
	char *name; /* below the output directory: "services.d/default.nginx.cfg" */
	char *text;
};

/* The files to write: svcroute.conf first (only if an object that has settings was read), then by
 * name. Initialise with {0}. */
struct import_result {
	struct import_file *files;
	size_t n, allocated;
};
void import_result_done(struct import_result *r);
#define _cleanup_import_result_ _cleanup_(import_result_done)

/*
 * Reads Kubernetes objects from YAML or JSON files and translates them. What they say is checked as
 * an API server and kube-proxy would, and by our own readers, so that the files will be accepted;
 * messages carry Kubernetes' paths ("spec.ports[0].nodePort", "iptables.syncPeriod"). The same
 * objects in the same order give the same texts. -EBADMSG with at least one error in d: an object
 * was refused; other errors: a file cannot be read (d says which), -ENOMEM. ret is untouched on
 * failure.
 */
int import_files(const char *const *files, size_t n, const struct import_options *options,
		 struct import_result *ret, struct diags *d);

/*
 * Writes the files below output_dir, which is made if it is missing. All or nothing: temporary
 * files first, then renames, which are undone if one fails. -EEXIST: without force a target exists,
 * nothing was written. On every failure *ret_message (may be NULL) says which file it was about;
 * the caller frees it.
 */
int import_write(const struct import_result *r, const char *output_dir, bool force,
		 char **ret_message);

/* All files one after the other, each headed by a comment line with its name. */
void import_print(const struct import_result *r, struct strbuf *out);
