#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 14 s
# Pressure by the orders low and high: pressure.py. Sees IFD_PROGRAM, IFD_BUILD_DIR, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/pressure.py" >out 2>err || fail 'pressure by orders'
cat out
verdict 'pressure follows the orders low and high, and is off when something moves'
