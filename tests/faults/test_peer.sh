#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 15 of the first
# Rigs that misbehave over the wire, watched by a peer without the library: peer.py. Sees IFD_PROGRAM.
exec /usr/bin/python3 "$IFD_SOURCE_DIR/tests/faults/peer.py"
