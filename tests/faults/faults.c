/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Makes every allocation of a piece of work fail, one after the other, and judges what came of it.
 *
 *     faults [OPTION]... NAME ctl ARGUMENT...          svcroutectl with these arguments
 *     faults [OPTION]... NAME output ARGUMENT...       the same, but reading the files does not
 * fail faults [OPTION]... NAME reload A B [KIND/FILE]... a pass of the daemon after directory A (as
 * /etc/svcroute) became B; with names: only these are told to have changed
 *
 *     faults [OPTION]... NAME answers A B              then, all that the daemon may be asked
 *
 *     faults [OPTION]... NAME start A B                a start with files B after an end with A
 *     faults [OPTION]... NAME keep A B                 the state directory with A gets B
 *
 *     faults [OPTION]... NAME look B SAVED             the first sync on a host with the rules
 * SAVED
 *
 *     -s STEP     only each STEPth allocation
 *     -l STEP     LeakSanitizer looks at each STEPth run only; blocks are counted in each
 *     -w DIR      what the work writes: removed before each run, compared after
 *     -n N, -n N+ only this run: the Nth allocation fails, or that and all after; shows all of it
 *
 * A run is a process of its own. It is good when it ends by itself, gives back all that it took,
 * and either does just what it does when nothing fails (status, both outputs, what it wrote), or
 * has status 1, an error on standard error, and wrote nothing. The last line is the count.
 */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "sanitize.h"
#include "wrap.h"

#define MODE_USAGE 64
#define SHOWN_MAX 5	 /* bad runs that are shown in full */
#define SHOWN_BYTES 2000 /* of each of their outputs */
#define RUN_SECONDS \
	120 /* a run that takes longer hangs: on an idle machine it takes milliseconds */

enum stream {
	STREAM_OUT,
	STREAM_ERR,
	STREAM_LOG, /* of the sanitizers */
	_STREAM_MAX,
};

/* What came of a run. */
struct outcome {
	int wait_status;
	struct strbuf text[_STREAM_MAX];
	struct strbuf written; /* names and contents below the directory of -w */
};

/* What the child tells. */
struct told {
	uint64_t calls, failed;
	int64_t balance;
	bool finished, leaked;
};

struct driver {
	const char *name;
	const struct fault_mode *mode;
	char **arguments;
	int n_arguments;
	uint64_t step, leak_step;
	const char *directory;
	int fds[_STREAM_MAX];
	struct told *told;
	struct outcome good;
	int64_t good_balance;
	uint64_t n_runs, n_bad;
};

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=1:allocator_may_return_null=1";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "max_leaks=5:print_suppressions=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "print_stacktrace=1";
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fault_remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void read_fd(int fd, struct strbuf *out)
{
	char buf[65536];
	ssize_t n;

	if (lseek(fd, 0, SEEK_SET) < 0)
		die("lseek");
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add_bytes(out, buf, (size_t)n);
}

static void read_tree(const char *path, struct strbuf *out)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		_cleanup_free_ char *below = NULL;
		_cleanup_close_ int fd = -1;

		if (!streq(name, ".") && !streq(name, "..")) {
			if (asprintf(&below, "%s/%s", path, name) < 0)
				die("asprintf");
			strbuf_addf(out, "%s\n", below);
			if (entries[i]->d_type == DT_DIR)
				read_tree(below, out);
			else
				fd = open(below, O_RDONLY | O_CLOEXEC);
			if (fd >= 0)
				read_fd(fd, out);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void outcome_done(struct outcome *o)
{
	for (int i = 0; i < _STREAM_MAX; i++)
		strbuf_done(&o->text[i]);
	strbuf_done(&o->written);
}

static void work(struct driver *d, uint64_t at, bool all, bool look_for_leaks)
{
	int64_t balance = faults_balance();
	int status;

	(void)alarm(RUN_SECONDS);
	sanitize_report_to(d->fds[STREAM_LOG]);
	if (dup2(d->fds[STREAM_OUT], STDOUT_FILENO) < 0 ||
	    dup2(d->fds[STREAM_ERR], STDERR_FILENO) < 0)
		_exit(98);
	faults_start(at, all);
	status = d->mode->run(d->n_arguments, d->arguments);
	faults_stop();
	(void)fflush(stdout);
	d->told->calls = faults_calls();
	d->told->failed = faults_failed();
	d->told->balance = faults_balance() - balance;
	if (look_for_leaks)
		d->told->leaked = sanitize_find_leaks();
	d->told->finished = true;
	_exit(status);
}

static void run(struct driver *d, uint64_t at, bool all, bool look_for_leaks, struct outcome *ret)
{
	pid_t child;

	*ret = (struct outcome){0};
	*d->told = (struct told){0};
	for (int i = 0; i < _STREAM_MAX; i++)
		if (ftruncate(d->fds[i], 0) < 0 || lseek(d->fds[i], 0, SEEK_SET) < 0)
			die("memfd");
	if (d->directory)
		fault_remove_tree(d->directory);
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0)
		work(d, at, all, look_for_leaks);
	while (waitpid(child, &ret->wait_status, 0) < 0)
		if (errno != EINTR)
			die("waitpid");
	for (int i = 0; i < _STREAM_MAX; i++)
		read_fd(d->fds[i], &ret->text[i]);
	if (d->directory)
		read_tree(d->directory, &ret->written);
}

