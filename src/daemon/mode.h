/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/manager.h"

/*
 * Which backend serves. A change of Mode= is taken up by the next pass; what the former mode left
 * in the kernel goes when the new one's rules are in, so that there is no moment without any.
 */

/* Makes the backend for the mode that the settings name, if it is another than now. -ENOMEM;
 * -EAGAIN: what the former mode left is just being taken away, to be asked again soon. */
int mode_take_up(struct manager *m);
/* To be called when a sync has ended well. */
void mode_synced(struct manager *m);
void mode_done(struct manager *m);
