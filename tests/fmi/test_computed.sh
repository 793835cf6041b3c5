#!/bin/sh
# SPDX-License-Identifier: MIT
# What export-fmu makes of a case with specimens is the part that a test computes: without the mass that the case leaves to the rig, with every device that a tested one stands for.
set -eu
[ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ] || { echo 'skipped: builds with sanitizers have no runtime to export'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
fail() { echo "test_fmu_computed: $*" >&2; exit 1; }
slopes() { # FMU: accelerations by unit inputs, into slopes.json
    "$IFD_PROGRAM" fmu "$1" --steps 10 --json >slopes.json || true # how long it takes is the machine's business
}

# 2 t, of which 0.5 t stand on the rig; three devices. The ground shakes all of the mass.
cat >case.yaml <<'END'
time: {step: 1 ms, end: 1 s}
method: newmark
model: {dofs: [x, y], mass: [2 t, 1 t], stiffness: [[2e6, -1e6], [-1e6, 1e6]]}
ground: {motion: kanai-tajimi, peak: 0.1 g}
specimen:
  - name: damper
    spring: {between: [ground, x], stiffness: 1e5 N/m}
    devices: 3
    mass-on-rig: {mass: 0.5 t, handled: left}
    limits: {stroke: 50 mm, velocity: 0.5 m/s, acceleration: 20 m/s2}
test: {rig: virtual}
END
sed 's/newmark/lsrt2/' case.yaml >c.yaml
sed 's/handled: left/handled: taken-out/' c.yaml >taken-out.yaml
sed '/mass-on-rig/d; s/devices: 3/devices: 1/' c.yaml >plain.yaml
for name in c taken-out plain; do
    for version in 2 3; do
        "$IFD_PROGRAM" export-fmu $name.yaml --fmi $version -o $name-$version.fmu >said || fail "$name: $(cat said)"
        [ $name != c ] || { grep -q "500 kg of 'damper'" said && grep -q 'f\[1\] is the force of one of 3' said; } || fail "$(cat said)"
        slopes $name-$version.fmu
        $python - $name <<'END' || fail "$name, FMI $version"
import json, sys
s = {(s["output"], s["input"]): s["value"] for s in json.load(open("slopes.json"))["slopes"]}
computed = {"c": 1500, "taken-out": 2000, "plain": 2000}[sys.argv[1]]
devices = 1 if sys.argv[1] == "plain" else 3
near = lambda found, expected: abs(found - expected) < 1e-12 * abs(expected)
assert near(s["a[1]", "f[1]"], -devices / computed), s
assert near(s["acceleration.x", "ground.x"], -2000 / computed), s
assert near(s["acceleration.y", "ground.x"], -1), s
END
    done
done
unzip -p c-2.fmu modelDescription.xml 2>/dev/null >d.xml || $python -c 'import zipfile; print(zipfile.ZipFile("c-2.fmu").read("modelDescription.xml").decode())' >d.xml
grep -q 'damper; for one of 3 devices, all of which act; held over the communication step' d.xml || fail "$(grep 'f\[1\]' d.xml)"

# The FMU with the specimen outside moves as the case does in a run with an ideal specimen: the spring of three devices and the mass of the rig, as one more FMU.
cat >rig.yaml <<'END'
time: {step: 1 ms, end: 1 s}
method: newmark
model: {dofs: [s], mass: 0.5 t, stiffness: 3e5 N/m}
END
cat >one.yaml <<'END'
time: {step: 1 ms, end: 1 s}
method: newmark
model: {dofs: [x, y], mass: [2 t, 1 t], stiffness: [[2.3e6, -1e6], [-1e6, 1e6]]}
ground: {motion: kanai-tajimi, peak: 0.1 g}
END
sed 's/newmark/mg-alpha: {rho: 1}/; s/^method: .*/method: {mg-alpha: {rho: 1}}/; s/devices: 3/devices: 1/' case.yaml >single.yaml
"$IFD_PROGRAM" export-fmu single.yaml -o single.fmu --quiet
"$IFD_PROGRAM" export-fmu rig.yaml --interface s -o rig.fmu --quiet
"$IFD_PROGRAM" join single.fmu rig.fmu --joint 'A.d[1]=B.d[1]' --softness 0 --end 1 -o joined.csv --quiet
"$IFD_PROGRAM" run one.yaml --out one --csv --quiet
$python - <<'END'
import csv
def read(path, wanted):
    rows = [r for r in csv.reader(open(path)) if r and not r[0].startswith("#")]
    at = next(i for i, name in enumerate(rows[0]) if wanted in name)
    return [float(r[at]) for r in rows[1:]]
whole, joined = read("one/result.csv", "x displacement"), read("joined.csv", "displacement")
error = max(abs(a - b) for a, b in zip(whole, joined)) / max(map(abs, whole))
print("computed part and rig against the whole: %.1e" % error)
assert len(whole) == len(joined) == 1001 and error < 1e-11, error
END

# Without a test nothing is left to a rig: the mass stays, and that is said.
sed '/^test/d' c.yaml >untested.yaml
"$IFD_PROGRAM" export-fmu untested.yaml -o untested.fmu >said 2>&1 || fail "$(cat said)"
grep -q "'mass-on-rig' has no effect without 'test'" said || fail "$(cat said)"
slopes untested.fmu
$python -c 'import json; s = {(s["output"], s["input"]): s["value"] for s in json.load(open("slopes.json"))["slopes"]}; assert abs(2000 * s["a[1]", "f[1]"] + 3) < 1e-12, s' || fail 'mass without a test'

# Without a specimen there is no interface, unless it is named or none is wanted.
sed '/^specimen/,$d' c.yaml >bare.yaml
if "$IFD_PROGRAM" export-fmu bare.yaml -o bare.fmu 2>said; then fail 'a case without interface was exported'; fi
grep -q 'has no specimen' said && grep -q 'choose dofs with --interface, or use --no-interface' said && [ ! -e bare.fmu ] || fail "$(cat said)"
"$IFD_PROGRAM" export-fmu bare.yaml -o bare.fmu --no-interface --quiet || fail 'none was wanted'
"$IFD_PROGRAM" export-fmu bare.yaml -o roof.fmu --interface y --quiet || fail 'one was named'
if "$IFD_PROGRAM" export-fmu bare.yaml -o both.fmu --interface y --no-interface 2>said; then fail 'both were taken'; fi

# A first-order dof (the joint of a Maxwell element) is no place for a force from outside, and none of the case may act on it.
cat >maxwell.yaml <<'END'
time: {step: 1 ms, end: 1 s}
method: newmark
initial: {displacement: {u: 10 mm}}
model:
  dofs: [u, j]
  mass: [6 kg, 0]
  elements:
    - {spring: {between: [ground, u], stiffness: 2000 N/m}}
    - {spring: {between: [u, j], stiffness: 3000 N/m}}
    - {dashpot: {between: [j, ground], damping: 300 N s/m}}
record: [u, j]
END
if "$IFD_PROGRAM" export-fmu maxwell.yaml -o j.fmu --interface j 2>said; then fail 'a force input on a first-order dof was taken'; fi
grep -q "dof 'j' was condensed, is the slave of a tie or is a first-order state; an external force cannot act on it" said && [ ! -e j.fmu ] || fail "$(cat said)"
grep -q 'add a mass at this dof' said || fail "$(cat said)"
{ cat maxwell.yaml; echo 'loads: [{at: j, force: {sine: {amplitude: 10 N, frequency: 2 Hz}}}]'; } >loaded.yaml
if "$IFD_PROGRAM" export-fmu loaded.yaml -o j.fmu --interface u 2>said; then fail 'a force on a first-order dof was exported'; fi
grep -q 'a force of the case acts on a dof without mass (first-order dof 1 (j))' said && grep -q 'give this dof mass' said || fail "$(cat said)"

# With the force at the mass it is right: joined to 4 kg at rest it moves as the Maxwell oscillator of 10 kg does in a run.
"$IFD_PROGRAM" export-fmu maxwell.yaml -o u.fmu --interface u >said || fail "$(cat said)"
grep -q '1 recorded first-order dof is not an output' said || fail "$(cat said)"
cat >four.yaml <<'END'
time: {step: 1 ms, end: 1 s}
method: newmark
initial: {displacement: {m: 10 mm}}
model: {dofs: [m], mass: 4 kg}
END
"$IFD_PROGRAM" export-fmu four.yaml --interface m -o four.fmu --quiet
"$IFD_PROGRAM" join u.fmu four.fmu --joint 'A.d[1]=B.d[1]' --softness 0 --end 1 -o maxwell.csv --quiet
sed 's/6 kg/10 kg/' maxwell.yaml >ten.yaml
"$IFD_PROGRAM" run ten.yaml --out ten --csv --quiet
$python - <<'END' || fail 'a first-order state in an FMU'
import csv
def read(path, wanted):
    rows = [r for r in csv.reader(open(path)) if r and not r[0].startswith("#")]
    at = next(i for i, name in enumerate(rows[0]) if wanted in name)
    return [float(r[at]) for r in rows[1:]]
whole, joined = read("ten/result.csv", "u displacement"), read("maxwell.csv", "displacement")
error = max(abs(a - b) for a, b in zip(whole, joined)) / 0.01
print("Maxwell element in an FMU against the whole: %.1e" % error)
assert len(whole) == len(joined) == 1001 and error < 1e-11, error
END

# A specimen that is a model is on the rig in a test, and inside the FMU without one: both are said.
cat >mounted.yaml <<'END'
time: {step: 2 ms, end: 1 s}
model: {dofs: [x, y], mass: [1 t, 1 t], stiffness: [[2e6, -1e6], [-1e6, 1e6]]}
specimen:
  - name: tank
    model: {dofs: [m], mass: 10 kg, supports: {base: {follows: x}}, elements: [{spring: {between: [base, m], stiffness: 1e5}}]}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 100 kN}
test: {rig: virtual}
END
sed '/^test/d' mounted.yaml >inside.yaml
"$IFD_PROGRAM" export-fmu mounted.yaml -o mounted.fmu >said 2>&1 || fail "$(cat said)"
grep -q "^excluded  *specimen 'tank', a model, which is on the rig" said || fail "$(cat said)"
! "$IFD_PROGRAM" export-fmu inside.yaml -o inside.fmu >said 2>&1 || fail 'an FMU without inputs'
grep -q "the specimen of 'inside.yaml' is a model, which the FMU computes with the structure" said || fail "$(cat said)"
"$IFD_PROGRAM" export-fmu inside.yaml --interface y -o inside.fmu >said 2>&1 || fail "$(cat said)"
grep -q '^included  *1 specimen, which is a model' said || fail "$(cat said)"
echo fine
