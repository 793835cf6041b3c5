# SPDX-License-Identifier: MIT
# ctest: waits 14 s
# A test that Python starts and leads, and one whose interpreter is killed: it is led out.
set -eu
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'skipped: needs python3-numpy'; exit 0; }
export PYTHONPATH="$IFD_SOURCE_DIR/python" PYTHONDONTWRITEBYTECODE=1
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" INTERFIELD_PROGRAM="$IFD_PROGRAM"
cd "$IFD_SOURCE_DIR/tests/python"
timeout 800 /usr/bin/python3 -m unittest --quiet package_session 2>&1
