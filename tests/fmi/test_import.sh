#!/bin/sh
# SPDX-License-Identifier: MIT
# Imported FMUs: a spring written for this test as specimen and as actuator, here and in a process of its own, what an FMU may do wrong, and archives that mean harm.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
here=$IFD_SOURCE_DIR/tests/fmi
fail() { echo "test_fmu_import: $*" >&2; exit 1; }
build() { ${CC:-cc} -shared -fPIC -O1 -w -DFAULT="$2" -o "$1.so" "$here/fmus/spring.c" -lm; }
pack() { $python "$here/pack_fmu.py" "$1" "$2.so" "$3.fmu"; }
refused() { # FILE TEXT
    if "$IFD_PROGRAM" fmu "$1.fmu" --steps 10 --quiet 2>said; then fail "accepted: $1"; fi
    grep -q "$2" said || fail "$1: '$2' was not said: $(cat said)"
}

build spring 0
pack fine spring spring
"$IFD_PROGRAM" fmu spring.fmu --steps 2000 --step 1 --json >spring.json || fail 'the spring is not fit'
$python - <<'END'
import json
d = json.load(open("spring.json"))
q = d["quality"]
assert d["fmi"] == 2 and d["rolls_back"] and [v["name"] for v in d["variables"]] == ["u", "w", "y", "k", "mode"], d
assert [(s["output"], s["input"]) for s in d["slopes"]] == [("y", "u")] and abs(d["slopes"][0]["value"] - 30) < 1e-9, d["slopes"]
assert q["allocations"] == 0 and q["rolled_back"] and q["finite"] and q["steps"] == 2000, q
END

# As specimen: the same run as with the engine's own spring, to the bit.
cat >own.yaml <<'END'
time: {step: 1 ms, end: 1 s}
model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m, stiffness: 50 N/m}
initial: {displacement: {x: 10 mm}, velocity: {x: 0.1 m/s}}
specimen:
  - {name: s, spring: {between: [ground, x], stiffness: 30 N/m}}
END
sed 's|spring: {between: \[ground, x\], stiffness: 30 N/m}|fmu: {between: [ground, x], file: spring.fmu, input: u, velocity: w, output: "y"}|' own.yaml >foreign.yaml
"$IFD_PROGRAM" run own.yaml --out own --quiet
SPRING_TERMINATED=$work/terminated "$IFD_PROGRAM" run foreign.yaml --out foreign --quiet
[ -e terminated ] || fail 'the FMU was not terminated'
"$IFD_PROGRAM" compare own foreign --columns 'x displacement,x velocity' --tolerance 1e-13 --quiet || fail 'the FMU is another spring'
sed 's|output: "y"|output: "y", parameters: "k = 45"|' foreign.yaml >stiff.yaml
sed 's|stiffness: 30 N/m|stiffness: 45 N/m|' own.yaml >own-stiff.yaml
"$IFD_PROGRAM" run own-stiff.yaml --out own-stiff --quiet
"$IFD_PROGRAM" run stiff.yaml --out stiff --quiet
"$IFD_PROGRAM" compare own-stiff stiff --columns 'x displacement,x velocity' --tolerance 1e-13 --quiet || fail 'a parameter was not heeded'
pack matrix spring matrix
sed 's|spring.fmu|matrix.fmu|; s|k = 45|k[1,2] = 45, k[1,2] = 45|' stiff.yaml >matrix.yaml
"$IFD_PROGRAM" run matrix.yaml --out matrix --quiet || fail 'an element of a matrix as a parameter'
"$IFD_PROGRAM" compare own-stiff matrix --columns 'x displacement,x velocity' --tolerance 1e-13 --quiet || fail 'an element of a matrix was not heeded'
sed 's|k = 45|k == 45|' stiff.yaml >wrong.yaml
if "$IFD_PROGRAM" run wrong.yaml --quiet 2>said; then fail 'parameters that cannot be read'; fi
grep -q "wrong.yaml:5:.*found 'k == 45' in the parameters" said || fail "$(cat said)"
sed 's|k = 45|k = 45, u = 1|' stiff.yaml >wrong.yaml
if "$IFD_PROGRAM" run wrong.yaml --quiet 2>said; then fail 'an input as a parameter'; fi
grep -q "wrong.yaml:5:.*has no parameter 'u'" said || fail "$(cat said)"
if "$IFD_PROGRAM" stability foreign.yaml --quiet 2>said; then fail 'an FMU was probed'; fi
grep -q 'cannot be probed' said || fail "$(cat said)"

# In the virtual rig, as specimen and as a perfect actuator (y = k u with k = 1).
cat >rig.yaml <<'END'
time: {step: 2 ms, end: 1 s}
model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m, stiffness: 50 N/m}
loads: [{at: x, force: {sine: {amplitude: 1 N, frequency: 1 Hz}}}]
specimen:
  - name: s
    spring: {between: [ground, x], stiffness: 30 N/m}
    limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1000 m/s2}
