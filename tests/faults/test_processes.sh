#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 9 of the first, not with sanitizers, unless every test is asked for
# Faults between real processes: processes.py has the table. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
exec /usr/bin/python3 "$IFD_SOURCE_DIR/tests/faults/processes.py"
