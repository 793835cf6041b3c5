# SPDX-License-Identifier: MIT
# The tutorial prints what it says it prints.
set -eu
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo 'skipped: needs python3-numpy'; exit 0; }
export PYTHONPATH="$IFD_SOURCE_DIR/python" PYTHONDONTWRITEBYTECODE=1
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" INTERFIELD_PROGRAM="$IFD_PROGRAM"
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
timeout 800 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/python/tutorial.py" "$IFD_SOURCE_DIR/docs/guide/python.md" \
    "$IFD_SOURCE_DIR/docs/guide/python-test.md"
