/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

#include "model/diag.h"

/*
 * All that is refused, warned of or noted about services and endpoints, one row each: what is told
 * when it happens and what the man pages list are made of the same rows. To add a check: a name
 * here, a row in checks.c, an input that breaks it in tests/unit/test-checks.c.
 */

/* What of the files a check is about. The table has them in this order. */
enum check_on {
	ON_ANY,	    /* every value, whatever its key */
	ON_ADDRESS, /* every value that is an address, alone or with a port */
	ON_FILE,    /* the lists of a file */
	ON_SERVICE,
	ON_SERVICE_PORT,
	ON_LB_IP,
	ON_HEALTH_CHECK,
	ON_GROUP,
	ON_ENDPOINT,
	ON_ENDPOINT_PORT, /* ports of a group or of an endpoint */
	ON_SERVICES, /* between several; key is one of the service or group that it is told of */
	ON_HOST,     /* a service and the host or the settings; key is one of the service */
	_CHECK_ON_MAX,
};

struct check_row {
	/* Row of spec/model.md: "S39"; several may share one. F and H are rows of our own: the form
	 * of a file, and health checks. */
	const char *id;
	enum check_on on;
	const char *key; /* of that object; NULL: the object as a whole */
	enum diag_severity severity;
	/* Words in braces, of a-z and blanks, stand for a text: "must lie in {its range}". The man
	 * pages print them as they stand, so a sentence should read well with them. */
	const char *reason;
	const char *hint; /* the same: "did you mean '{suggestion}'?"; NULL: none */
};

