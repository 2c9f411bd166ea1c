/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-ipvs.h"

#define PLAIN(reuse)                                                           \
	"net/ipv4/vs/conntrack=1\n" reuse "net/ipv4/vs/expire_nodest_conn=1\n" \
	"net/ipv4/vs/expire_quiescent_template=1\nnet/ipv4/ip_forward=1\n"
#define REUSE "net/ipv4/vs/conn_reuse_mode=0\n"
#define ARP "net/ipv4/conf/all/arp_ignore=1\nnet/ipv4/conf/all/arp_announce=2\n"

/* spec/ipvs.md section 5 */
static void test_sysctls(void **state)
{
	static const struct {
		const char *release;
		bool old;
	} rows[] = {
		{"6.1.0-18-amd64", false}, {"5.9.0", false}, {"5.9", false},
		{"5.10.0", false},	   {"5.8.18", true}, {"5.8", true},
		{"5.0-rc1", true},	   {"5", true},	     {"4.19.0-26-amd64", true},
		{"4.1.15", true},	   {"4.0.9", false}, {"4", false},
		{"3.10.0", false},	   {"", false},	     {"x", false},
		{"-4.19", false},	   {".4.19", false}, {"400000000000.19", false},
		{"5.80000000000", true},   {"4.", false},    {"10.4", false},
	};
	struct shared_settings *settings = make_settings();

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		for (int arp = 0; arp < 2; arp++) {
			struct strbuf out = {0};
			char wanted[512];

			settings->s.ipvs_strict_arp = arp;
			(void)snprintf(wanted, sizeof(wanted), "%s%s",
				       rows[i].old ? PLAIN(REUSE) : PLAIN(""), arp ? ARP : "");
			ipvs_print_sysctls(&settings->s, rows[i].release, &out);
			if (!streq(strbuf_text(&out), wanted))
				fail_msg("'%s': %s", rows[i].release, strbuf_text(&out));
			strbuf_done(&out);
		}
	}
	shared_settings_unref(settings);
}

/* Whole seconds; 0 keeps what is there, and nothing at all is nothing to write. */
static void test_timeouts(void **state)
{
	static const struct {
		uint64_t tcp, fin, udp;
		const char *text;
	} rows[] = {
		{0, 0, 0, ""},
		{600000000, 30000000, 60000000, "600 30 60\n"},
		{0, 0, 1999999, "0 0 1\n"},
		{0, 5000000, 0, "0 5 0\n"},
		{UINT64_C(2147483647000000), 0, 0, "2147483647 0 0\n"},
	};
	struct shared_settings *settings = make_settings();

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct strbuf out = {0};

		settings->s.ipvs_tcp_timeout = rows[i].tcp;
		settings->s.ipvs_tcp_fin_timeout = rows[i].fin;
		settings->s.ipvs_udp_timeout = rows[i].udp;
		ipvs_print_timeouts(&settings->s, &out);
		assert_string_equal(strbuf_text(&out), rows[i].text);
		strbuf_done(&out);
	}
	shared_settings_unref(settings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysctls),
		cmocka_unit_test(test_timeouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
