# SPDX-License-Identifier: MIT
# The notebook of the examples runs from its first cell to its last.
set -eu
for module in numpy pandas matplotlib; do
    /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "skipped: needs python3-$module"; exit 0; }
done
export PYTHONPATH="$IFD_SOURCE_DIR/python" PYTHONDONTWRITEBYTECODE=1
export INTERFIELD_LIBRARY="$IFD_BUILD_DIR/libinterfield.so" INTERFIELD_PROGRAM="$IFD_PROGRAM"
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX")
trap 'rm -rf "$work"' EXIT
export MPLCONFIGDIR="$work/matplotlib" IPYTHONDIR="$work/ipython" JUPYTER_CONFIG_DIR="$work/jupyter" JUPYTER_RUNTIME_DIR="$work/runtime"
mkdir "$work/plain" "$work/jupyter"
run() {
    cd "$work/$1"
    timeout 400 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/python/notebook.py" "$1" "$IFD_SOURCE_DIR/examples/hybrid.ipynb"
}
run plain
if /usr/bin/python3 -c 'import nbclient, ipykernel' 2>/dev/null; then
    run jupyter
else
    echo 'without a kernel of Jupyter: that needs python3-nbclient and python3-ipykernel'
fi
