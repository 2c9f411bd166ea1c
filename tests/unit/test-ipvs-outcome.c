/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "backend/ipvs-outcome.h"
#include "base/log.h"

static void fill(struct ipvs_outcome *o)
{
	const struct ipvs_key keys[] = {{.port = 1}, {.port = 1}, {.port = 2}};

	ipvs_outcome_fail(o, ADDR_IPV6, -EPERM, "first %d", 1);
	ipvs_outcome_fail(o, ADDR_IPV6, -EIO, "second");
	ipvs_outcome_warn(o, "careful: %s", "a");
	ipvs_outcome_warn(o, "b");
	for (size_t i = 0; i < ELEMENTSOF(keys); i++)
		ipvs_outcome_drains(o, &keys[i]);
	o->n_servers = 5;
	o->saved = true;
	o->saved_hash[31] = 9;
	o->sysctl_found[3] = true;
	o->sysctl_old[3] = -4;
}

/* What is written, as a malloc'ed block of just its size. */
static char *bytes_of(const struct ipvs_outcome *o, size_t *ret_size)
{
	int fd = memfd_create("outcome", MFD_CLOEXEC);
	char *data;
	off_t n;

	assert_true(fd >= 0);
	assert_int_equal(ipvs_outcome_write(o, fd), 0);
	n = lseek(fd, 0, SEEK_END);
	assert_true(n > 0);
	data = malloc((size_t)n);
	assert_non_null(data);
	assert_int_equal(pread(fd, data, (size_t)n, 0), n);
	(void)close(fd);
	*ret_size = (size_t)n;
	return data;
}

static void test_round_trip(void **state)
{
	struct ipvs_outcome o = {0}, back;
	char *data, *text;
	size_t n;

	(void)state;
	fill(&o);
	data = bytes_of(&o, &n);
	memset(&back, 0xa5, sizeof(back));
	assert_int_equal(ipvs_outcome_read(data, n, &back), 0);
	assert_int_equal(back.error, -EPERM);
	assert_string_equal(back.message, "first 1");
	assert_ptr_not_equal(back.message, o.message);
	assert_int_equal(back.n_errors, 2);
	assert_true(back.failed[ADDR_IPV6]);
	assert_false(back.failed[ADDR_IPV4]);
	assert_int_equal(back.warnings.len, strlen("careful: a") + 1 + strlen("b") + 1);
	assert_string_equal(back.warnings.data, "careful: a");
	assert_string_equal(back.warnings.data + strlen("careful: a") + 1, "b");
	assert_int_equal(back.n_draining, 2);
	assert_int_equal(back.draining[1].port, 2);
	assert_int_equal(back.n_servers, 5);
	assert_int_equal(back.saved_hash[31], 9);
	assert_int_equal(back.sysctl_old[3], -4);
	text = ipvs_outcome_text(&back);
	assert_string_equal(text, "first 1 (and 1 more)");
	free(text);
	ipvs_outcome_done(&back);
	ipvs_outcome_done(&o);
	free(data);
}

/* Whatever a child that died half-way has left is refused, or is all of it. */
static void test_cut(void **state)
{
	struct ipvs_outcome o = {0}, back, poison;
	char *data;
	size_t n;

	(void)state;
	fill(&o);
	data = bytes_of(&o, &n);
	memset(&back, 0xa5, sizeof(back));
	memcpy(&poison, &back, sizeof(back));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(ipvs_outcome_read(data, i, &back), -EBADMSG);
		assert_memory_equal(&back, &poison, sizeof(back));
	}
	ipvs_outcome_done(&o);
	free(data);
}

static void test_empty(void **state)
{
	struct ipvs_outcome o = {0}, back;
	char *data, *text;
	size_t n;

	(void)state;
	data = bytes_of(&o, &n);
	assert_int_equal(ipvs_outcome_read(data, n, &back), 0);
	assert_null(back.message);
	assert_int_equal(back.error, 0);
	assert_int_equal(back.n_draining, 0);
	ipvs_outcome_done(&back);
	/* both families, and no text to be had */
	ipvs_outcome_fail_text(&o, _ADDR_FAMILY_INVALID, -ENOMEM, NULL);
	assert_true(o.failed[ADDR_IPV4] && o.failed[ADDR_IPV6]);
	text = ipvs_outcome_text(&o);
	assert_string_equal(text, strerror(ENOMEM));
	free(text);
	ipvs_outcome_done(&o);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_empty),
	};

	log_set_level(LOG_ERR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
