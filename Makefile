# SPDX-License-Identifier: GPL-2.0-or-later
# svcroute: one Makefile. Other build kinds (lint, fuzz, sanitizers) are the same rules in a folder of their own.
#
# Variables (make VAR=value):
#   BUILD=build         where everything that is made goes
#   PREFIX=/usr         of make install; DESTDIR= goes before it
#   SYSTEMDUNITDIR=     where the unit goes (asked from pkg-config when not set)
#   CC=gcc              compiler; gcc 12 and clang 14 are both kept free of warnings
#   CFLAGS= LDFLAGS=    added last
#   SANITIZE=1          address, undefined and leak sanitizers, in a build folder of its own
#   ERR=1               warnings are errors
#   SMALL=1             both programs in one file, made for size (svcroutectl is a link to svcrouted)
#   V=1                 show the commands
#   VERSION=            version text (git describe when not set)
#   JOBS=               how many things at once in check, lint and fuzz (number of CPUs)
#   FUZZ_SECONDS=60     how long each fuzzer runs in make fuzz
#   CC_FOR_BUILD=$(CC)  compiler for what runs while building (manual pages, completion); set it when CC makes code
#                       for others
#   TESTS=              paths or names of single tests for make check ("golden", "tests/unit/test-num.c")
#
# Targets:
#   all (default)       both programs, the manual pages, and completion for shells
#   man                 the manual pages alone
#   try                 a small network in namespaces, the README's example, real connections (root)
#   check               packages, build, all tests and lint; the last line is the count
#   check-vm            tests that need nf_tables beside IPVS, in a virtual machine (root; slow; no part of check)
#   lint                format, both compilers, analyzers, shell scripts, include order (part of check)
#   unit-tests          builds the unit test programs, and those that run in user-mode Linux
#   fuzz-seeds          builds each fuzzer as a plain program over its seeds (run by check)
#   fuzz                each fuzzer for FUZZ_SECONDS with libFuzzer (clang)
#   faults              every allocation of check, render, import and a reload fails once (sanitizers; root)
#   bench               time and memory at 1k to 20k services
#   deb                 the Debian package, in BUILD/deb
#   check-deb           installs it on whole Debians, in user-mode Linux and emulated, and runs debian/tests there
#                       (root); RELEASES="bookworm trixie", MACHINES="uml vm", TESTS="life"
#   deb-cross           the package for other machines, and its tests under emulation (root); ARCH="arm64 armhf"
#   completion          files for bash, zsh and fish (part of all)
#   install             programs, unit, manual pages, completion, configuration, examples
#   install-packages    Debian packages that are missing, for all of the above
#   clean

SANITIZE ?= 0
ifeq ($(SANITIZE),1)
BUILD ?= build/sanitize
else
BUILD ?= build
endif
PREFIX ?= /usr
SBINDIR ?= $(PREFIX)/sbin
BINDIR ?= $(PREFIX)/bin
DOCDIR ?= $(PREFIX)/share/doc/svcroute
MANDIR ?= $(PREFIX)/share/man
SYSCONFDIR ?= /etc
EXAMPLESDIR ?= $(DOCDIR)/examples
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
BASHCOMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPLETIONDIR ?= $(PREFIX)/share/zsh/vendor-completions
FISHCOMPLETIONDIR ?= $(PREFIX)/share/fish/vendor_completions.d
DESTDIR ?=
PKG_CONFIG ?= pkg-config
INSTALL ?= install
PYTHON ?= /usr/bin/python3
V ?= 0
ERR ?= 0
SMALL ?= 0
FUZZ ?= 0
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
TESTS ?=

comma = ,
ifeq ($(origin CC),default)
CC = gcc
endif
CC_FOR_BUILD ?= $(CC)

LIBS = libsystemd libnl-3.0 libnl-route-3.0 libnl-genl-3.0 libnl-nf-3.0 libconfig inih nettle jansson \
	yaml-0.1 libmicrohttpd smartcols
TEST_LIBS = cmocka

