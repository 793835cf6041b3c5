# SPDX-License-Identifier: MIT
# No code stands in two places: six or more equal lines, but for those of tests/ground/duplicates.txt. First proves, on small files,
# that such lines are found, with both places, and that nothing else is.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { /usr/bin/python3 "$IFD_SOURCE_DIR/tests/ground/duplicates.py" "$@"; }
lines() { awk -v n="$1" -v c="$2" 'BEGIN { for (i = 1; i <= n; i++) printf "    %s(%d);\n", c, i }'; }
fails() { # what, then arguments
    what=$1
    shift
    if check "$@" >"$work/out"; then echo "$what should be found"; exit 1; fi
}

cd "$work"
: >none
{ echo 'void f(void)'; lines 6 step; } >a.c
{ lines 2 other; lines 6 step; echo 'int last;'; } >b.c
fails 'six equal lines' none a.c b.c
grep -qx '6 equal lines: a.c:2-7 and b.c:3-8' out || { echo 'both places should be named'; cat out; exit 1; }
{ lines 5 step; lines 2 other; } >c.c
check none a.c c.c || { echo 'five equal lines should pass'; exit 1; }
{ lines 3 step; printf '\n/* a reason\n   of two lines */\n#include <math.h>\n}\n'; lines 6 step | sed 's/^ */  \t/; s/(/ ( /' | tail -n 3; } >d.c
fails 'equal lines with blanks, comments, includes and braces between them' none a.c d.c
{ lines 6 step; lines 6 step; } >e.c
fails 'a run twice in one file' none e.c
echo 'a.c b.c both are wanted' >some
check some a.c b.c || { echo 'a listed run should pass'; exit 1; }
check some b.c a.c || { echo 'a listed run should pass in either order'; exit 1; }
fails 'a listed run that is gone' some a.c c.c
echo 'lines ^step.* they are rows' >some
check some a.c b.c || { echo 'a run of listed lines should pass'; exit 1; }

cd "$IFD_SOURCE_DIR"
find src app reproduce fmu drivers -name '*.[ch]' | sort >"$work/files"
[ "$(wc -l <"$work/files")" -gt 500 ]
xargs /usr/bin/python3 tests/ground/duplicates.py tests/ground/duplicates.txt <"$work/files"
echo "$(wc -l <"$work/files") files have no other equal lines than tests/ground/duplicates.txt lists"
