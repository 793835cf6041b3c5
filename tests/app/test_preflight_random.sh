#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 10 of the first, never with sanitizers
# Random tests, judged by the characteristic equation and by running them: preflight_random.py. Sees IFD_PROGRAM.
exec /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/preflight_random.py" 6