test: {rig: virtual, leave: stay}
END
sed 's|spring: {between: \[ground, x\], stiffness: 30 N/m}|fmu: {between: [ground, x], file: spring.fmu, input: u, output: "y"}|' rig.yaml >rig-foreign.yaml
"$IFD_PROGRAM" test rig.yaml --as-fast-as-possible --out t1 --quiet
"$IFD_PROGRAM" test rig-foreign.yaml --as-fast-as-possible --out t2 --quiet
"$IFD_PROGRAM" compare t1 t2 --columns 'x displacement,s force' --tolerance 1e-13 --quiet || fail 'another spring on the rig'
sed 's|    limits|    actuator: {fmu: {file: spring.fmu, input: u, output: "y"}}\n    limits|' rig.yaml >rig-moved.yaml
"$IFD_PROGRAM" test rig-moved.yaml --as-fast-as-possible --out t3 --quiet 2>said || true
! "$IFD_PROGRAM" compare t1 t3 --columns 's deformation' --tolerance 1 --quiet || fail 'an actuator that multiplies by 30 was not noticed'

# In a process of its own: the same bits; as a master that waits for nobody, and a process that never outlives it.
sed 's|output: "y"|output: "y", isolated: yes, patience: 100 s|' foreign.yaml >apart.yaml
"$IFD_PROGRAM" run apart.yaml --out apart --quiet
"$IFD_PROGRAM" compare foreign apart --tolerance 0 --quiet || fail 'another spring in another process'
sed 's|output: "y"|output: "y", isolated: yes, patience: 100 s|' rig-foreign.yaml >rig-apart.yaml
"$IFD_PROGRAM" test rig-apart.yaml --as-fast-as-possible --out t4 --quiet
"$IFD_PROGRAM" compare t2 t4 --columns 'x displacement,s force' --tolerance 0 --quiet || fail 'another spring on the rig, apart'
build hang 6
pack fine hang hang
for kind in run test; do
    case $kind in run) from=foreign.yaml options= ;; test) from=rig-foreign.yaml options=--as-fast-as-possible ;; esac
    sed 's|file: spring.fmu|file: hang.fmu, isolated: yes, patience: 0.3 s|' $from >hang.yaml
    if timeout 200 "$IFD_PROGRAM" $kind hang.yaml $options --out hang-$kind --quiet 2>said; then fail "$kind: a hang went unnoticed"; fi
    grep -q 'SPECIMEN\|NOT_FINITE\|not finite' said hang-$kind/summary.json || fail "$kind: $(cat said)"
    [ -s hang-$kind/result.h5 ] || fail "$kind: the record is gone"
done
sed 's|file: spring.fmu|file: hang.fmu, isolated: yes, patience: 200 s|' foreign.yaml >hang.yaml
"$IFD_PROGRAM" run hang.yaml --out orphan --quiet &
master=$!
host=
for _ in $(seq 1000); do
    host=$(cat /proc/$master/task/$master/children 2>/dev/null || true)
    [ -z "$host" ] || break
    sleep 0.1
done
[ -n "$host" ] || fail 'no process was made'
kill -9 $master
wait $master 2>/dev/null || true
for _ in $(seq 1000); do
    [ -d "/proc/${host%% *}" ] || break
    sleep 0.1
done
[ ! -d "/proc/${host%% *}" ] || grep -q '^State:.Z' "/proc/${host%% *}/status" || fail 'an orphan lives on'
rm -rf interfield-fmu-*
sed 's|output: "y"|output: "y", patience: 1 ms|' foreign.yaml >impatient.yaml
if "$IFD_PROGRAM" run impatient.yaml --quiet 2>said; then fail "'patience' alone was taken"; fi
grep -q "impatient.yaml:5:.*'patience' needs 'isolated: yes'" said || fail "$(cat said)"
sed 's|output: "y"|output: "y", late: 2|' foreign.yaml >late.yaml
if "$IFD_PROGRAM" run late.yaml --quiet 2>said; then fail "'late' alone was taken"; fi
grep -q "late.yaml:5:.*'late' needs 'isolated: yes'" said || fail "$(cat said)"

# What an FMU may do wrong in the middle of a run: the run ends with a fault and keeps what it has.
for fault in 1 2; do
    build bad$fault $fault
    pack fine bad$fault bad$fault
    sed "s|spring.fmu|bad$fault.fmu|" foreign.yaml >f.yaml
    if "$IFD_PROGRAM" run f.yaml --out bad$fault --quiet 2>said; then fail "fault $fault went unnoticed"; fi
    grep -q 'SPECIMEN\|not finite' said || fail "fault $fault: $(cat said)"
    [ -s bad$fault/result.h5 ] || fail 'the record is gone'
    if "$IFD_PROGRAM" fmu bad$fault.fmu --steps 200 --quiet; then fail "fault $fault is called fit"; fi
