#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 16 s
# Every element of the catalogue as a sound specimen: no false alarm of STIFFNESS and NO_FORCE. sound_specimens.py 1000 is the long run.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/sound_specimens.py" 48
