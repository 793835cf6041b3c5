#!/bin/sh
# SPDX-License-Identifier: MIT
# Every element, method and compensator of the program has a worked case: a shipped case that uses it, or a row of
# expected.json, hybrid.json or rts.json, which a test runs with that setting.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cases=$IFD_SOURCE_DIR/cases
count=0

# shown PATTERN: whether a line of a case or of such a list matches
shown() {
    grep -rqE --include='*.yaml' --include=expected.json --include=hybrid.json --include=rts.json -e "$1" "$cases"
}

# walk LIST PATTERN: PATTERN with each name of the list in place of NAME
walk() {
    try 0 list "$1"
    awk '{ print $1 }' out >names
    [ "$(wc -l <names)" -ge 15 ] || fail "list $1 prints too few names"
    while read -r name; do
        count=$((count + 1))
        shown "$(echo "$2" | sed "s/NAME/$name/g")" ||
            fail "no worked case has the entry '$name' of 'interfield list $1'"
    done <names
}

walk elements '(^|[ {,[])NAME: *(\{|$)'
walk methods '"?method"?[:=] *\{? *NAME([^a-z0-9-]|$)'
walk compensators 'compensation"?[:=] *\{? *NAME([^a-z0-9-]|$)|^ +NAME: *(\{|#|$)'
! shown 'compensation[:=] *\{? *no-such-entry' || fail "the search finds what does not exist"

verdict "$count entries, each with a worked case"
