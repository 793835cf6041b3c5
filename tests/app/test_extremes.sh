#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 28 of the first, not with sanitizers, unless every test is asked for
# Numbers at the ends of their ranges, given to check, preflight and test: a sample of them; IFD_EVERY=1 takes all (make soak).
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
PYTHONDONTWRITEBYTECODE=1 $python "$IFD_SOURCE_DIR/tests/app/extremes.py" "${IFD_EVERY:-60}" "${IFD_FIRST:-7}" >said.txt 2>&1 || { cp said.txt out; fail 'a number at the end of its range'; }
cat said.txt
verdict 'every command bears the ends of the ranges'
