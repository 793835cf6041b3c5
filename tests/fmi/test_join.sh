#!/bin/sh
# SPDX-License-Identifier: MIT
# Parts exported as FMUs and joined again, without softness: the same motion as the whole, by the same method, to round-off. An exported FMU stepped
# by the importer: the bits of a run.
set -eu
[ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ] || { echo 'skipped: builds with sanitizers have no runtime to export'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
fail() { echo "test_fmu_join: $*" >&2; exit 1; }

# A frame of three floors and a mast of two masses on it, in parts and as one. The mast stands on a base that is a dof of its own.
common='time: {step: 5 ms, end: 4 s}
method: newmark
ground: {motion: kanai-tajimi, peak: 0.3 g}'
cat >frame.yaml <<END
$common
model: {shear-building: {mass: [3 t, 3 t, 2 t], stiffness: 4 MN/m, damping: 8 kN s/m}}
END
cat >mast.yaml <<END
$common
model: {dofs: [base, low, top], mass: [0.5 t, 0.3 t, 0.2 t], damping: [[4e2, -4e2, 0], [-4e2, 7e2, -3e2], [0, -3e2, 3e2]],
        stiffness: [[3e5, -3e5, 0], [-3e5, 5e5, -2e5], [0, -2e5, 2e5]]}
END
cat >whole.yaml <<END
$common
model: {dofs: [f1, f2, f3, low, top], mass: [3 t, 3 t, 2.5 t, 0.3 t, 0.2 t],
        damping: [[16e3, -8e3, 0, 0, 0], [-8e3, 16e3, -8e3, 0, 0], [0, -8e3, 8.4e3, -4e2, 0], [0, 0, -4e2, 7e2, -3e2], [0, 0, 0, -3e2, 3e2]],
        stiffness: [[8e6, -4e6, 0, 0, 0], [-4e6, 8e6, -4e6, 0, 0], [0, -4e6, 4.3e6, -3e5, 0], [0, 0, -3e5, 5e5, -2e5], [0, 0, 0, -2e5, 2e5]]}
END
"$IFD_PROGRAM" run whole.yaml --out whole --csv --quiet
for version in 2 3; do
    "$IFD_PROGRAM" export-fmu frame.yaml -o frame$version.fmu --fmi $version --interface floor3 --quiet
    "$IFD_PROGRAM" export-fmu mast.yaml -o mast$version.fmu --fmi $version --interface base --quiet
done
for pair in '2 2' '3 3' '2 3'; do
    set -- $pair
    "$IFD_PROGRAM" join frame$1.fmu mast$2.fmu --joint 'A.d[1]=B.d[1]' --softness 0 --end 4 -o joined$1$2.csv --quiet || fail "FMI $pair"
done
$python - <<'END'
import csv
def read(path, wanted):
    with open(path) as f:
        rows = [r for r in csv.reader(f) if r and not r[0].startswith("#")]
    at = next(i for i, name in enumerate(rows[0]) if wanted in name)
    return [float(r[at]) for r in rows[1:]]
whole = read("whole/result.csv", "f3 displacement")
most = max(map(abs, whole))
for pair in ("22", "33", "23"):
    joined = read("joined%s.csv" % pair, "displacement")
    assert len(whole) == len(joined) == 801, (len(whole), len(joined))
    error = max(abs(a - b) for a, b in zip(whole, joined)) / most
    print("joined against whole: %.2e of the peak of %.3g m" % (error, most))
    assert most > 1e-3 and error < 1e-12, error
END
for version in 2 3; do # a derivative as the FMU tells it: 1/m of the base
    "$IFD_PROGRAM" fmu mast$version.fmu --steps 10 --json >facts.json || true # how long it takes is the machine's business
    $python -c 'import json; s = {(s["output"], s["input"]): s["value"] for s in json.load(open("facts.json"))["slopes"]}
assert abs(500 * s["a[1]", "f[1]"] + 1) < 1e-14 and abs(s["acceleration.top", "ground.x"] + 1) < 1e-14, s' || fail 'derivatives'
done
if "$IFD_PROGRAM" join frame2.fmu mast3.fmu --joint 'A.d[1]=B.d[1]' --step 7e-3 --end 0.03 2>said; then fail 'another step'; fi
grep -q 'only makes steps of 0.005 s: the exchange step of 0.007 s is not a multiple' said || fail "$(cat said)"
"$IFD_PROGRAM" join frame2.fmu mast3.fmu --joint 'A.d[1]=B.d[1]' --softness 0 --end 4 --isolated -o apart.csv --quiet || fail isolated
for file in apart.csv none/apart.csv; do
    "$IFD_PROGRAM" join frame2.fmu mast3.fmu --joint 'A.d[1]=B.d[1]' --softness 0 --end 4 -o $file 2>>said && fail "wrote $file"
done
grep -q "'apart.csv' exists; no file is overwritten" said && grep -q "'none/apart.csv' cannot be written: No such file" said || fail "$(cat said)"
cmp joined23.csv apart.csv || fail 'processes of their own give other bits'

# As parts of a case: a model and an FMU, two FMUs, both in processes of their own. Every dof as in the whole.
cat >mixed.yaml <<END
$common
substructures:
  frame: {model: {shear-building: {mass: [3 t, 3 t, 2 t], stiffness: 4 MN/m, damping: 8 kN s/m}}}
  mast: {fmu: mast2.fmu}
joints: ['frame.floor3 = mast.d[1]']
coupling: {fmu: {softness: 0}}
END
sed 's|frame: {model.*|frame: {fmu: frame3.fmu}|; s|frame.floor3|frame.d[1]/f[1]|' mixed.yaml >foreign.yaml
sed 's|\.fmu}|.fmu, isolated: yes}|' foreign.yaml >apart.yaml
# FMUs that carry no ground motion get that of the case, and one that carries another can be given it instead.
for part in frame:floor3 mast:base; do
    sed '/^ground/d' ${part%:*}.yaml >still.yaml
    "$IFD_PROGRAM" export-fmu still.yaml -o still-${part%:*}.fmu --interface ${part#*:} --quiet
done
"$IFD_PROGRAM" export-fmu mast.yaml --set 'ground={signal: {sine: {amplitude: 1 g, frequency: 3 Hz}}}' -o shaken.fmu --fmi 3 --interface base --quiet
sed 's|mast2|still-mast|' mixed.yaml >fed.yaml
sed 's|mast2|still-mast|; s|frame3|still-frame|' foreign.yaml >fed-both.yaml
sed 's|mast2.fmu|shaken.fmu, ground: case, isolated: yes|' mixed.yaml >fed-instead.yaml
"$IFD_PROGRAM" export-fmu mast.yaml --set 'ground.peak=0.6 g' -o doubled.fmu --interface base --quiet
sed "s|mast2.fmu|doubled.fmu, parameters: 'ground_scale = 0.5'|" mixed.yaml >halved.yaml
for kind in mixed foreign apart fed fed-both fed-instead halved; do
    "$IFD_PROGRAM" run $kind.yaml --out $kind --csv --quiet || fail "the run of $kind"
done
$python - mixed foreign apart fed fed-both fed-instead halved <<'END'
import csv, json, sys
def read(path):
    with open(path) as f:
        rows = [r for r in csv.reader(f) if r and not r[0].startswith("#")]
    return {name.split(" [")[0]: [float(r[i]) for r in rows[1:]] for i, name in enumerate(rows[0])}
whole = read("whole/result.csv")
pairs = {"f1": "frame.floor1", "f2": "frame.floor2", "f3": "frame.floor3", "low": "mast.low", "top": "mast.top"}
for kind in sys.argv[1:]:
    parts = read(kind + "/result.csv")
    for one, other in pairs.items():
        for what in ("displacement", "velocity"):
            a, b = whole[one + " " + what], parts[other + " " + what]
            assert len(a) == len(b) == 801
            error = max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, a))
            assert error < 1e-12, (kind, one, what, error)
    summary = json.load(open(kind + "/summary.json"))
    assert summary["outcome"] == "completed" and summary["method"]["name"] == "fmu" and summary["joint_gap"]["displacement"] < 1e-15
