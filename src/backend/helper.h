/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "kernel/child.h"

/* A helper program that the event loop waits for. */
struct helper;

/* status: the exit status, 128 + signal when killed, -errno when it cannot be known. The helper is
 * gone when the callback returns. */
typedef void (*helper_done_t)(struct helper *h, int status, void *userdata);

/* As child_start(). On success done is called once from the loop, unless helper_detach() is called
 * before. */
int helper_start(sd_event *event, const char *const *argv, const void *input, size_t size,
		 helper_done_t done, void *userdata, struct helper **ret);
/* As child_fork(), and waited for in the same way. */
int helper_fork(sd_event *event, const char *name, child_work_t work, void *work_userdata,
		helper_done_t done, void *userdata, struct helper **ret);
/* The files of a program that ended. */
const struct child *helper_child(const struct helper *h);

/* What it said on standard error, malloc'ed; NULL when that cannot be had. */
char *helper_errors(const struct helper *h);

/* Lets the program run to its end without anybody waiting for the result; the loop only reaps it.
 * Takes NULL. */
struct helper *helper_detach(struct helper *h);

/* Whether a load failed because another program held the xtables lock. Exit status 4 alone does not
 * say so: the nft variant has it for whatever the kernel calls busy. errors may be NULL. */
bool helper_lost_lock(int status, const char *errors);

/*
 * What went wrong, for people: the program, its exit status and the first of its messages; status
 * as above, errors may be NULL. malloc'ed, NULL without memory.
 */
char *helper_failure_text(const char *program, int status, const char *errors);
