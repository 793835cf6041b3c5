#!/bin/sh
# SPDX-License-Identifier: MIT
# Checklist, second person, interlock and calibration of a real rig, judged by a watcher: clearance.py. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
${CC:-cc} -shared -fPIC -O1 "$IFD_SOURCE_DIR/tests/app/frozen.c" -o frozen.so -ldl || exit 1
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/clearance.py" >out 2>err || fail 'the clearance of a real rig'
cat out
verdict 'a real rig moves after its checklist, its interlocks and its dates only'
