#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 70 s
# The end of a test by signals, judged by a watcher that shares no code with the program: signals.py. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
${CC:-cc} -shared -fPIC -O1 "$IFD_SOURCE_DIR/tests/app/frozen.c" -o frozen.so -ldl || exit 1
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/signals.py" >out 2>err || {
    cat out
    fail 'the end of a test by signals'
}
cat out
verdict 'signals end a test in a bounded time'