static bool same_text(const struct strbuf *a, const struct strbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* NULL: the run is good. */
static const char *judge(const struct driver *d, const struct outcome *o)
{
	const struct outcome *good = &d->good;
	int status;

	if (WIFSIGNALED(o->wait_status))
		return WTERMSIG(o->wait_status) == SIGALRM ? "hangs" : "crash (signal)";
	if (!d->told->finished)
		return "crash, or stopped by a sanitizer";
	if (d->told->leaked)
		return "leak";
	if (d->told->balance != d->good_balance)
		return d->told->balance > d->good_balance ? "leak (blocks were not given back)"
							  : "more blocks freed than allocated";
	status = WEXITSTATUS(o->wait_status);
	if (status == WEXITSTATUS(good->wait_status)) {
		if (!same_text(&o->text[STREAM_OUT], &good->text[STREAM_OUT]))
			return "the good status, but another standard output";
		if (!same_text(&o->text[STREAM_ERR], &good->text[STREAM_ERR]))
			return "the good status, but another standard error";
		if (!same_text(&o->written, &good->written))
			return "the good status, but other files";
		return NULL;
	}
	if (status != 1)
		return "wrong status";
	if (!strstr(strbuf_text(&o->text[STREAM_ERR]), d->mode->error_prefix))
		return "failed without a word";
	if (o->written.len)
		return "failed, but left files";
	return NULL;
}

static void show(const char *title, const struct strbuf *b, size_t max)
{
	if (b->len)
		(void)printf("--- %s\n%.*s%s\n", title, (int)MIN_OF(b->len, max), b->data,
			     b->len > max ? "\n..." : "");
}

/* The first line in which they differ. */
static void show_difference(const char *title, const struct strbuf *is, const struct strbuf *wanted)
{
	const char *a = strbuf_text(is), *b = strbuf_text(wanted);
	size_t start = 0, i;

	if (same_text(is, wanted))
		return;
	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n')
			start = i + 1;
	(void)printf("--- %s, the first difference\nis:     %.*s\nwanted: %.*s\n", title,
		     (int)strcspn(a + start, "\n"), a + start, (int)strcspn(b + start, "\n"),
		     b + start);
}

static void show_outcome(const struct outcome *o, size_t max)
{
	if (WIFEXITED(o->wait_status))
		(void)printf("--- status %d\n", WEXITSTATUS(o->wait_status));
	else
		(void)printf("--- signal %d\n", WTERMSIG(o->wait_status));
	show("standard output", &o->text[STREAM_OUT], max);
	show("standard error", &o->text[STREAM_ERR], max);
	show("files", &o->written, max);
	show("log of the sanitizers; first the allocation that failed", &o->text[STREAM_LOG],
	     INT_MAX);
}

static void show_differences(const struct outcome *o, const struct outcome *good)
{
	if (o->wait_status != good->wait_status)
		return;
	show_difference("standard output", &o->text[STREAM_OUT], &good->text[STREAM_OUT]);
	show_difference("standard error", &o->text[STREAM_ERR], &good->text[STREAM_ERR]);
	show_difference("files", &o->written, &good->written);
}

/* False when nothing was left to fail. */
static bool try(struct driver *d, uint64_t at, bool all)
{
	bool look_for_leaks = d->n_runs++ / 2 % d->leak_step == 0;
	struct outcome o;
	const char *bad;
	bool failed;

	run(d, at, all, look_for_leaks, &o);
	failed = d->told->failed > 0 || !d->told->finished;
	bad = judge(d, &o);
	outcome_done(&o);
	if (!bad)
		return failed;
	d->n_bad++;
	(void)printf("%s: allocation %llu%s: %s\n", d->name, (unsigned long long)at,
		     all ? " and all after it" : "", bad);
	if (d->n_bad <= SHOWN_MAX) {
		faults_set_trace(true);
		run(d, at, all, true, &o);
		show_differences(&o, &d->good);
		show_outcome(&o, SHOWN_BYTES);
		outcome_done(&o);
		faults_set_trace(false);
	}
	return failed;
}

static void run_good(struct driver *d)
{
	run(d, 0, false, true, &d->good);
	if (!d->told->finished || WEXITSTATUS(d->good.wait_status) == 1 || d->told->leaked ||
	    (d->told->balance && !d->mode->keeps_blocks)) {
		(void)printf("%s: bad before anything fails; %lld blocks\n", d->name,
			     (long long)d->told->balance);
		show_outcome(&d->good, SHOWN_BYTES);
		exit(1);
	}
	d->good_balance = d->told->balance;
}

static int run_one(struct driver *d, const char *which)
{
	_cleanup_free_ char *number = strndup(which, strcspn(which, "+"));
	bool all = strchr(which, '+') != NULL;
	struct outcome o;
	const char *bad;
	uint64_t at;

	if (!number || num_parse_u64(number, 0, UINT64_MAX, &at) < 0)
		return MODE_USAGE;
	faults_set_trace(true);
	run(d, at, all, true, &o);
	bad = judge(d, &o);
	show_outcome(&o, INT_MAX);
	(void)printf("%s: %s, %llu allocations, %llu failed\n", d->name, bad ? bad : "good",
		     (unsigned long long)d->told->calls, (unsigned long long)d->told->failed);
	outcome_done(&o);
	return bad ? 1 : 0;
}

static int run_all(struct driver *d)
{
	uint64_t calls = d->told->calls, at;

	/* A run that fails early may ask for more than a good one; but not for ever. */
	for (at = 1; try(d, at, false) && at < 2 * calls + 1000; at += d->step)
		(void)try(d, at, true);
	if (at <= calls || at >= 2 * calls + 1000) {
		(void)printf("%s: ended at %llu of %llu allocations\n", d->name,
			     (unsigned long long)at, (unsigned long long)calls);
		d->n_bad++;
	} else {
		d->n_runs--; /* the last one, in which nothing was left to fail */
	}
	(void)printf("%s: %llu allocations, %llu failures tried, %llu passed, %llu failed\n",
		     d->name, (unsigned long long)calls, (unsigned long long)d->n_runs,
		     (unsigned long long)(d->n_runs - d->n_bad), (unsigned long long)d->n_bad);
	return d->n_bad ? 1 : 0;
}

static int usage(void)
{
	(void)fputs(
		"usage: faults [-s STEP] [-l STEP] [-w DIR] [-n N[+]] NAME ctl|output ARGUMENT...\n"
		"       faults [OPTION]... NAME look B SAVED\n"
		"       faults [OPTION]... NAME reload|answers|start|keep|ipvs A B "
		"[KIND/FILE]...\n",
		stderr);
	return MODE_USAGE;
}

static bool make_fds(struct driver *d)
{
	for (int i = 0; i < _STREAM_MAX; i++) {
		d->fds[i] = memfd_create("faults", MFD_CLOEXEC);
		if (d->fds[i] < 0)
			return false;
	}
	d->told = mmap(NULL, sizeof(*d->told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return d->told != MAP_FAILED;
}

int main(int argc, char **argv)
{
	static const struct fault_mode *const modes[] = {
		&fault_mode_ctl,   &fault_mode_output, &fault_mode_reload, &fault_mode_answers,
		&fault_mode_start, &fault_mode_keep,   &fault_mode_look,   &fault_mode_ipvs};
	struct driver d = {.step = 1, .leak_step = 1};
	const char *one = NULL;
	int c, status;

	while ((c = getopt(argc, argv, "+s:l:w:n:")) >= 0) {
		if (c == 's' && num_parse_u64(optarg, 1, 1000000, &d.step) == 0)
			continue;
		if (c == 'l' && num_parse_u64(optarg, 1, 1000000, &d.leak_step) == 0)
			continue;
		if (c != 'w' && c != 'n')
			return usage();
		*(c == 'w' ? &d.directory : &one) = optarg;
	}
	if (argc - optind < 2)
		return usage();
	d.name = argv[optind];
	for (size_t i = 0; i < ELEMENTSOF(modes); i++)
		if (streq(modes[i]->name, argv[optind + 1]))
			d.mode = modes[i];
	d.arguments = argv + optind + 1;
	d.n_arguments = argc - optind - 1;
	if (!d.mode)
		return usage();
	if (!make_fds(&d))
		die("cannot start");
	optind = 0;
	if (d.mode->prepare && d.mode->prepare(d.n_arguments, d.arguments) < 0)
		die("cannot prepare");
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	run_good(&d);
	status = one ? run_one(&d, one) : run_all(&d);
	if (d.mode->clean_up)
		d.mode->clean_up();
	if (d.directory)
		fault_remove_tree(d.directory);
	outcome_done(&d.good);
	return status;
}
