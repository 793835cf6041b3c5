#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: never with sanitizers
# The search in the pages: places, their order, words that mean the same.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# first WORDS...: the first page that a search finds
first() {
    try 0 docs --search "$@"
    page=$(sed -n '1s/ .*//p' out)
}
leads() { # PAGE WORDS...
    expected=$1
    shift
    first "$@"
    [ "$page" = "$expected" ] || fail "docs --search $*: first $page, expected $expected"
}

# Against a search that this test makes itself.
for words in 'cavern actuator' 'gusset bolt weld' 'brake tick' 'ticket' 'ratchet' 'plugin marker' 'wind' 'checklist signature'; do
    # shellcheck disable=SC2086
    if "$IFD_PROGRAM" docs --search $words --json >found 2>err; then
        /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/search.py" found "$IFD_SOURCE_DIR/docs" $words >wrong 2>&1 ||
            fail "docs --search $words: $(cat wrong)"
        searched=$((${searched-0} + 1))
    else
        for word in $words; do
            ! grep -q -r -i -w -e "$word" --include='*.md' "$IFD_SOURCE_DIR"/docs/*/ || fail "docs --search $words finds nothing"
        done
    fi
done
[ "${searched-0}" -ge 4 ] || fail "only ${searched-0} of the searches found a page"

# Titles before headings before text; words of papers find what the pages call otherwise.
leads shake-table shaking tables
leads drift constraint drift
leads bearings LRB
leads bearings lead rubber
leads bearings 'Lead Rubber bearing'
leads coupling FETI
leads extrapolation RKPM
leads opensees uniaxialMaterial
leads damping rayleigh
leads chords brace
leads several-days continue a test
leads delay delay
try 0 docs --search lead rubber
cp out two
try 0 docs --search 'lead rubber'
cmp -s out two || fail 'two words in quotes differ from two arguments'
says '^    Lead-rubber bearing$'
says '^pages .* interfield docs PAGE$'
[ "$(awk 'length > 80' out | wc -l)" = 0 ] || fail 'lines of places are longer than 80 columns'
try 0 docs --search LRB --quiet
[ ! -s out ] || fail 'docs --search --quiet prints'

# Nothing, and wrong words.
try 1 docs --search xyzzyq
complains "no page has 'xyzzyq'"
try 1 docs --search xyzzyq --json
./json_ok <out >err 2>&1 || fail 'a failed search is no JSON'
try 2 docs --search ' '
complains 'needs words'
try 2 docs --search
try 2 docs bearings drift
complains "unexpected argument 'drift'"
verdict "$searched searches compared"
