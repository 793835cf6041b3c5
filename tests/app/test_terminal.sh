#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 10 s
# Widths, status line and typed words at a pseudo-terminal: terminal.py. In a file tables end at column 80.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"
if on_terminal 'widths of a terminal'; then
    timeout 1500 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/terminal.py" "$IFD_PROGRAM" || fail 'at a pseudo-terminal'
fi
unset COLUMNS
for words in 'preflight bridge/hybrid --out .' 'check --explain bridge/hybrid' help 'help test' 'help elements' 'help bouc-wen'; do
    # shellcheck disable=SC2086 # words
    "$IFD_PROGRAM" $words >out 2>err
    [ -s out ] || fail "$words prints nothing"
    LC_ALL=C.UTF-8 awk 'length > 80 { print; bad = 1 } END { exit bad }' out >long || fail "$words: $(cat long)"
done
"$IFD_PROGRAM" preflight bridge/hybrid --out . >out
grep -q '^ok       stability    rho 1' out || fail 'the verdict is not first'
verdict 'no line is wider than its terminal'
