#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies the sources: copy.sh FOLDER
#
# As git has them or would add them; where they are no repository, all but build folders.
set -eu

mkdir -p "$1"
to=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
cd "$source"
# Not merely inside of a repository: a copy in a build folder is not its.
if [ -e .git ] && git -c safe.directory="$source" rev-parse --git-dir >/dev/null 2>&1; then
    git -c safe.directory="$source" ls-files -z --cached --others --exclude-standard |
        tar -c --null --ignore-failed-read --files-from=- 2>/dev/null
else
    tar -c --exclude='./build*' --exclude='*.o' --exclude=__pycache__ .
fi | tar -x -C "$to"
