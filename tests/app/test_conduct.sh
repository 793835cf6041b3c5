#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 50 s
# Orders and start of a real rig, judged by a watcher that shares no code with the program: conduct.py. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
${CC:-cc} -shared -fPIC -O1 "$IFD_SOURCE_DIR/tests/app/frozen.c" -o frozen.so -ldl || exit 1
export PYTHONPATH="$IFD_SOURCE_DIR/python" INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" INTERFIELD_PROGRAM="$IFD_PROGRAM"
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/conduct.py" >out 2>err || fail 'the conduct of a test'
cat out
verdict 'nothing moves without an order, and a stop is the same from every source'