enum check {
	/* ON_ANY */
	CHECK_F1_TYPE,
	CHECK_F2_UNKNOWN_KEY,
	CHECK_F3_WHOLE_NUMBER,
	CHECK_F4_TRUE_OR_FALSE,
	/* ON_ADDRESS */
	CHECK_Y7_ADDRESS,
	CHECK_Y7_LEADING_ZERO,
	CHECK_Y7_MAPPED,
	CHECK_Y7_ZONE,
	CHECK_Y7_HAS_PREFIX,
	CHECK_Y7_HAS_PORT,
	CHECK_Y7_BLANKS,
	/* ON_FILE */
	CHECK_F5_ENDPOINTS,
	CHECK_F5_SERVICES,
	/* ON_SERVICE */
	CHECK_S1_MISSING,
	CHECK_S1_EMPTY,
	CHECK_S1_LABEL,
	CHECK_S2_EMPTY,
	CHECK_S2_LABEL,
	CHECK_S3_SLASHES,
	CHECK_S10_TYPE,
	CHECK_S11_ADDRESS,
	CHECK_S11_NONE,
	CHECK_S15_NONE_TYPE,
	CHECK_S16_MISSING,
	CHECK_S17_KIND,
	CHECK_S19_OUTSIDE,
	CHECK_S19_EDGE,
	CHECK_S20_CLUSTER_IP,
	CHECK_S12_FIRST,
	CHECK_S13_FAMILY,
	CHECK_S14_NONE_ALONE,
	CHECK_S30_NO_PORT,
	CHECK_S20_PORTS,
	CHECK_S40_LOAD_BALANCER,
	CHECK_S50_KIND,
	CHECK_S52_TWICE,
	CHECK_S53_EXTERNAL_IP,
	CHECK_S54_OFF,
	CHECK_S56_EXTERNAL_IP,
	CHECK_S20_EXTERNAL_IPS,
	CHECK_S79_EXTERNAL_IPS,
	CHECK_S57_TYPE,
	CHECK_S58_TWICE,
	CHECK_S53_LB_IP,
	CHECK_S56_LB_IP,
	CHECK_S61_ALSO_EXTERNAL,
	CHECK_S62_TYPE,
	CHECK_S62_PREFIX,
	CHECK_S62_LEADING_ZERO,
	CHECK_S62_MAPPED,
	CHECK_S62_ZONE,
	CHECK_S62_HAS_PORT,
	CHECK_S62_NO_LENGTH,
	CHECK_S62_BAD_LENGTH,
	CHECK_S62_HOST_BITS,
	CHECK_S64A_OPEN,
	CHECK_S64_OVERLAP,
	CHECK_S70_AFFINITY,
	CHECK_S79_AFFINITY,
	CHECK_S71_RANGE,
	CHECK_S71_NONE,
	CHECK_S72_POLICY,
	CHECK_S72_LOCAL,
	CHECK_S72_CLUSTER,
	CHECK_S73_POLICY,
	CHECK_S74_RANGE,
	CHECK_S74_TYPE,
	CHECK_X4_OWN_PORT,
	CHECK_S74_MISSING,
	CHECK_S76_DISTRIBUTION,
	CHECK_S76_OLD_NAME,
	CHECK_S77_LOCAL,
	CHECK_S21_MISSING,
	CHECK_S21_NAME,
	CHECK_S21_ADDRESS,
	CHECK_S22_TYPE,
	CHECK_K1_SCHEDULER,
	CHECK_K1_MODE,
	CHECK_K1_USERSPACE,
	CHECK_K2_FLAG,
	CHECK_K2_SCHEDULER,
	CHECK_K3_ON_REMOVAL,
	CHECK_S20_ENDPOINTS,
	/* ON_SERVICE_PORT */
	CHECK_S31_LABEL,
	CHECK_S31_MISSING,
	CHECK_S32_TWICE,
	CHECK_S33_PROTOCOL,
	CHECK_S34_MISSING,
	CHECK_S34_RANGE,
	CHECK_S35_TWICE,
	CHECK_S36_TYPE,
	CHECK_S36_RANGE,
	CHECK_S36_NAME,
	CHECK_S37_TYPE,
	CHECK_S38_TWICE,
	CHECK_S39_RANGE,
	CHECK_S40_MISSING,
	CHECK_P23_NO_ENDPOINT,
	/* ON_LB_IP */
	CHECK_S58_FORM,
	CHECK_S58_MISSING,
	CHECK_S58_KIND,
	CHECK_S59_MODE,
	/* ON_HEALTH_CHECK */
	CHECK_H1_MISSING,
	CHECK_H1_TYPE,
	CHECK_H2_UNUSED,
	CHECK_H3_PORT,
	CHECK_H4_PATH,
	CHECK_H4_TOKEN,
	CHECK_H5_TOKEN,
	CHECK_H6_EXPECT,
	CHECK_H7_TIME,
	CHECK_H7_LONG,
	CHECK_H7_SHORT,
	CHECK_H8_TIME,
	CHECK_H8_LONG,
	CHECK_H8_ZERO,
	CHECK_H8_INTERVAL,
	CHECK_H9_RISE,
	CHECK_H9_FALL,
	CHECK_H10_MISSING,
	CHECK_H10_ABSOLUTE,
	/* ON_GROUP */
	CHECK_E2_MISSING,
	CHECK_E2_EMPTY,
	CHECK_E2_LABEL,
	CHECK_E2_NAMESPACE_EMPTY,
	CHECK_E2_NAMESPACE_LABEL,
	CHECK_E2_SLASHES,
	CHECK_E2_NO_SERVICE,
	CHECK_E5_NONE,
	CHECK_E10_MANY,
	CHECK_P23_NO_PORT,
	/* ON_ENDPOINT */
	CHECK_E6_FORM,
	CHECK_E6_TEXT,
	CHECK_E6_PORT,
	CHECK_P23_WHICH_PORT,
	CHECK_P24_READY,
	CHECK_P25_DIFFERS,
	CHECK_P25_TERMINATING,
	CHECK_E21_LOOP,
	CHECK_E6_MISSING,
	CHECK_E6_LIST,
	CHECK_E7_KIND,
	CHECK_E8_SPELLING,
	CHECK_E13_RANGE,
	CHECK_E10_BOTH,
	CHECK_E10_NONE,
	CHECK_E14_HOSTNAME,
	CHECK_E15_NODE,
	CHECK_E16_ZONE,
	CHECK_E17_MANY,
	CHECK_E17_TWICE,
	CHECK_E17_ZONE,
	CHECK_E18_MANY,
	CHECK_E18_TWICE,
	CHECK_E18_NODE,
	CHECK_E20_RANGE,
	CHECK_E21_CHAIN,
	/* ON_ENDPOINT_PORT */
	CHECK_E11_LABEL,
	CHECK_E11_TWICE,
	CHECK_E12_PROTOCOL,
	CHECK_E13_MISSING,
	CHECK_E13_PORT_RANGE,
	/* ON_SERVICES */
	CHECK_S4_TWICE,
	CHECK_X1_ADDRESS,
	CHECK_X2_NODE_PORT,
	CHECK_S18_SHARED,
	/* ON_HOST */
	CHECK_X10_PORT,
	CHECK_X10_SETTING,
	CHECK_S17_OWN,
	CHECK_S17_ON_LINK,
	CHECK_S43_EPHEMERAL,
	CHECK_S55_GATEWAY,
	CHECK_S55_PEER,
	CHECK_S55_NEIGHBOUR,
	CHECK_S55_ON_LINK,
	CHECK_S64B_OPEN,
	CHECK_P43_ROUTER,
	CHECK_X5_NODE_PORT,
	CHECK_X8_OWN,
	CHECK_X9_SOCKET,
	CHECK_C47_SOME,
	CHECK_C47_NONE,
	CHECK_C42_SET,
	_CHECK_MAX,
};
extern const struct check_row check_rows[];

/* What people call the object: "service port", "endpoint". */
const char *check_on_text(enum check_on on);

/*
 * Adds the message of a row. texts fill the words of the reason in their order, then those of the
 * hint. Their number must be that of all words of the row; when one for the hint is NULL the
 * message has no hint. Otherwise d is marked with -EINVAL, so that nothing goes on with a message
 * that is wrong. at, object, field and value as in diags_add().
 */
void check_tell_texts(struct diags *d, enum check check, const struct place *at, const char *object,
		      const char *field, const char *value, const char *const *texts,
		      size_t n_texts);
/* The texts of a row as an array, and how many there are: none is fine. */
#define CHECK_TEXTS(...)                                  \
	((const char *const[]){NULL, ##__VA_ARGS__} + 1), \
		(sizeof((const char *const[]){NULL, ##__VA_ARGS__}) / sizeof(const char *) - 1)
#define check_tell(d, check, at, object, field, value, ...) \
	check_tell_texts((d), (check), (at), (object), (field), (value), CHECK_TEXTS(__VA_ARGS__))

/* How many words in braces a reason or hint has; NULL has none. */
size_t check_n_words(const char *text);
