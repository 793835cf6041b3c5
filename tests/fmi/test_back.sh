#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 29 of the first, not with sanitizers, unless every test is asked for
# Going back is asked of joined parts only. FMUs that crash, hang or take memory when a state is kept or set are fit for a rig, end neither `fmu` nor `join` nor a run, and are refused where a state is
# needed. INTERFIELD_REFERENCE_FMUS names a folder with the Reference FMUs of the Modelica Association, fmi2/NAME.fmu and fmi3/NAME.fmu, which are tried as well.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
here=$IFD_SOURCE_DIR/tests/fmi
fail() { echo "test_fmu_back: $*" >&2; exit 1; }
make() { # NAME FAULT
    ${CC:-cc} -shared -fPIC -O1 -w -DFAULT="$2" -o "$1.so" "$here/fmus/spring.c" -lm
    $python "$here/pack_fmu.py" fine "$1.so" "$1.fmu"
}
try() { # STATUS COMMAND...
    wanted=$1
    shift
    status=0
    "$IFD_PROGRAM" "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "exit $status instead of $wanted: $* $(cat out err)"
}
says() { cat out err | grep -q "$1" || fail "'$1' was not said: $(cat out err)"; }

make fine 0
make crash-get 20
make crash-set 21
make hang-set 22
make greedy-get 23
make other-set 24
make crash-step 5
make hang-step 6

# FMU, what is said of going back, and of the memory that takes.
while IFS='|' read -r name back memory; do
    try 0 fmu $name.fmu --steps 200 --step 1 --patience 2
    says "^restore  *$back"
    says '^fit  *for a rig'
    says '^memory  *no allocation in set, step and get'
    [ -z "$memory" ] || says "^memory  *$memory"
    case $name in
    fine | greedy-get) says '^fit  *for coupling'; try 0 fmu $name.fmu --steps 200 --step 1 --role part --patience 2 ;;
    *) says '^unfit  *for coupling'; try 1 fmu $name.fmu --steps 200 --step 1 --role part --patience 2 ;;
    esac
    [ $name != hang-set ] || continue
    try 0 fmu $name.fmu --steps 200 --step 1 --json
    $python - <<'JSON' || fail "$name: $(cat out)"
import json
q = json.load(open("out"))["quality"]
assert q["fit"] and q["allocations"] == 0 and q["steps"] == 200 and (q["back"] == "fails") == (not q["fit_for_joint"] and q["back"] != "other"), q
JSON
done <<'END2'
fine|a step repeated from a saved state is bit-identical|
crash-get|fails · get-state: its process ended (Segmentation fault)|
crash-set|fails · set-state: its process ended (Segmentation fault)|
hang-set|fails · set-state: it did not answer within 1 s|
greedy-get|a step repeated from a saved state is bit-identical|[0-9]* allocations in get-state and set-state
other-set|a step repeated from a saved state is not bit-identical|
END2

# A step that crashes or hangs ends its own process, and the program says so with an object.
try 1 fmu crash-step.fmu --steps 200 --step 1
says 'crashed its child process\|AddressSanitizer'
try 1 fmu hang-step.fmu --steps 200 --step 1 --patience 1
says 'did not respond within 1 s'
try 1 fmu hang-step.fmu --steps 200 --step 1 --patience 1 --json
$python -c 'import json; d = json.load(open("out")); assert d["outcome"] == "failed" and "did not respond" in d["error"], d' || fail "$(cat out)"
try 2 fmu fine.fmu --role brace
try 2 fmu fine.fmu --patience 0

# As specimens they move as any other, in a run and on the rig; against the clock none is refused for what it never does.
cat >run.yaml <<'END2'
time: {step: 2 ms, end: 0.2 s}
model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m, stiffness: 50 N/m}
loads: [{at: x, force: {sine: {amplitude: 1 N, frequency: 1 Hz}}}]
specimen:
  - name: s
    fmu: {between: [ground, x], file: fine.fmu, input: u, output: "y"}
    limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2}
test: {rig: virtual, leave: stay, ramp-in: 10 ms, settle: 1 ms}
END2
try 0 run run.yaml --out r-fine
try 0 test run.yaml --as-fast-as-possible --out t-fine
for name in crash-get crash-set hang-set greedy-get; do
    sed "s/fine/$name/" run.yaml >$name.yaml
    try 0 run $name.yaml --out r-$name
    try 0 compare r-fine r-$name --tolerance 0
    try 0 test $name.yaml --as-fast-as-possible --out t-$name
    try 0 compare t-fine t-$name --columns 'x displacement,s force' --tolerance 0
    status=0 # whether it is punctual is the machine's business, so that only a refusal counts
    "$IFD_PROGRAM" test $name.yaml --out c-$name >out 2>err || status=$?
    [ -s c-$name/result.h5 ] || fail "against the clock: exit $status: $(cat out err)"
done

# Joined: refused by name, or predicted; the program lives on.
try 0 join fine.fmu greedy-get.fmu --joint 'A.y/-u=B.y/-u' --step 0.01 --end 0.1
for name in crash-get crash-set; do
    try 2 join fine.fmu $name.fmu --joint 'A.y/-u=B.y/-u' --step 0.01 --end 0.1
    says "the FMU '$name.fmu' cannot be joined, because restoring a state fails ([gs]et-state: "
done
try 2 join fine.fmu crash-set.fmu --joint 'A.y/-u=B.y/-u' --step 0.01 --end 0.1 --isolated
says 'its process ended (Segmentation fault)'
try 2 join fine.fmu crash-set.fmu --joint 'A.y/-u=B.y/-u' --step 0.01 --end 0.1 --predict
says 'its prediction needs the velocity'
cat >pair.yaml <<'END2'
time: {step: 1 ms, end: 0.2 s}
substructures: {a: {fmu: fine.fmu}, b: {fmu: crash-set.fmu}}
joints: ['a.y/-u = b.y/-u']
coupling: fmu
END2
try 2 run pair.yaml --out pair
says "the FMU 'crash-set.fmu' cannot be joined"

# The Reference FMUs. Only those with a real input and output are fit; what Stair does not survive (it ends itself after 9 s) is no crash.
if [ -z "${INTERFIELD_REFERENCE_FMUS-}" ]; then
    echo 'skipped: INTERFIELD_REFERENCE_FMUS names no folder'
else
    for version in 2 3; do
        for name in BouncingBall Dahlquist Feedthrough Resource VanDerPol; do
            file=$INTERFIELD_REFERENCE_FMUS/fmi$version/$name.fmu
            wanted=1
            [ $name != Feedthrough ] || wanted=0
            try $wanted fmu "$file" --steps 2000 --step 0.01
            says '^memory  *no allocation in set, step and get'
            says '^restore  *a step repeated from a saved state is bit-identical'
            [ $wanted = 0 ] || says '^unfit  *for a rig.*no real input'
        done
    done
fi
[ -z "$(ls -d interfield-[af]* 2>/dev/null)" ] || fail "folders were left behind: $(ls -d interfield-[af]*)"
echo fine
