#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: never with sanitizers
# Words of the field lead to the page where a reader expects their subject, and no word leads to a guess that means something else.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Every row of the table.
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/terms.py" "$IFD_PROGRAM" "$IFD_SOURCE_DIR" >rows 2>&1 ||
    fail "the table of terms: $(cat rows)"

# Words that were collected apart from it.
sed '/^#/d; s/ *| */|/' "$IFD_SOURCE_DIR/tests/app/terms.txt" >terms
[ "$(wc -l <terms)" -ge 130 ] || fail 'terms.txt has less than 130 words'
while IFS='|' read -r word page; do
    try 0 help "$word"
    says "^    interfield docs $page\$"
done <terms

# Capitals, blanks and dashes do not matter, with or without quotes.
try 0 help LRB
cp out lrb
for word in lrb Lead-Rubber-Bearing 'lead rubber  bearing'; do
    try 0 help "$word"
    cmp -s out lrb || fail "help $word differs from help LRB"
done
try 0 help Lead Rubber Bearing
cmp -s out lrb || fail 'help of three words differs from help LRB'
for word in LSRT2 'Bouc Wen' RUN Exit Bouc_Wen; do
    try 0 help "$word"
done
try 0 help ELEMENT bouc-wen
says '^### element `bouc-wen`'
try 0 help element LRB
cmp -s out lrb || fail 'help element LRB differs from help LRB'
try 0 help LRB --json
./json_ok <out >err 2>&1 || fail 'help --json is no JSON'
is /topic LRB

# A word that is also a name of keys first says where it leads.
for pair in 'delay:compensation' 'gravity:gravity-state'; do
    try 0 help "${pair%:*}"
    head -n 5 out | grep -q "^    interfield help ${pair#*:}\$" || fail "help ${pair%:*}: $(head -n 5 out)"
done

# What the lists have without a text of its own.
try 0 help POSITION
says '^POSITION (interfield list faults):'
says '## position: '
try 0 help ramp-in
says '^    interfield docs states$'

# A guess only after one slip in five letters or more; otherwise how to search.
for pair in bouc-wenn:bouc-wen condensatoin:condensation Rosenbrok:Rosenbrock stagered:staggered Newmrak:newmark; do
    try 2 help "${pair%:*}"
    complains "did you mean '${pair#*:}'?"
done
for word in LRC D-CSX PN MCZ brx docz pendel frame-work coupler xyzzy compensator-gain 'no such thing'; do
    try 2 help "$word"
    complains "no help for '$word' (interfield list topics; interfield docs --search '$word')"
    ! grep -q 'did you mean' err || fail "help $word guesses"
done
try 2 help element xyzzy
complains "no element 'xyzzy' (interfield list elements"
try 2 help ''
try 2 help -- --
verdict "$(cat rows)"
