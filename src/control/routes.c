/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/control.h"

const struct control_route control_routes[_CONTROL_VERB_MAX] = {
	[CONTROL_STATUS] = {"GET", "/v1/status", false},
	[CONTROL_SERVICES] = {"GET", "/v1/services", false},
	[CONTROL_ENDPOINTS] = {"GET", "/v1/endpoints", false},
	[CONTROL_SETTINGS] = {"GET", "/v1/settings", false},
	[CONTROL_RELOAD] = {"POST", "/v1/reload", true},
	[CONTROL_RESYNC] = {"POST", "/v1/resync", true},
};
