# SPDX-License-Identifier: MIT
# pip installs the package into a venv with system packages and without network: it finds the library
# of the tree around it; a wheel with INTERFIELD_BUNDLE holds the library and works without the tree.
set -eu
for module in numpy setuptools wheel pip venv; do
    /usr/bin/python3 -c "import $module" 2>/dev/null ||
        { echo "skipped: needs python3-numpy, python3-setuptools, python3-wheel and python3-pip (no module $module)"; exit 0; }
done
unset PYTHONPATH INTERFIELD_LIBRARY INTERFIELD_PROGRAM
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
fail() { echo "FAILED: $*"; exit 1; }

# A tree of its own: pip builds inside the folder it is given.
mkdir -p tree/include tree/build
cp -r "$IFD_SOURCE_DIR/python" tree/python
rm -rf tree/python/build tree/python/*.egg-info
cp -r "$IFD_SOURCE_DIR/include/interfield" tree/include/
ln -s "$IFD_SOURCE_DIR/src" tree/src
ln -s "$IFD_BUILD_DIR" tree/build/gcc
version=$(sed -n 's/#define IFD_VERSION "\(.*\)"/\1/p' tree/include/interfield/version.h)

cat >check.py <<'CHECK'
import importlib.metadata, importlib.resources, os, sys
import interfield
from interfield import _library
assert interfield.__file__.startswith(sys.prefix), interfield.__file__
assert interfield.__version__ == importlib.metadata.version("interfield") == sys.argv[1], interfield.__version__
assert interfield.library_version() == sys.argv[1]
assert os.path.exists(os.path.join(os.path.dirname(interfield.__file__), "py.typed"))
loaded, program = interfield._library.library()._name, interfield.find_program()
print(loaded)
print(program)
wanted = sys.argv[2]
assert loaded.startswith(wanted) and program.startswith(wanted), (loaded, program, wanted)
result = interfield.Simulation(M=[1.0], K=[39.478417604357434], initial={"x1": 1.0}, step=0.01, end=1.0).run()
assert abs(result["x1 displacement"][-1] - 1) < 0.01, result["x1 displacement"][-1]  # one period of 1 Hz
assert interfield.call("list", "methods")
CHECK

/usr/bin/python3 -m venv --system-site-packages --without-pip venv # pip of the system does for it
venv/bin/python -m pip install --quiet ./tree/python >out 2>&1 || { cat out; fail 'pip install ./python'; }
# A library that is installed in the system comes first; without one the tree's is found.
if ldconfig -p 2>/dev/null | grep -q libinterfield || command -v interfield >/dev/null; then
    echo 'an installed interfield is preferred here: the build of the tree is not looked at'
else
    venv/bin/python check.py "$version" "$work/tree/build" || fail 'the build of the tree was not found'
fi

INTERFIELD_BUNDLE=1 venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps -w wheels ./tree/python >out 2>&1 ||
    { cat out; fail 'a wheel with the library'; }
ls wheels | grep -q "^interfield-$version-py3-none-linux_" || fail "the wheel is called $(ls wheels)"
venv/bin/python -m pip uninstall --quiet --yes interfield >out 2>&1 || { cat out; fail 'uninstall'; }
mv tree gone
venv/bin/python -m pip install --quiet --no-deps wheels/*.whl >out 2>&1 || { cat out; fail 'the wheel cannot be installed'; }
venv/bin/python check.py "$version" "$work/venv" || fail 'the library of the wheel was not used'

# Without setuptools pip is asked to download it, and a build without that says what is missing.
(cd "$IFD_SOURCE_DIR/python" && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - <<'CHECK') >out 2>&1 || { cat out; fail 'the backend without setuptools'; }
import sys
sys.path.insert(0, ".")
sys.modules["setuptools"] = None  # importing it fails
import build_backend as backend
assert backend.get_requires_for_build_wheel() == backend.get_requires_for_build_sdist() == ["setuptools>=61"]
try:
    backend.build_wheel("nowhere")
    raise AssertionError("built without setuptools")
except SystemExit as e:
    assert "needs setuptools>=61, which is not installed for " in str(e) and "python3-setuptools" in str(e), e
CHECK

# Asked for a library that is nowhere, it says so.
mv gone tree
rm tree/build/gcc
rm -rf tree/python/build
if PATH=/usr/bin:/bin PKG_CONFIG_LIBDIR=/nowhere INTERFIELD_BUNDLE=1 venv/bin/python -m pip wheel --quiet --no-build-isolation --no-deps -w none \
    ./tree/python >out 2>&1; then
    command -v interfield >/dev/null || fail 'a wheel without a library was made'
else
    grep -q 'no library was found' out || { cat out; fail 'nothing said about the missing library'; }
fi
echo 'the package is installed by pip, from a tree and as a wheel'
