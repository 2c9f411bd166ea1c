/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "model/checks.h"

/* What check_tell() makes of a row, and that a wrong number of texts never goes unseen. */
static void test_tell(void **state)
{
	static const struct place at = {"f", 1, 2};
	_cleanup_diags_ struct diags d = {0};
	const struct diag *m;

	(void)state;
	check_tell(&d, CHECK_S64A_OPEN, &at, "default/web", "a.b", "v", "IPv4", "IPv6", "::/0");
	check_tell(&d, CHECK_S10_TYPE, &at, NULL, NULL, NULL, "A or B", NULL);
	check_tell(&d, CHECK_S30_NO_PORT, NULL, NULL, NULL, NULL);
	assert_int_equal(d.error, 0);
	assert_int_equal(d.n, 3);
	assert_int_equal(d.n_errors, 3);
	m = &d.items[0];
	assert_string_equal(m->reason, "has no IPv4 range, so the IPv6 loadBalancerIPs would be "
				       "open to everyone");
	assert_string_equal(m->hint, "add a range of this family, or '::/0' to open it to all");
	assert_string_equal(m->object, "default/web");
	assert_string_equal(m->field, "a.b");
	assert_string_equal(m->value, "v");
	assert_int_equal(m->line, 1);
	assert_int_equal(m->column, 2);
	assert_string_equal(d.items[1].reason, "must be A or B");
	assert_null(d.items[1].hint);
	assert_ptr_equal(d.items[2].check, &check_rows[CHECK_S30_NO_PORT]);

	/* Braces in a text are no words, and texts are no formats. */
	check_tell(&d, CHECK_S10_TYPE, &at, NULL, NULL, NULL, "{names}%s", "%n");
	assert_string_equal(d.items[3].reason, "must be {names}%s");
	assert_string_equal(d.items[3].hint, "did you mean '%n'?");
	/* Braces of an example are none. */
	assert_int_equal(check_n_words("{ ip = 1; } {a b} {A} {} {c"), 1);
	assert_int_equal(check_n_words(NULL), 0);

	check_tell(&d, CHECK_S10_TYPE, &at, NULL, NULL, NULL, "one");
	assert_int_equal(d.error, -EINVAL);
	d.error = 0;
	check_tell(&d, CHECK_S10_TYPE, &at, NULL, NULL, NULL, NULL, "two");
	assert_int_equal(d.error, -EINVAL);
	d.error = 0;
	check_tell(&d, CHECK_S10_TYPE, &at, NULL, NULL, NULL, "one", "two", "three");
	assert_int_equal(d.error, -EINVAL);
	d.error = 0;
	check_tell(&d, CHECK_S30_NO_PORT, &at, NULL, NULL, NULL, "one");
	assert_int_equal(d.error, -EINVAL);
	assert_int_equal(d.n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