done
cat >pair.yaml <<'END'
time: {step: 1 ms, end: 0.2 s}
substructures: {a: {fmu: spring.fmu}, b: {fmu: spring.fmu, isolated: yes}}
joints: ['a.y/-u = b.y/-u'] # what goes in comes out along it
coupling: fmu
END
"$IFD_PROGRAM" run pair.yaml --out pair --quiet || fail 'two springs cannot be joined'
sed 's|b: {fmu: spring|b: {fmu: bad2|' pair.yaml >bad-pair.yaml
if "$IFD_PROGRAM" run bad-pair.yaml --out bad-pair --quiet 2>said; then fail 'a part that fails went unnoticed'; fi
grep -q 'a substructure that advances itself fails: a step failed' said || fail "$(cat said)"
build ends 11
pack fine ends ends
if "$IFD_PROGRAM" fmu ends.fmu --steps 100 >said; then fail 'an FMU 2 that asks for the end is called fit'; fi
grep -q 'join): it requests the end of the simulation' said || fail "$(cat said)"
grep -q '"name": "PART"' bad-pair/summary.json || fail 'the fault is not in the summary'
for fault in 3 9; do # by itself, and by the functions it is given for that
    build greedy $fault
    pack fine greedy greedy
    if "$IFD_PROGRAM" fmu greedy.fmu --steps 200 --step 1 >said; then fail 'an FMU that allocates is called fit'; fi
    grep -q 'memory allocation during steps' said || fail "$(cat said)"
done
# Against the clock such a one is refused, unless the case says that it knows.
sed 's|spring.fmu|greedy.fmu|; s|leave: stay|leave: stay, ramp-in: 10 ms, settle: 1 ms|; s|end: 1 s|end: 20 ms|' rig-foreign.yaml >greedy.yaml
if "$IFD_PROGRAM" test greedy.yaml --out greedy --quiet 2>said; then fail 'an FMU that allocates came near a clock'; fi
grep -q "greedy.yaml:6:.*'greedy.fmu' allocates memory during steps" said || fail "$(cat said)"
sed "s|file: greedy.fmu|file: greedy.fmu, allocates: yes, parameters: 'k = 25'|" greedy.yaml >known.yaml
"$IFD_PROGRAM" test known.yaml --out known --quiet 2>said || true # whether it is punctual is the machine's business
[ -s known/result.h5 ] || fail "allowed, and refused: $(cat said)"
build lacking 4
pack fine lacking lacking
refused lacking 'no function fmi2DoStep'
build crash 5
pack fine crash crash
if "$IFD_PROGRAM" fmu crash.fmu --steps 200 --isolated --quiet 2>said; then fail 'a crash went unnoticed'; fi
sed 's|file: spring.fmu|file: crash.fmu, isolated: yes, patience: 100 s|' foreign.yaml >f.yaml
if "$IFD_PROGRAM" run f.yaml --out crash --quiet 2>said2; then fail 'a crash went unnoticed in a run'; fi
grep -q 'not finite' said2 && [ -s crash/result.h5 ] || fail "$(cat said2)"
grep -q 'crashed its child process\|AddressSanitizer' said || fail "$(cat said)"

# Archives and descriptions that are hostile, damaged or of another kind: refused by name, and nothing is written elsewhere.
cat >wrong <<'END'
token refuses to be instantiated
tool needs an external tool
version neither 2 nor 3
identifier not an identifier
cut description of the FMU is refused
entities declares entities
deep nested too deeply
huge 'modelDescription.xml' is too large
exchange does not support co-simulation
empty no modelDescription.xml
traversal leaves the folder
absolute is absolute
backslash not a plain path
control its entry 'resources/?.2Jgone' has control characters
link is a link
linked-folder is a link
twice appears twice
crowd contains 10003 files; the limit is 10000
encrypted is encrypted
lzma compression that FMI does not permit
bomb 'resources/zeros' is too large
liar 'resources/zeros' is damaged
nobinary no binary for this machine
windows the FMU has win64
machine no binary for this machine
nozip not a ZIP archive
END
$python -W ignore "$here/pack_fmu.py" "$(cut -d ' ' -f 1 wrong | tr '\n' ',')zip64,damaged" spring.so .
while read -r kind text; do refused $kind "$text"; done <wrong
"$IFD_PROGRAM" fmu zip64.fmu --steps 0 --quiet || fail 'an archive with 64-bit sizes is refused'
if "$IFD_PROGRAM" fmu damaged.fmu --steps 10 --quiet 2>said; then :; else [ -s said ] || fail 'damaged: nothing was said'; fi
[ ! -e ../escaped.txt ] && [ ! -e escaped.txt ] || fail 'a file escaped'
[ -z "$(ls -d interfield-[af]* 2>/dev/null)" ] || fail "folders were left behind: $(ls -d interfield-[af]*)"
echo fine
