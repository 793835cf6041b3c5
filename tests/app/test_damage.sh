#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 14 of the first, not with sanitizers, unless every test is asked for
# Damaged results in the hands of every command that reads one, and of the Python package; IFD_DAMAGES=n tries n of them.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
$python -c 'import numpy' 2>/dev/null || { echo 'skipped: needs python3-numpy'; exit 0; }
export PYTHONDONTWRITEBYTECODE=1 INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so"
$python "$IFD_SOURCE_DIR/tests/app/damage.py" "${IFD_DAMAGES:-24}" "${IFD_DAMAGES_FROM:-0}" || fail 'damage was not met as it should be'
verdict 'no damaged result crashed, kept or deceived a reader'