# Debian packages: to build, to run `make try`, to run `make check`, to run `make check-vm`.
BUILD_PACKAGES = gcc libc6-dev make pkg-config libsystemd-dev libnl-3-dev libnl-route-3-dev libnl-genl-3-dev \
	libnl-nf-3-dev libconfig-dev libinih-dev nettle-dev libjansson-dev libyaml-dev libmicrohttpd-dev \
	libsmartcols-dev
TRY_PACKAGES = iproute2 iptables python3 procps
CHECK_PACKAGES = libcmocka-dev clang libclang-rt-14-dev clang-format cppcheck shellcheck nftables conntrack ipset \
	python3-yaml util-linux git valgrind mandoc man-db strace kmod busybox-static ipvsadm lintian bash-completion zsh fish
CHECK_VM_PACKAGES = qemu-system-x86 cpio bash dash coreutils grep sed mawk mount procps python3 python3-yaml util-linux \
	kmod busybox-static iproute2 iptables nftables conntrack ipset ipvsadm
DEB_PACKAGES = build-essential dpkg-dev debhelper systemd
DEB_CROSS_PACKAGES = mmdebstrap debian-archive-keyring python3 util-linux lintian
CHECK_DEB_PACKAGES = mmdebstrap debian-archive-keyring e2fsprogs kmod busybox-static util-linux iptables iproute2 python3 \
	qemu-system-x86
PACKAGES = $(BUILD_PACKAGES) $(TRY_PACKAGES) $(CHECK_PACKAGES) $(DEB_PACKAGES)

VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo 0.1.0)

ifeq ($(V),0)
Q = @
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
endif

# Targets that compile nothing by themselves must work before the packages are there.
NO_COMPILER = man completion clean check check-vm try lint fuzz faults bench deb deb-cross check-deb install-packages
ifneq ($(filter-out $(NO_COMPILER),$(or $(MAKECMDGOALS),all)),)
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
ifeq ($(SMALL),1)
# Relocations in a short form where linker and machine know it. Stack traces are made from the debug symbols.
link_probe = $(shell echo 'int main(void) { return 0; }' | \
	$(CC) -Wl,--fatal-warnings $(1) -x c -o /dev/null - 2>/dev/null && echo $(1))
SMALL_LDFLAGS := -Wl,--gc-sections $(call link_probe,-Wl$(comma)-z$(comma)pack-relative-relocs)
endif
endif

ifeq ($(ERR),1)
WARNINGS += -Werror
endif
OPTIMIZE = -O2 -g
ifeq ($(SMALL),1)
OPTIMIZE = -Os -g -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
endif
ifeq ($(SANITIZE),1)
OPTIMIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
HARDENING =
LINK_SANITIZE = -fsanitize=address,undefined
endif
ifeq ($(FUZZ),1)
OPTIMIZE += -fsanitize=fuzzer-no-link
LINK_FUZZER = -fsanitize=fuzzer
endif

# Files and times as on machines of 64 bits: else a folder with a large inode number cannot be read, and 2038 ends it.
WIDE = -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64
ALL_CPPFLAGS = -D_GNU_SOURCE $(WIDE) -Isrc $(PKG_CFLAGS) $(CPPFLAGS)
ALL_CFLAGS = -std=gnu17 $(OPTIMIZE) $(HARDENING) $(WARNINGS) $(CFLAGS)
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(SMALL_LDFLAGS) $(LINK_SANITIZE) $(LDFLAGS)

