/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/notify.h"

#include <inttypes.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"

/* A manager that does not listen is no reason to stop routing: failures are ignored on purpose. */

void notify_ready(const char *status)
{
	if (status)
		(void)sd_notifyf(0, "READY=1\nSTATUS=%s", status);
	else
		(void)sd_notify(0, "READY=1");
}

void notify_reloading(void)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_usec());
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void notify_status(const char *status)
{
	(void)sd_notifyf(0, "STATUS=%s", status);
}
