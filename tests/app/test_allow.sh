#!/bin/sh
# SPDX-License-Identifier: MIT
# The operator of a rig server allows each connection: allow.py. Sees IFD_PROGRAM, IFD_BUILD_DIR, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/allow.py" >out 2>err || fail 'a rig server on a network'
cat out
verdict 'a real rig on a network moves after its own operator allowed the connection'