MAINS = src/daemon/main.c src/ctl/main.c
SOURCES = $(filter-out $(MAINS) src/ctl/one-program.c src/man/% src/completion/%,$(sort $(wildcard src/*/*.c)))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
MAIN_OBJECTS = $(MAINS:%.c=$(BUILD)/%.o)
PROGRAMS = $(BUILD)/svcrouted $(BUILD)/svcroutectl
LIBRARY = $(BUILD)/libsvcroute.a

# drive-*.c: programs that tests in Python run
UNIT_SOURCES = $(sort $(wildcard tests/unit/test-*.c tests/unit/drive-*.c))
UNIT_TESTS = $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/tests/%)
UML_SOURCES = $(sort $(wildcard tests/uml/drive-*.c))
UML_DRIVERS = $(UML_SOURCES:tests/uml/%.c=$(BUILD)/tests/%)
FUZZ_SOURCES = $(sort $(wildcard tests/fuzz/fuzz-*.c))
FUZZ_SEEDS = $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/seeds/%)
FUZZERS = $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/fuzzers/%)

.DEFAULT_GOAL = all
.DELETE_ON_ERROR:
.PHONY: all man completion
all: $(PROGRAMS) man completion

# Two files that are rewritten only when their text changes: everything depends on the compiler and its flags, and
# only the sources that print it on the version, which changes with each commit.
FLAGS_STAMP = $(BUILD)/flags.stamp
VERSION_STAMP = $(BUILD)/version.stamp
VERSION_SOURCES = $(shell grep -ls SVCROUTE_VERSION $(MAINS) $(SOURCES))
VERSION_OBJECTS = $(VERSION_SOURCES:%.c=$(BUILD)/%.o)
.PHONY: FORCE
FORCE:
$(FLAGS_STAMP): FORCE
	@mkdir -p $(@D); echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS)' >$@
$(VERSION_STAMP): FORCE
	@mkdir -p $(@D); echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
$(VERSION_OBJECTS): $(VERSION_STAMP)
$(VERSION_OBJECTS): VERSION_DEFINE = -DSVCROUTE_VERSION='"$(VERSION)"'

$(BUILD)/%.o: %.c $(FLAGS_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(VERSION_DEFINE) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIBRARY): $(OBJECTS)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $(OBJECTS)

ifeq ($(SMALL),1)
ONE_PROGRAM = $(BUILD)/one/src/ctl/one-program.o $(BUILD)/one/src/daemon/main.o $(BUILD)/one/src/ctl/main.o
$(BUILD)/one/src/daemon/main.o: RENAME = -Dmain=svcrouted_main
$(BUILD)/one/src/ctl/main.o: RENAME = -Dmain=svcroutectl_main
$(BUILD)/one/%.o: %.c $(FLAGS_STAMP) $(VERSION_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) -DSVCROUTE_VERSION='"$(VERSION)"' $(ALL_CFLAGS) $(RENAME) \
		-Wno-missing-prototypes -MMD -MP -c -o $@ $<

# Of the objects, not of a library: ar may not know what a compiler that optimizes while linking leaves in them.
$(BUILD)/svcrouted: $(ONE_PROGRAM) $(OBJECTS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

$(BUILD)/svcroutectl: $(BUILD)/svcrouted
	$(call say,LN,$@)ln -sf svcrouted $@
else
$(BUILD)/svcrouted: $(BUILD)/src/daemon/main.o $(LIBRARY)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS)

$(BUILD)/svcroutectl: $(BUILD)/src/ctl/main.o $(LIBRARY)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS)
endif

# Manual pages: a program that is linked with the tables of the sources alone, and runs on the host that builds.
MAN_TEMPLATES = $(sort $(wildcard src/man/*.in))
MAN_PAGES = $(MAN_TEMPLATES:src/man/%.in=$(BUILD)/man/%)
MAKE_PAGE = $(BUILD)/man/make-page
TABLE_SOURCES = src/ctl/commands.c \
	$(addprefix src/model/,checks.c diag.c keys.c service.c settings.c settings-lists.c settings-own.c settings-parse.c \
	settings-table.c) \
	$(addprefix src/base/,addr.c array.c num.c strbuf.c text.c)
TABLE_HEADERS = $(wildcard src/base/*.h src/model/*.h src/ctl/*.h)
MAKE_PAGE_SOURCES = src/man/make-page.c src/man/page.c $(TABLE_SOURCES)
TABLE_CFLAGS = -std=gnu17 -O1 -g -D_GNU_SOURCE -DTABLES_ONLY -Isrc -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wvla -Wcast-qual $(if $(filter 1,$(ERR)),-Werror) $(LINK_SANITIZE)
man: $(MAN_PAGES)
$(MAKE_PAGE): $(MAKE_PAGE_SOURCES) $(TABLE_HEADERS) src/man/page.h
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)$(CC_FOR_BUILD) $(TABLE_CFLAGS) -o $@ $(MAKE_PAGE_SOURCES)
$(MAN_PAGES): $(BUILD)/man/%: src/man/%.in $(MAKE_PAGE) README.md
	$(call say,MAN,$@)$(MAKE_PAGE) $< README.md >$@

# Completion for shells, made in the same way.
SHELLS = bash zsh fish
COMPLETIONS = $(SHELLS:%=$(BUILD)/completion/svcroutectl.%)
MAKE_COMPLETION = $(BUILD)/completion/make-completion
MAKE_COMPLETION_SOURCES = $(sort $(wildcard src/completion/*.c)) $(TABLE_SOURCES)
completion: $(COMPLETIONS)
$(MAKE_COMPLETION): $(MAKE_COMPLETION_SOURCES) $(TABLE_HEADERS) src/completion/shells.h
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)$(CC_FOR_BUILD) $(TABLE_CFLAGS) -o $@ $(MAKE_COMPLETION_SOURCES)
$(COMPLETIONS): $(BUILD)/completion/svcroutectl.%: $(MAKE_COMPLETION)
	$(call say,GEN,$@)$(MAKE_COMPLETION) $* >$@

# Unit tests: one program per module. A test may include the .c under test; the library's copy is then not pulled in.
$(BUILD)/tests/%: tests/unit/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,TEST,$@)$(CC) $(ALL_CPPFLAGS) -Itests/unit $(TEST_CFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d \
		$(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS) $(TEST_LDLIBS)

# Programs that tests in user-mode Linux run there.
$(BUILD)/tests/drive-%: tests/uml/drive-%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,TEST,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< $(LIBRARY) $(PKG_LIBS)

# Fuzzers: as a plain program that reads each seed once, and with libFuzzer.
$(BUILD)/seeds/%: tests/fuzz/%.c tests/fuzz/driver.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,SEEDS,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d \
		$(ALL_LDFLAGS) -o $@ $< tests/fuzz/driver.c $(LIBRARY) $(PKG_LIBS)

$(BUILD)/fuzzers/%: tests/fuzz/%.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,FUZZER,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d \
		$(ALL_LDFLAGS) $(LINK_FUZZER) -o $@ $< $(LIBRARY) $(PKG_LIBS)

# Programs in which allocations can be made to fail: each call of ours to a function of wrap.c goes there.
FAULT_PROGRAMS = $(BUILD)/faults-driver $(BUILD)/svcrouted-faults
FAULT_OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/faults/wrap.c,$(sort $(wildcard tests/faults/*.c))))
FAULT_WRAPPED = $(shell sed -n 's/^WRAP[A-Z_]*.[^,]*, \([A-Za-z_0-9]*\),.*/\1/p' tests/faults/wrap.c)
FAULT_LDFLAGS = $(FAULT_WRAPPED:%=-Wl,--wrap=%)
$(BUILD)/faults-driver: FAULT_LDFLAGS += -Wl,--wrap=ctl_read_config,--wrap=import_files
$(BUILD)/faults-driver: $(FAULT_OBJECTS) $(BUILD)/tests/faults/svcroutectl.o
$(BUILD)/svcrouted-faults: $(BUILD)/src/daemon/main.o
$(FAULT_PROGRAMS): $(BUILD)/tests/faults/wrap.o $(LIBRARY)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) $(FAULT_LDFLAGS) -o $@ $(filter %.o,$^) $(LIBRARY) $(PKG_LIBS)
$(BUILD)/tests/faults/svcroutectl.o: src/ctl/main.c $(FLAGS_STAMP) $(VERSION_STAMP)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) -DSVCROUTE_VERSION='"$(VERSION)"' $(ALL_CFLAGS) \
		-Dmain=svcroutectl_main -Wno-missing-prototypes -MMD -MP -c -o $@ $<

.PHONY: unit-tests fuzz-seeds fuzzers objects fault-programs
fault-programs: $(FAULT_PROGRAMS) $(BUILD)/svcroutectl
unit-tests: $(UNIT_TESTS) $(UML_DRIVERS)
fuzz-seeds: $(FUZZ_SEEDS)
fuzzers: $(FUZZERS)
objects: $(OBJECTS) $(MAIN_OBJECTS)

# The sub-makes start when the packages are there: what pkg-config and the compiler say is read at their start.
SUBMAKE = $(MAKE) --no-print-directory
.PHONY: check check-vm lint fuzz faults bench try
check: install-packages
	@$(SUBMAKE) -j$(JOBS) all unit-tests fuzz-seeds $(BUILD)/faults-driver
	@BUILD=$(BUILD) CC=$(CC) SANITIZE=$(SANITIZE) JOBS=$(JOBS) $(PYTHON) tests/run $(TESTS)

check-vm:
	@$(SUBMAKE) install-packages PACKAGES='$(BUILD_PACKAGES) $(CHECK_VM_PACKAGES)'
	@$(SUBMAKE) -j$(JOBS) all
	@BUILD=$(BUILD) CC=$(CC) SANITIZE=$(SANITIZE) JOBS=$(JOBS) $(PYTHON) tests/run $(or $(TESTS),vm/)

lint:
	@BUILD=$(BUILD) JOBS=$(JOBS) $(PYTHON) tests/run lint

fuzz:
	@$(SUBMAKE) -j$(JOBS) CC=clang SANITIZE=1 FUZZ=1 BUILD=$(BUILD)/fuzz fuzzers
	@BUILD=$(BUILD)/fuzz JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) $(PYTHON) tests/fuzz/run.py

