#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 20 s
# Checklist, second person, interlock and calibration of a real rig, judged by a watcher: clearance.py. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
${CC:-cc} -shared -fPIC -O1 "$IFD_SOURCE_DIR/tests/app/frozen.c" -o frozen.so -ldl || exit 1
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I "$IFD_SOURCE_DIR/include" -I "$IFD_SOURCE_DIR/app" -o control_ok \
    "$IFD_SOURCE_DIR/tests/app/control_ok.c" "$IFD_SOURCE_DIR/app/session/control.c" "$IFD_SOURCE_DIR/app/session/clearance.c" -lpthread || exit 1
./control_ok >out 2>err || fail 'who may clear a test'
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/clearance.py" >out 2>err || fail 'the clearance of a real rig'
cat out
verdict 'a real rig moves after its checklist, its interlocks and its dates only'
