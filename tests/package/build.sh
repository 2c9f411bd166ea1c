#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the Debian package: build.sh FOLDER [ARGUMENT...]
#
# FOLDER/svcroute becomes a copy of the sources, as git has them or would add them (where there is no git: of all but
# build folders), and FOLDER/*.deb what comes of it. More arguments go to dpkg-buildpackage. JOBS: how many at once.
set -eu

folder=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$folder/svcroute" "$folder"/svcroute*.deb "$folder"/svcroute*.buildinfo "$folder"/svcroute*.changes
mkdir -p "$folder/svcroute"
folder=$(cd "$folder" && pwd)

cd "$source"
if git -c safe.directory="$source" rev-parse --git-dir >/dev/null 2>&1; then
    git -c safe.directory="$source" ls-files -z --cached --others --exclude-standard |
        tar -c --null --ignore-failed-read --files-from=- 2>/dev/null
else
    tar -c --exclude='./build*' --exclude='*.o' --exclude=__pycache__ .
fi | tar -x -C "$folder/svcroute"

cd "$folder/svcroute"
# What this runs in must not become part of what comes of it.
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD DESTDIR PREFIX CC CFLAGS CPPFLAGS LDFLAGS SANITIZE VERSION ERR V
log=$folder/build.log
if ! dpkg-buildpackage --build=binary --no-sign --jobs="${JOBS:-1}" "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    echo "build.sh: failed, see $log" >&2
    exit 1
fi
ls -1 "$folder"/*.deb
