#!/bin/sh
# SPDX-License-Identifier: MIT
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
done <rows

verdict "$(wc -l <rows) commands, each one file and one row"
