# SPDX-License-Identifier: MIT
# A study with the schedulers of Dask, where it is installed.
set -eu
/usr/bin/python3 -c 'import distributed, dask.bag' 2>/dev/null || { echo 'skipped: needs python3-distributed'; exit 0; }
export PYTHONPATH="$IFD_SOURCE_DIR/python" PYTHONDONTWRITEBYTECODE=1
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" INTERFIELD_PROGRAM="$IFD_PROGRAM"
cd "$IFD_SOURCE_DIR/tests/python"
timeout 300 /usr/bin/python3 dask_study.py
