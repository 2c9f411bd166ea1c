/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/documents.h"

/* The YAML half of documents_parse(), same contract. Scalars get the types that Kubernetes' tools
 * give them (YAML 1.1: yes, no, on, off are booleans); an alias becomes a copy; "<<" merges. */
int yaml_parse(const char *data, size_t size, const char *file_name, struct documents *ret,
	       struct diags *d);
