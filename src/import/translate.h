/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/documents.h"
#include "import/kube.h"
#include "model/settings.h"

/*
 * The translators of single objects; nobody outside import/ includes it. All of them tell mistakes
 * in o->d and return -EBADMSG if there were any, or -ENOMEM. Outputs are untouched on failure.
 */

/* A service as the item of a `services` list: spec/model.md sections 1.2 to 1.7. */
int kube_service(struct kube_object *o, const struct settings *settings, struct node_tree **ret);

/* Groups as the items of an `endpoints` list: spec/model.md section 1.8; one of a slice, one a
 * subset and family of an Endpoints object. None for a slice that kube-proxy makes nothing of.
 * Added to ret. */
int kube_endpoint_slice(struct kube_object *o, const struct settings *settings,
			struct documents *ret);
int kube_endpoints(struct kube_object *o, const struct settings *settings, struct documents *ret);
