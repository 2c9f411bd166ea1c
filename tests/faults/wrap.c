/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wrap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <microhttpd.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-event.h>
#include <unistd.h>
#include <yaml.h>

#include "sanitize.h"

static struct {
	uint64_t at; /* 0: nothing fails */
	bool on, all, trace;
	uint64_t calls, failed;
	int64_t balance;
	const char *file; /* of SVCROUTE_FAULT_FILE */
} faults;

void faults_start(uint64_t at, bool all)
{
	faults.at = at;
	faults.all = all;
	faults.calls = faults.failed = 0;
	faults.on = true;
}

void faults_stop(void)
{
	faults.on = false;
}

void faults_pause(bool pause)
{
	faults.on = !pause;
}

uint64_t faults_calls(void)
{
	return faults.calls;
}

uint64_t faults_failed(void)
{
	return faults.failed;
}

int64_t faults_balance(void)
{
	return faults.balance;
}

void faults_set_trace(bool trace)
{
	faults.trace = trace;
}

static bool fails(void)
{
	if (!faults.on)
		return false;
	faults.calls++;
	if (faults.at == 0 || (faults.all ? faults.calls < faults.at : faults.calls != faults.at))
		return false;
	faults.failed++;
	if (faults.trace && faults.failed == 1) {
		faults.on = false; /* printing asks for memory, too */
		sanitize_print_stack();
		faults.on = true;
	}
	errno = ENOMEM;
	return true;
}

static void *count(void *block)
{
	faults.balance += block != NULL;
	return block;
}

/* The pointer is undefined after a failure. Who looks at it all the same shall crash. */
static int print_failed(char **ret)
{
	*ret = (char *)1;
	return -1;
}

static int print_done(int n)
{
	faults.balance += n >= 0;
	return n;
}

/* The reader of jansson 2.14 does not notice when there is no room for a byte of a string, and runs
 * past its end when that was the last one. So it fails as a whole, or not at all. */
json_t *__real_json_loads(const char *text, size_t flags, json_error_t *error);
static json_t *read_json(const char *text, size_t flags, json_error_t *error)
{
	bool on = faults.on;
	json_t *value;

	faults.on = false;
	value = __real_json_loads(text, flags, error);
	faults.on = on;
	return value;
}

json_t *__real_json_loadb(const char *text, size_t size, size_t flags, json_error_t *error);
static json_t *read_json_bytes(const char *text, size_t size, size_t flags, json_error_t *error)
{
	bool on = faults.on;
	json_t *value;

	faults.on = false;
	value = __real_json_loadb(text, size, flags, error);
	faults.on = on;
	return value;
}

ssize_t __real___getdelim(char **line, size_t *size, int delimiter, FILE *f);
static ssize_t read_line(char **line, size_t *size, int delimiter, FILE *f)
{
	bool had_block = *line != NULL;
	ssize_t n = __real___getdelim(line, size, delimiter, f);

	faults.balance += !had_block && *line != NULL;
	return n;
}

/* The Makefile reads the names of the functions to wrap from the lines that begin with WRAP. */
#define WRAP(type, name, parameters, ...)     \
	type __real_##name parameters;        \
	type __wrap_##name parameters;        \
	type __wrap_##name parameters         \
	{                                     \
		return fails() ? __VA_ARGS__; \
	}
/* The same for what gives out a block. */
#define WRAP_BLOCK(type, name, parameters, arguments)                   \
	type __real_##name parameters;                                  \
	type __wrap_##name parameters;                                  \
	type __wrap_##name parameters                                   \
	{                                                               \
		return fails() ? NULL : count(__real_##name arguments); \
	}

/* The names have to stay on the first lines. */
/* clang-format off */
WRAP_BLOCK(void *, malloc, (size_t size), (size))
WRAP_BLOCK(void *, calloc, (size_t n, size_t size), (n, size))
WRAP_BLOCK(char *, strdup, (const char *text), (text))
WRAP_BLOCK(char *, strndup, (const char *text, size_t n), (text, n))
WRAP(char *, getcwd, (char *buf, size_t size),
     NULL : buf ? __real_getcwd(buf, size) : count(__real_getcwd(NULL, size)))
WRAP(ssize_t, __getdelim, (char **line, size_t *size, int delimiter, FILE *f),
     -1 : read_line(line, size, delimiter, f))
WRAP(FILE *, fopen, (const char *path, const char *mode), NULL : __real_fopen(path, mode))
WRAP(DIR *, opendir, (const char *path), NULL : __real_opendir(path))
WRAP(DIR *, fdopendir, (int fd), NULL : __real_fdopendir(fd))
WRAP(int, posix_spawn_file_actions_init, (posix_spawn_file_actions_t *a),
     ENOMEM : __real_posix_spawn_file_actions_init(a))
WRAP(int, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t *a, int fd, int to),
     ENOMEM : __real_posix_spawn_file_actions_adddup2(a, fd, to))