faults: install-packages
	@$(SUBMAKE) -j$(JOBS) SANITIZE=1 BUILD=$(BUILD)/faults fault-programs
	@BUILD=$(BUILD)/faults JOBS=$(JOBS) $(PYTHON) tests/faults/run.py

bench:
	@$(SUBMAKE) -j$(JOBS) all
	@BUILD=$(BUILD) $(PYTHON) tests/bench/run.py

try:
	@$(SUBMAKE) install-packages PACKAGES='$(BUILD_PACKAGES) $(TRY_PACKAGES)'
	@$(SUBMAKE) -j$(JOBS) all
	@BUILD=$(BUILD) $(PYTHON) tests/try.py

.PHONY: install-packages
install-packages:
	@missing=; for p in $(PACKAGES); do \
		dpkg-query -W -f '$${db:Status-Status}' $$p 2>/dev/null | grep -qx installed || missing="$$missing $$p"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	echo "installing Debian packages:$$missing"; \
	if [ "$$(id -u)" != 0 ]; then \
		echo "make: not root, so install them first: apt-get install$$missing" >&2; exit 1; \
	fi; \
	export DEBIAN_FRONTEND=noninteractive; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	{ apt-get -q update && apt-get -qy install --no-install-recommends $$missing; } >"$$log" 2>&1 || \
		{ cat "$$log" >&2; exit 1; }