END
sed 's|mast2.fmu|still-mast.fmu, ground: own|' mixed.yaml >unfed.yaml
"$IFD_PROGRAM" run unfed.yaml --out unfed --csv --quiet
if "$IFD_PROGRAM" compare mixed unfed --columns 'mast.top displacement' --tolerance 1e-3 --quiet; then fail "'ground: own' was not heeded"; fi
"$IFD_PROGRAM" report mixed --quiet && [ -s mixed/report.html ] || fail 'no report'
grep -q '>FMU mast2.fmu<' mixed/report.html && grep -q '>joint<' mixed/report.html || fail 'the FMU and its joint are not drawn'
"$IFD_PROGRAM" check mixed.yaml --quiet || fail 'check'
for command in stability modes test export-fmu; do
    if "$IFD_PROGRAM" $command mixed.yaml --quiet 2>said; then fail "$command took FMUs"; fi
    grep -q 'needs their models' said || fail "$command: $(cat said)"
done
sed 's|mast.d\[1\]|mast.d[9]|' mixed.yaml >no-end.yaml
if "$IFD_PROGRAM" run no-end.yaml --quiet 2>said; then fail 'an end that is not there'; fi
grep -q "no-end.yaml:7:.*the FMU of substructure 'mast' has no output 'd\[9\]'" said || fail "$(cat said)"
if "$IFD_PROGRAM" join frame2.fmu mast2.fmu --joint 'A.d[1]=C.d[1]' 2>said; then fail 'a joint to nobody'; fi
grep -q "expected 'A.d" said || fail "$(cat said)"
if "$IFD_PROGRAM" join frame2.fmu mast2.fmu --joint 'A.d[7]=B.d[1]' 2>said; then fail 'a joint at nothing'; fi
grep -q "has no output 'd\[7\]' with a single real value; " said || fail "$(cat said)"
echo fine
