#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the Debian package: build.sh FOLDER [ARGUMENT...]
#
# FOLDER/svcroute becomes a copy of the sources (see copy.sh), and FOLDER/*.deb what comes of it. More arguments go to
# dpkg-buildpackage. JOBS: how many at once.
set -eu

folder=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)

rm -rf "$folder/svcroute" "$folder"/svcroute*.deb "$folder"/svcroute*.buildinfo "$folder"/svcroute*.changes
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
sh "$source/tests/package/copy.sh" "$folder/svcroute"
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