# The package, from a copy of the files that git knows or would add (all of them where there is no git).
.PHONY: deb
deb:
	@$(SUBMAKE) install-packages PACKAGES='$(BUILD_PACKAGES) $(DEB_PACKAGES)'
	@BUILD=$(BUILD) JOBS=$(JOBS) sh tests/package/build.sh $(BUILD)/deb

ARCH ?= arm64 armhf
.PHONY: deb-cross
deb-cross:
	@$(SUBMAKE) install-packages PACKAGES='$(BUILD_PACKAGES) $(DEB_PACKAGES) $(DEB_CROSS_PACKAGES)'
	@$(SUBMAKE) -j$(JOBS) all
	@export SVCROUTE_BUILD=$(BUILD) JOBS=$(JOBS) PYTHONPATH=tests/lib PYTHONDONTWRITEBYTECODE=1; \
		exec $(PYTHON) tests/package/cross.py $(ARCH)

RELEASES ?= bookworm trixie
MACHINES ?= uml vm
.PHONY: check-deb
check-deb:
	@$(SUBMAKE) install-packages PACKAGES='$(BUILD_PACKAGES) $(DEB_PACKAGES) $(CHECK_DEB_PACKAGES)'
	@SVCROUTE_BUILD=$(BUILD) JOBS=$(JOBS) MACHINES="$(MACHINES)" TESTS="$(TESTS)" PYTHONPATH=tests/lib \
		PYTHONDONTWRITEBYTECODE=1 $(PYTHON) tests/package/check.py $(RELEASES)

