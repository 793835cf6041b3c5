# SPDX-License-Identifier: MIT
# The examples and the Python package, compiled and run against an installed tree as a stranger would.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }
prefix=$work/prefix
cmake --install "$IFD_BUILD_DIR" --prefix "$prefix" >/dev/null
lib=$(dirname "$(find "$prefix" -name libinterfield.so)")
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"
cp "$prefix"/share/interfield/examples/* "$work"
cd "$work"

warnings='-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
for name in embed loop; do
    # shellcheck disable=SC2046,SC2086
    "$CC" $warnings $name.c -o $name $(pkg-config --cflags --libs interfield) -lm
done
# shellcheck disable=SC2046,SC2086
"$CC" $warnings -shared -fPIC -O2 rig.c -o rig.so $(pkg-config --cflags interfield) -lm

said=$(./embed)
echo "$said"
# The numbers of the tutorial, which has the same structure.
[ "$(echo "$said" | sed 's/,.*//')" = "$(grep -o '^roof [0-9.]* mm, largest' "$IFD_SOURCE_DIR/docs/guide/python.md" | sed 's/,.*//')" ] ||
    fail 'embed: not what docs/guide/python.md says'
said=$(./loop)
echo "$said"
# LSRT2's error after 1 s: 0.0404 (w h)^2 w of 10 mm, 1.1e-4 mm.
echo "$said" | awk '{ d = $4 - $7; exit !($7 != 0 && d < 1.1e-4 && d > -1.1e-4) }' || fail 'loop: far from the exact motion'

if [ "${IFD_PROGRAM-}" ]; then
    program=$prefix/bin/interfield
    # Its hardware is a thread of its own, which a busy machine keeps from its core: one calm attempt of four, with ever longer ticks.
    urgent=
    ! chrt -f 10 true 2>/dev/null || urgent='chrt -f 10'
    for tick in 0.002 0.005 0.02 0.05; do
        $urgent "$program" rig-check ./rig.so --tick $tick >said && break
    done
    grep -q '^passed  *1[0-9] of 17 requirements, [45] skipped (--move); the rig declares itself simulated' said || fail "rig-check: $(cat said)"
    "$program" check rig.yaml >said || fail "check: $(cat said)"
    # Machines that run tests are busy: late ticks are none of the business of this file.
    "$program" test rig.yaml --start --quiet --without-preflight --set test.overrun=extrapolate --set test.late-for=1000s \
        --set test.stale-for=60s --set test.stale-share=1 --set time.end=0.5s --out ran || fail 'the test on the rig of the example failed'
    grep -q '"outcome": "completed"' ran/summary.json || fail 'the test on the rig of the example did not end well'
fi

if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    unset LD_LIBRARY_PATH
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$prefix/share/interfield/python" /usr/bin/python3 - <<'P' || fail 'the installed package does not work'
import interfield
assert interfield.find_program().startswith(interfield._library.prefix()), interfield.find_program()
assert len(interfield.Simulation([1.0], K=[4.0], initial={"x1": 1.0}, step=0.1, end=1.0).run()) == 11
print("the installed package finds library", interfield.library_version())
P
fi
[ -f "$prefix/share/interfield/matlab/interfield_read.m" ] || fail 'the reader for Octave and MATLAB was not installed'
