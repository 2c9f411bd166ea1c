# SPDX-License-Identifier: GPL-2.0-or-later
"""Which functions our objects call that ask for memory, by `nm`: each must be wrapped, or stand here with the reason why not."""
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# Of libc: all that give out memory, or take some for themselves and can fail for it.
ALLOCATING = re.compile(
    r"^(__)?(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|memalign|valloc|pvalloc|strdup|strndup|"
    r"v?asprintf|open_memstream|fmemopen|fopen|fdopen|freopen|popen|tmpfile|opendir|fdopendir|scandir|scandirat|realpath|"
    r"get_current_dir_name|getcwd|canonicalize_file_name|getline|getdelim|getaddrinfo|getifaddrs|if_nameindex|"
    r"dlopen|pthread_create|timer_create|mq_open|sem_open|fts_open|glob|wordexp|regcomp|iconv_open|setenv|putenv|"
    r"posix_spawnp?|posix_spawn_file_actions_\w+|posix_spawnattr_init|newlocale|duplocale|setlocale|hcreate\w*|tsearch|"
    r"argz_\w+|envz_\w+|obstack_\w+|backtrace_symbols|getgr\w+|getpw\w+|qsort|qsort_r|syslog|openlog)(_chk)?$")

# Of other libraries: all, but for these, which ask for nothing or only give back.
LIBRARIES = re.compile(r"^(nl|nla|nlmsg|genl|sd|MHD|scols|yaml|config|json|ini|nettle)_")

REASONS = {
    "the library does not check what it asks for (1.5), so it may not fail":
        r"config_(init|read_string)",
    "asks for nothing":
        r"config_(setting_get_\w+|setting_length|destroy|error_\w+|root_setting)|nettle_\w+|ini_parse_string|"
        r"nla_(data|get_\w+|len|next|ok|strcmp|strlcpy|parse\w*|type)|nlmsg_(attr\w+|data\w*|hdr|next|ok|parse|free|valid_hdr)|"
        r"nl_(cb_(set|err|put|overwrite_recv)|complete_msg|send_auto|sendto|socket_(free|get_fd|set_\w+|disable_msg_peek))|"
        r"sd_event_(exit|loop|now|ref|unref|source_\w+)|sd_watchdog_enabled|scols_(init_debug|unref_table)|"
        r"yaml_(event_delete|parser_(delete|set_\w+))|"
        r"MHD_(destroy_response|get_\w+|lookup_connection_value|resume_connection|suspend_connection|stop_daemon)",
    "the message has its room, which was asked for with it":
        r"nla_(put|put_u\d+|nest_\w+)|nlmsg_put",
    "fails through malloc, which jansson is told to take from us":
        r"json_\w+",
    "without memory the connection is closed, as for any other reason":
        r"MHD_run",
    "once, at the start: without it the daemon goes on without a control socket, or does not start":
        r"MHD_start_daemon|getgrnam",
    "works without memory":
        r"qsort(_r)?|(__)?syslog(_chk)?|openlog",
    "gives back":
        r"posix_spawn_file_actions_destroy",
}


def wrapped():
    with open(f"{HERE}/wrap.c") as f:
        return set(re.findall(r"^WRAP\w*\([^,]*, (\w+),", f.read(), re.M))


def called(library):
    """Names that the objects of a static library need from outside."""
    lines = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split() for line in lines if line]
    defined = {w[2] for w in words if len(w) == 3}
    return {w[1] for w in words if len(w) == 2 and w[0] in "Uw"} - defined


def forgotten(library):
    """Calls that ask for memory, are not wrapped, and have no reason."""
    exempt = re.compile("|".join(f"({r})" for r in REASONS.values()))
    return sorted(name for name in called(library) - wrapped()
                  if (ALLOCATING.match(name) or LIBRARIES.match(name)) and not exempt.fullmatch(name))
