#!/bin/sh
# SPDX-License-Identifier: MIT
# A specimen that breaks in run: the result states from when it had no stiffness: dead_cell.py.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/dead_cell.py" >out 2>err || fail 'no time in the result'
try 0 recover result --out again
[ "$(at cautions/0 again/summary.json)" = "$(at cautions/0 result/summary.json)" ] || fail 'a recovered result differs'
verdict 'the time from which a specimen had no stiffness is stated'
