#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# The table of commands: app/commands.def names every file of app/commands, each of which holds its command whole, and nothing else knows
# the commands by name. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
app=$IFD_SOURCE_DIR/app

sed -n 's/^COMMAND(\(.*\))$/\1/p' "$app/commands.def" >rows
[ "$(wc -l <rows)" -gt 25 ] || fail "few rows in commands.def"
sort rows >sorted
find "$app/commands" -type f | sed "s,.*/,,; s/\\.c\$//" | sort >files
cmp -s sorted files || fail "commands.def and the files of app/commands differ: $(diff sorted files)"

# The overview lists the rows, in their order.
try 0 help
sed -n '/^    interfield/d; s/^    \([a-z-]*\) .*/\1/p' out | tr - _ >listed
cmp -s rows listed || fail "the overview does not list the rows of commands.def: $(diff rows listed)"

while read -r name; do
    file=$app/commands/$name.c
    word=$(echo "$name" | tr _ -)
    grep -q "^const command command_$name = {" "$file" || fail "$file does not define command_$name"
    grep -q "^    \.name = \"$word\",$" "$file" || fail "$file does not name its command '$word'"
    # One convention for options: they stand in the row.
    sed '/^const command /,$d' "$file" | grep -n '^ *\(\.options = {\)*{*"-[-a-z]*", *\("\|NULL\)' && fail "$file has options outside its row"
    grep -n 'const option ' "$file" && fail "$file has a table of options besides its row"
    # The functions of a command are its own; others reach it by its row.
    grep -n '^int \|^bool \|^void \|^const char \*\*[a-z_]*(' "$file" && fail "$file has a function that is not static"
    try 0 help "$word"
    says "^interfield $word "
    # Examples are of this command, with options that it has and cases that are shipped; "see also" names what there is.
    sed -n '/^Examples:$/,/^$/s/^    //p' out >examples
    [ -s examples ] || fail "help $word has no example"
    ! grep -v "^interfield $word\( \|$\)" examples || fail "help $word has an example of another command"
    for option in $(grep -o ' --*[a-z-]*' examples); do
        grep -q -e "^    $option " out || fail "an example of $word uses $option, which it does not have"
    done
    for case in $(sed -n 's/^interfield [a-z-]* \(opensees \)*\([a-z0-9-]*\/[a-z0-9-]*\)\( .*\)*$/\2/p' examples | grep -v '^runs/'); do
        [ -f "$IFD_SOURCE_DIR/cases/$case.yaml" ] || [ -f "$IFD_SOURCE_DIR/cases/$case.study.yaml" ] || fail "an example of $word names $case, which is not shipped"
    done
    related=0
    for other in $(sed -n 's/^    interfield help: //p' out | tr -d ,); do
        grep -q -x "$(echo "$other" | tr - _)" rows || fail "help $word refers to the command $other, which does not exist"
        related=$((related + 1))
    done
    for page in $(sed -n 's/^    interfield docs: //p' out | tr -d ,); do
        ls "$IFD_SOURCE_DIR"/docs/*/"$page.md" >/dev/null 2>&1 || fail "help $word refers to the page $page, which does not exist"
        related=$((related + 1))
    done
    [ $related -gt 0 ] || fail "help $word refers to nothing"
done <rows

# A command whose name is also a key of the case file: help covers both, the command first.
"$IFD_PROGRAM" list topics >topics
both=0
while read -r topic title; do
    grep -q -x "$(echo "$topic" | tr - _)" rows || continue
    both=$((both + 1))
    try 0 help "$topic"
    says "^interfield $topic "
    says "^The case file also has a key '$topic':"
    says "^## $title"
    try 0 "$topic" --help
    ! grep -q '^## ' out || fail "'$topic --help' is about the case file"
done <topics
[ $both -ge 4 ] || fail "only $both names are both a command and a key: $(cat topics)"
try 0 help fmu # a command, an element and an actuator
says '^interfield fmu '
says '^### element `fmu`'
says '^### actuator `fmu`'

# An entry of a list with the word of its list before it.
try 0 help element spring
says '^### element `spring`'
try 0 help method lsrt2
says '^### method `lsrt2`'
try 2 help element sprng
complains "no element 'sprng'"
try 2 help method spring
complains "no method 'spring'"
try 2 help test spring
complains "no help for 'test spring'"

verdict "$(wc -l <rows) commands, each one file and one row"