.PHONY: install
install: all
	$(INSTALL) -d $(DESTDIR)$(SBINDIR) $(DESTDIR)$(BINDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(GENERATORDIR) \
		$(DESTDIR)$(PREFIX)/share/svcroute $(DESTDIR)$(SYSUSERSDIR) $(DESTDIR)$(TMPFILESDIR) \
		$(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(EXAMPLESDIR) \
		$(DESTDIR)$(BASHCOMPLETIONDIR) $(DESTDIR)$(ZSHCOMPLETIONDIR) $(DESTDIR)$(FISHCOMPLETIONDIR) \
		$(DESTDIR)$(SYSCONFDIR)/svcroute/services.d $(DESTDIR)$(SYSCONFDIR)/svcroute/endpoints.d
	$(INSTALL) -m 0755 $(BUILD)/svcrouted $(DESTDIR)$(SBINDIR)/svcrouted
ifeq ($(SMALL),1)
	ln -sfr $(DESTDIR)$(SBINDIR)/svcrouted $(DESTDIR)$(BINDIR)/svcroutectl
else
	$(INSTALL) -m 0755 $(BUILD)/svcroutectl $(DESTDIR)$(BINDIR)/svcroutectl
endif
	$(INSTALL) -m 0644 systemd/svcroute.service $(DESTDIR)$(UNITDIR)/svcroute.service
	$(INSTALL) -m 0755 systemd/svcroute-generator $(DESTDIR)$(GENERATORDIR)/svcroute-generator
	$(INSTALL) -m 0644 systemd/legacy-iptables.conf $(DESTDIR)$(PREFIX)/share/svcroute/legacy-iptables.conf
	$(INSTALL) -m 0644 systemd/sysusers.conf $(DESTDIR)$(SYSUSERSDIR)/svcroute.conf
	$(INSTALL) -m 0644 systemd/tmpfiles.conf $(DESTDIR)$(TMPFILESDIR)/svcroute.conf
	$(INSTALL) -m 0644 README.md $(DESTDIR)$(DOCDIR)/README.md
	$(INSTALL) -m 0644 $(EXAMPLES) $(DESTDIR)$(EXAMPLESDIR)
	$(INSTALL) -m 0644 $(filter %.5,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man5
	$(INSTALL) -m 0644 $(filter %.8,$(MAN_PAGES)) $(DESTDIR)$(MANDIR)/man8
	$(INSTALL) -m 0644 $(BUILD)/completion/svcroutectl.bash $(DESTDIR)$(BASHCOMPLETIONDIR)/svcroutectl
	$(INSTALL) -m 0644 $(BUILD)/completion/svcroutectl.zsh $(DESTDIR)$(ZSHCOMPLETIONDIR)/_svcroutectl
	$(INSTALL) -m 0644 $(BUILD)/completion/svcroutectl.fish $(DESTDIR)$(FISHCOMPLETIONDIR)/svcroutectl.fish
	@to=$(DESTDIR)$(SYSCONFDIR)/svcroute/svcroute.conf; \
		if [ -e "$$to" ]; then echo "kept: $$to"; else $(INSTALL) -m 0644 etc/svcroute.conf "$$to"; fi

SYSTEMDUNITDIR ?= $(shell $(PKG_CONFIG) --variable=systemdsystemunitdir systemd 2>/dev/null)
UNITDIR = $(or $(SYSTEMDUNITDIR),/lib/systemd/system)
GENERATORDIR = $(dir $(UNITDIR))system-generators
EXAMPLES = $(sort $(wildcard etc/examples/*))

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(MAIN_OBJECTS:.o=.d) $(UNIT_TESTS:%=%.d) $(UML_DRIVERS:%=%.d) $(FUZZ_SEEDS:%=%.d) \
	$(FUZZERS:%=%.d) $(wildcard $(BUILD)/tests/faults/*.d $(BUILD)/one/src/*/*.d)
