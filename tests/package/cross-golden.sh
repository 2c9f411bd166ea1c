#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Import, check and render of a golden scenario: cross-golden.sh FOLDER SVCROUTECTL...
#
# FOLDER/scenario.yaml is the scenario. What is printed becomes FOLDER/printed. The same words for every machine, and no
# path in them: what they print must not differ. More than one word of SVCROUTECTL: what the program runs under, and it.
set -u

cd "$1" || exit
shift
host=127.0.0.1,::1,192.0.2.10,2001:db8:2::10,10.1.0.1,2001:db8:1::1 # the addresses of the golden host
for command in "import --output import scenario.yaml" "check import" "check --strict import" \
    "render --family ipv4 --addresses $host import" "render --family ipv6 --addresses $host import"; do
    echo "== $command"
    # shellcheck disable=SC2086 # words are wanted here
    "$@" $command 2>&1 </dev/null
    echo "== status $?"
    [ -d import ] || break
done >printed
