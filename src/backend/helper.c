/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/helper.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

struct helper {
	struct child child;
	int pidfd;
	sd_event_source *source; /* owns this object: it is freed with the source */
	helper_done_t done;	 /* NULL: detached */
	void *userdata;
};

static void helper_destroy(void *userdata)
{
	struct helper *h = userdata;

	child_done(&h->child);
	if (h->pidfd >= 0)
		(void)close(h->pidfd);
	free(h);
}

/* 1 with the status in *ret, 0 while it runs. */
static int reap(struct helper *h, int *ret)
{
	siginfo_t info = {0};

	if (waitid(P_PIDFD, (id_t)h->pidfd, &info, WEXITED | WNOHANG) < 0) {
		if (errno == EINTR)
			return 0;
		*ret = -errno;
	} else if (info.si_pid == 0)
		return 0;
	else
		*ret = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	h->child.pid = 0;
	return 1;
}

static int on_exit_of_child(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct helper *h = userdata;
	int status;

	(void)fd;
	(void)revents;
	if (reap(h, &status) == 0)
		return 0;
	(void)sd_event_source_set_enabled(source, SD_EVENT_OFF);
	if (h->done) {
		h->done(h, status, h->userdata);
		(void)sd_event_source_disable_unref(h->source);
	} else
		(void)sd_event_source_set_floating(source,
						   false); /* the loop's reference was the last */
	return 0;
}

static int helper_new(helper_done_t done, void *userdata, struct helper **ret)
{
	struct helper *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	child_init(&h->child);
	h->pidfd = -1;
	h->done = done;
	h->userdata = userdata;
	*ret = h;
	return 0;
}

/* started: what starting the child returned. On failure h is gone. */
static int helper_follow(struct helper *h, sd_event *event, const char *name, int started)
{
	int r = started;

	if (r < 0)
		goto fail;
	h->pidfd = pidfd_open(h->child.pid, 0); /* close-on-exec by nature */
	if (h->pidfd < 0) {
		r = -errno;
		goto fail;
	}
	r = sd_event_add_io(event, &h->source, h->pidfd, EPOLLIN, on_exit_of_child, h);
	if (r < 0)
		goto fail;
	(void)sd_event_source_set_description(h->source, name);
	(void)sd_event_source_set_destroy_callback(h->source, helper_destroy);
	return 0;
fail:
	/* It must not run unwatched beside a sync that counts as failed. */
	if (h->child.pid > 0)
		(void)child_wait(&h->child);
	helper_destroy(h);
	return r;
}

int helper_start(sd_event *event, const char *const *argv, const void *input, size_t size,
		 helper_done_t done, void *userdata, struct helper **ret)
{
	struct helper *h;
	int r;

	r = helper_new(done, userdata, &h);
	if (r < 0)
		return r;
	r = helper_follow(h, event, argv[0], child_start(&h->child, argv, input, size));
	if (r == 0)
		*ret = h;
	return r;
}

int helper_fork(sd_event *event, const char *name, child_work_t work, void *work_userdata,
		helper_done_t done, void *userdata, struct helper **ret)
{
	struct helper *h;
	int r;

	r = helper_new(done, userdata, &h);
	if (r < 0)
		return r;
	r = helper_follow(h, event, name, child_fork(&h->child, work, work_userdata));
	if (r == 0)
		*ret = h;
	return r;
}

const struct child *helper_child(const struct helper *h)
{
	return &h->child;
}

char *helper_errors(const struct helper *h)
{
	char *text = NULL;

	return child_errors(&h->child, &text) < 0 ? NULL : text;
}

struct helper *helper_detach(struct helper *h)
{
	if (!h)
		return NULL;
	h->done = NULL;
	if (sd_event_source_set_floating(h->source, true) >= 0)
		(void)sd_event_source_unref(h->source);
	return NULL;
}

bool helper_lost_lock(int status, const char *errors)
{
	return status == 4 && errors && strstr(errors, "xtables lock");
}

/* The first line, and the next as long as one only introduces it ("iptables-nft-restore v1.8.9
 * (nf_tables): "). */
static void add_first_message(struct strbuf *b, const char *errors)
{
	size_t from = b->len;

	for (; *errors && b->len - from < 300; errors++) {
		if (*errors == '\n') {
			const char *text = strbuf_text(b);
			size_t n = b->len;

			while (n > from && text[n - 1] == ' ')
				n--;
			if (n > from && text[n - 1] != ':')
				return;
		} else if (b->len > from || *errors != ' ')
			strbuf_add_char(b, (unsigned char)*errors < ' ' ? ' ' : *errors);
	}
}

char *helper_failure_text(const char *program, int status, const char *errors)
{
	_cleanup_strbuf_ struct strbuf b = {0};

	if (helper_lost_lock(status, errors))
		strbuf_add(&b, "another program holds the xtables lock: ");
	strbuf_add(&b, program);
	if (status == -ENOENT)
		strbuf_add(&b, ": no such program");
	else if (status == -EBADMSG)
		strbuf_add(&b, ": its output is not understood");
	else if (status < 0)
		strbuf_addf(&b, ": cannot be run: %s", strerror(-status));
	else if (status > 128)
		strbuf_addf(&b, ": killed by signal %d", status - 128);
	else
		strbuf_addf(&b, ": exit status %d", status);

	if (errors && errors[strspn(errors, " \n")]) {
		strbuf_add(&b, ": ");
		add_first_message(&b, errors);
	}
	return strbuf_take(&b);
}
