/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make-world.h"
#include "rules/detect.h"

/* What is not answered is left as it was. */
static void test_detect(void **state)
{
	static const struct {
		enum detect_local mode;
		const char *bridge, *prefix;
		unsigned v4, v6;
		const char *range_v4, *range_v6, *interface;
	} rows[] = {
		{DETECT_NONE, "br0", "veth", 0, 0, NULL, NULL, NULL},
		{DETECT_CLUSTER_CIDR, "br0", "veth", RULE_SRC, 0, "10.1.0.0/16", NULL, NULL},
		{DETECT_NODE_CIDR, "br0", "veth", RULE_SRC, RULE_SRC, "10.3.0.0/24", "fd00:3::/64",
		 NULL},
		{DETECT_BRIDGE_INTERFACE, "br0", "veth", RULE_IN, RULE_IN, NULL, NULL, "br0"},
		{DETECT_BRIDGE_INTERFACE, "", "veth", 0, 0, NULL, NULL, NULL},
		{DETECT_BRIDGE_INTERFACE, "abcdefghijklmno", "", RULE_IN, RULE_IN, NULL, NULL,
		 "abcdefghijklmno"},
		{DETECT_BRIDGE_INTERFACE, "abcdefghijklmnop", "", 0, 0, NULL, NULL, NULL},
		{DETECT_INTERFACE_NAME_PREFIX, "", "veth", RULE_IN, RULE_IN, NULL, NULL, "veth+"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "abcdefghijklmn", RULE_IN, RULE_IN, NULL, NULL,
		 "abcdefghijklmn+"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "abcdefghijklmno", RULE_IN, RULE_IN, NULL, NULL,
		 "abcdefghijklmno"},
		{DETECT_INTERFACE_NAME_PREFIX, "", "abcdefghijklmnop", 0, 0, NULL, NULL, NULL},
		{DETECT_INTERFACE_NAME_PREFIX, "br0", "", 0, 0, NULL, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
		struct shared_settings *settings = make_settings();

		settings->s.detect_local = rows[i].mode;
		add_prefix(&settings->s.cluster_cidr, "10.1.0.0/16");
		add_prefix(&settings->s.cluster_cidr, "10.2.0.0/16");
		add_prefix(&settings->s.node_cidr, "fd00:3::/64");
		add_prefix(&settings->s.node_cidr, "10.3.0.0/24");
		replace_text(&settings->s.bridge_interface, rows[i].bridge);
		replace_text(&settings->s.interface_name_prefix, rows[i].prefix);
		for (int f = 0; f < _ADDR_FAMILY_MAX; f++) {
			const char *wanted = f == ADDR_IPV4 ? rows[i].range_v4 : rows[i].range_v6;
			struct addr_prefix range, poison;
			char interface[RULES_INTERFACE_MAX] = "poison";
			char text[ADDR_PREFIX_TEXT_MAX];

			memset(&range, 0xA5, sizeof(range));
			poison = range;
			assert_int_equal(
				detect_pods(&settings->s, (enum addr_family)f, &range, interface),
				f == ADDR_IPV4 ? rows[i].v4 : rows[i].v6);
			if (wanted)
				assert_string_equal(addr_prefix_format(&range, text), wanted);
			else
				assert_memory_equal(&range, &poison, sizeof(range));
			assert_string_equal(interface,
					    rows[i].interface ? rows[i].interface : "poison");
		}
		shared_settings_unref(settings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