WRAP(int, posix_spawnattr_init, (posix_spawnattr_t *a), ENOMEM : __real_posix_spawnattr_init(a))
WRAP(int, posix_spawnp, (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
     const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]),
     ENOMEM : __real_posix_spawnp(pid, file, actions, attributes, argv, envp))

WRAP(struct nl_sock *, nl_socket_alloc, (void), NULL : __real_nl_socket_alloc())
WRAP(struct nl_cb *, nl_cb_alloc, (enum nl_cb_kind kind), NULL : __real_nl_cb_alloc(kind))
WRAP(int, nl_connect, (struct nl_sock *s, int protocol),
     -NLE_NOMEM : __real_nl_connect(s, protocol))
WRAP(int, nl_recvmsgs, (struct nl_sock *s, struct nl_cb *cb),
     -NLE_NOMEM : __real_nl_recvmsgs(s, cb))
WRAP(int, nl_recv,
     (struct nl_sock *s, struct sockaddr_nl *from, unsigned char **buf, struct ucred **creds),
     -NLE_NOMEM : __real_nl_recv(s, from, buf, creds))
WRAP(struct nl_msg *, nlmsg_alloc, (void), NULL : __real_nlmsg_alloc())
WRAP(struct nl_msg *, nlmsg_alloc_size, (size_t size), NULL : __real_nlmsg_alloc_size(size))
WRAP(struct nl_msg *, nlmsg_alloc_simple, (int type, int flags),
     NULL : __real_nlmsg_alloc_simple(type, flags))
WRAP(int, nlmsg_append, (struct nl_msg *m, void *data, size_t size, int pad),
     -NLE_NOMEM : __real_nlmsg_append(m, data, size, pad))
WRAP(int, nla_put_string, (struct nl_msg *m, int type, const char *text),
     -NLE_NOMEM : __real_nla_put_string(m, type, text))

WRAP(int, sd_event_default, (sd_event **ret), -ENOMEM : __real_sd_event_default(ret))
WRAP(int, sd_event_add_io, (sd_event *e, sd_event_source **ret, int fd, uint32_t events,
     sd_event_io_handler_t callback, void *userdata),
     -ENOMEM : __real_sd_event_add_io(e, ret, fd, events, callback, userdata))
WRAP(int, sd_event_add_time, (sd_event *e, sd_event_source **ret, clockid_t clock, uint64_t usec,
     uint64_t accuracy, sd_event_time_handler_t callback, void *userdata),
     -ENOMEM : __real_sd_event_add_time(e, ret, clock, usec, accuracy, callback, userdata))
WRAP(int, sd_event_add_signal, (sd_event *e, sd_event_source **ret, int number,
     sd_event_signal_handler_t callback, void *userdata),
     -ENOMEM : __real_sd_event_add_signal(e, ret, number, callback, userdata))
WRAP(int, sd_event_add_defer, (sd_event *e, sd_event_source **ret, sd_event_handler_t callback,
     void *userdata), -ENOMEM : __real_sd_event_add_defer(e, ret, callback, userdata))
WRAP(int, sd_event_add_child, (sd_event *e, sd_event_source **ret, pid_t pid, int options,
     sd_event_child_handler_t callback, void *userdata),
     -ENOMEM : __real_sd_event_add_child(e, ret, pid, options, callback, userdata))
WRAP(int, sd_event_source_set_description, (sd_event_source *s, const char *text),
     -ENOMEM : __real_sd_event_source_set_description(s, text))

WRAP(struct MHD_Response *, MHD_create_response_from_buffer, (size_t size, void *data,
     enum MHD_ResponseMemoryMode mode),
     NULL : __real_MHD_create_response_from_buffer(size, data, mode))
WRAP(enum MHD_Result, MHD_add_response_header, (struct MHD_Response *r, const char *name,
     const char *value), MHD_NO : __real_MHD_add_response_header(r, name, value))
