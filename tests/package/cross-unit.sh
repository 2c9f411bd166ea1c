#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a unit test that is another machine's: cross-unit.sh FOLDER SECONDS QEMU PROGRAM
#
# What it printed becomes FOLDER/NAME.log, its exit status FOLDER/NAME.status.
set -eu

log=$1/$(basename "$4").log
status=0
timeout -k 5 "$2" "$3" "$4" >"$log" 2>&1 </dev/null || status=$?
echo "$status" >"${log%.log}.status"
