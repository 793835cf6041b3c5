#!/bin/sh
# SPDX-License-Identifier: MIT
# Rigs that misbehave over the wire, watched by a peer without the library: peer.py. Sees IFD_PROGRAM.
exec /usr/bin/python3 "$IFD_SOURCE_DIR/tests/faults/peer.py"
