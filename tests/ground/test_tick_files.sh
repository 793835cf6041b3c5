#!/bin/sh
# SPDX-License-Identifier: MIT
# The ticks of a plain test run through at most 15 files of src/hybrid and no unit that the case does not ask for; no unit reaches the test.
set -eu
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 0; }
"$IFD_SOURCE_DIR/tools/tick-files" "$IFD_PROGRAM" --most 15 >files || { cat files; exit 1; }
grep -q '^[0-9]* files of src/hybrid (1[0-5] .c), [0-9]* instructions per tick' files || { cat files; exit 1; }
