# svcroute: one Makefile, no recursion.
#
# Variables (make VAR=value):
#   BUILD=build         where everything that is made goes
#   PREFIX=/usr         of make install; DESTDIR= goes before it
#   SYSTEMDUNITDIR=     where the unit goes (asked from pkg-config when not set)
#   CC=gcc              compiler; gcc 12 and clang 14 are both kept free of warnings
#   CFLAGS= LDFLAGS=    added last
#   SANITIZE=1          address, undefined and leak sanitizers, in a build folder of its own
#   ERR=1               warnings are errors
#   V=1                 show the commands
#   VERSION=            version text (git describe when not set)
#
# Targets: all install check lint fuzz bench try clean

SANITIZE ?= 0
ifeq ($(SANITIZE),1)
BUILD ?= build/sanitize
else
BUILD ?= build
endif
PREFIX ?= /usr
SBINDIR ?= $(PREFIX)/sbin
BINDIR ?= $(PREFIX)/bin
SYSCONFDIR ?= /etc
DESTDIR ?=
PKG_CONFIG ?= pkg-config
INSTALL ?= install
V ?= 0
ERR ?= 0

ifeq ($(origin CC),default)
CC = gcc
endif

LIBS = libsystemd libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libnl-nf-3.0 libconfig inih nettle jansson yaml-0.1 libmicrohttpd smartcols
TEST_LIBS = cmocka

VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo 0.1.0)

ifeq ($(V),0)
Q = @
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

# Targets that compile nothing must work before the packages are there.
ifneq ($(filter-out clean check try install-packages,$(or $(MAKECMDGOALS),all)),)
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBS))
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBS))
TEST_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(TEST_LIBS) 2>/dev/null)
TEST_LDLIBS := $(shell $(PKG_CONFIG) --libs $(TEST_LIBS) 2>/dev/null)

# Warnings are asked for only when the compiler knows them.
probe = $(shell $(CC) $(1) -Werror -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
WARNINGS := -Wall -Wextra $(foreach w,-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wwrite-strings -Wundef -Wformat=2 -Wvla -Wimplicit-fallthrough -Wcast-qual -Wnull-dereference \
	-Wlogical-op -Wduplicated-cond -Wduplicated-branches,$(call probe,$(w)))
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE \
	$(call probe,-fstack-clash-protection) $(call probe,-fcf-protection)
endif

ifeq ($(ERR),1)
WARNINGS += -Werror
endif
OPTIMIZE = -O2 -g
ifeq ($(SANITIZE),1)
OPTIMIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDENING =
LINK_SANITIZE = -fsanitize=address,undefined
endif

ALL_CPPFLAGS = -D_GNU_SOURCE -DSVCROUTE_VERSION='"$(VERSION)"' -Isrc $(PKG_CFLAGS)
ALL_CFLAGS = -std=gnu17 $(OPTIMIZE) $(HARDENING) $(WARNINGS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(LINK_SANITIZE) $(LDFLAGS)

MAINS = src/daemon/main.c src/ctl/main.c
SOURCES = $(filter-out $(MAINS),$(sort $(wildcard src/*/*.c)))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
PROGRAMS = $(BUILD)/svcrouted $(BUILD)/svcroutectl
LIBRARY = $(BUILD)/libsvcroute.a

UNIT_SOURCES = $(sort $(wildcard tests/unit/test-*.c))
UNIT_TESTS = $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)

.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.PHONY: all
all: $(PROGRAMS)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The version may change with each commit: only the two mains see it.
$(LIBRARY): $(OBJECTS)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(OBJECTS)

$(BUILD)/svcrouted: $(BUILD)/src/daemon/main.o $(LIBRARY)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS)

$(BUILD)/svcroutectl: $(BUILD)/src/ctl/main.o $(LIBRARY)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS)

# Unit tests: one program per module. A test may include the .c under test; it is then linked without it.
$(BUILD)/tests/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,TEST,$@)$(CC) $(ALL_CPPFLAGS) -Itests/unit $(TEST_CFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d \
		$(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS) $(TEST_LDLIBS)

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(UNIT_TESTS:%=%.d) $(MAINS:%.c=$(BUILD)/%.d)