WRAP(enum MHD_Result, MHD_queue_response, (struct MHD_Connection *c, unsigned status,
     struct MHD_Response *r), MHD_NO : __real_MHD_queue_response(c, status, r))

WRAP(struct libscols_table *, scols_new_table, (void), NULL : __real_scols_new_table())
WRAP(struct libscols_column *, scols_table_new_column, (struct libscols_table *t, const char *name,
     double width, int flags), NULL : __real_scols_table_new_column(t, name, width, flags))
WRAP(struct libscols_line *, scols_table_new_line, (struct libscols_table *t,
     struct libscols_line *parent), NULL : __real_scols_table_new_line(t, parent))
WRAP(int, scols_line_set_data, (struct libscols_line *l, size_t n, const char *text),
     -ENOMEM : __real_scols_line_set_data(l, n, text))
WRAP(int, scols_print_table, (struct libscols_table *t), -ENOMEM : __real_scols_print_table(t))

WRAP(json_t *, json_loads, (const char *text, size_t flags, json_error_t *error),
     NULL : read_json(text, flags, error))
WRAP(json_t *, json_loadb, (const char *text, size_t size, size_t flags, json_error_t *error),
     NULL : read_json_bytes(text, size, flags, error))

WRAP(int, yaml_parser_initialize, (yaml_parser_t *p), 0 : __real_yaml_parser_initialize(p))
WRAP(int, yaml_parser_parse, (yaml_parser_t *p, yaml_event_t *event),
     (p->error = YAML_MEMORY_ERROR, 0) : __real_yaml_parser_parse(p, event))

WRAP(void *, realloc, (void *block, size_t size), NULL :
     block ? __real_realloc(block, size) : count(__real_realloc(NULL, size)))
WRAP(void *, reallocarray, (void *block, size_t n, size_t size), NULL :
     block ? __real_reallocarray(block, n, size) : count(__real_reallocarray(NULL, n, size)))
WRAP(int, vasprintf, (char **ret, const char *format, va_list ap),
     print_failed(ret) : print_done(__real_vasprintf(ret, format, ap)))
WRAP(int, __vasprintf_chk, (char **ret, int flag, const char *format, va_list ap),
     print_failed(ret) : print_done(__real___vasprintf_chk(ret, flag, format, ap)))
/* clang-format on */

/* By hand, but the Makefile has to see them:
WRAP(int, asprintf,
WRAP(int, __asprintf_chk,
WRAP(void, free,
*/
int __wrap_asprintf(char **ret, const char *format, ...);
int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = __wrap_vasprintf(ret, format, ap);
	va_end(ap);
	return n;
}

/* What the compiler makes of it in a hardened build. */
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...);
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = __wrap___vasprintf_chk(ret, flag, format, ap);
	va_end(ap);
	return n;
}

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block)
{
	faults.balance -= block != NULL;
	__real_free(block);
}

/* SIGUSR2. Only what a signal handler may do. */

static size_t put_number(char *to, uint64_t value)
{
	char digits[20];
	size_t n = 0, i;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (i = 0; i < n; i++)
		to[i] = digits[n - 1 - i];
	return n;
}

static void write_done(void)
{
	char path[512], text[64];
	size_t n = strlen(faults.file);
	int fd;

	memcpy(path, faults.file, n);
	memcpy(path + n, ".done", sizeof(".done"));
	n = put_number(text, faults.calls);
	text[n++] = ' ';
	n += put_number(text + n, faults.failed);
	text[n++] = '\n';
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, n) < 0)
		abort();
	(void)close(fd);
}

static void on_signal(int number)
{
	int saved_errno = errno, fd = open(faults.file, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t n, i;
	uint64_t at = 0;

	(void)number;
	n = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
	if (fd >= 0)
		(void)close(fd);
	for (i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		at = at * 10 + (uint64_t)(text[i] - '0');
	faults_stop();
	write_done();
	faults_start(at, i < n && text[i] == '+');
	errno = saved_errno;
}

__attribute__((constructor)) static void set_up(void)
{
	const char *file = getenv("SVCROUTE_FAULT_FILE");
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	json_set_alloc_funcs(malloc, free);
	if (!file || strlen(file) > 500)
		return;
	faults.file = file;
	(void)sigaction(SIGUSR2, &action, NULL);
}
