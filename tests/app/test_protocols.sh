#!/bin/sh
# SPDX-License-Identifier: MIT
# Loading protocols through the program: the numbers of protocols.py.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/protocols.py" "$IFD_PROGRAM" >rows 2>&1 || fail "protocols: $(cat rows)"
verdict "$(tail -1 rows)"
