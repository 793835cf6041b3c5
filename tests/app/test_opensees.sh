#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 3 of the first, not with sanitizers, unless every test is asked for
# interfield serve opensees against a protocol peer in Python that shares no code with it; where IFD_OPENSEES names an
# OpenSees binary, also against that.
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-opensees-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/opensees_tests.py"
