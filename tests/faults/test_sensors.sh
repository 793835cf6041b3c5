#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 90 s
# Sensors that lie, judged by the true forces of a rig without the library: sensors.py. Sees IFD_PROGRAM.
exec /usr/bin/python3 "$IFD_SOURCE_DIR/tests/faults/sensors.py"
