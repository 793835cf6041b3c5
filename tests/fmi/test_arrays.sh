#!/bin/sh
# SPDX-License-Identifier: MIT
# Arrays of FMI 3 by their elements, and variables of single precision: listed, set, read and joined, here and in a process of their own.
# INTERFIELD_REFERENCE_FMUS names a folder with the Reference FMUs (fmi3/StateSpace.fmu, fmi2 and fmi3/Feedthrough.fmu), which are tried as well.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR="$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
here=$IFD_SOURCE_DIR/tests/fmi
fail() { echo "test_fmu_arrays: $*" >&2; exit 1; }
${CC:-cc} -shared -fPIC -O1 -w -o vector.so "$here/fmus/vector.c"
$python "$here/pack_vector.py" vector.so vector.fmu

"$IFD_PROGRAM" fmu vector.fmu --steps 500 --step 1 --json >facts.json || fail 'not fit'
$python - <<'END2' || fail "$(cat facts.json)"
import json
d = json.load(open("facts.json"))
assert [v["name"] for v in d["variables"]] == ["u[1]", "u[2]", "y[1]", "y[2]", "K[1,1]", "K[1,2]", "K[2,1]", "K[2,2]", "w", "s", "huge", "unknown", "large", "many", "n"], d
s = {(s["output"], s["input"]): s["value"] for s in d["slopes"]}
near = lambda a, b, tolerance: abs(a - b) < tolerance
assert near(s["y[1]", "u[1]"], 10, 1e-9) and near(s["y[1]", "u[2]"], 2, 1e-9) and near(s["y[2]", "u[1]"], 3, 1e-9) and near(s["y[2]", "u[2]"], 20, 1e-9) and near(s["s", "w"], 3, 1e-5), s
assert len(s) == 5 and d["quality"]["fit"] and d["quality"]["rolled_back"], d
END2

# It ends as an FMU 2 does (test_import.sh) that asks for the end.
if VECTOR_ENDS=1 "$IFD_PROGRAM" fmu vector.fmu --steps 500 --step 1 >said; then fail 'an FMU 3 that asks for the end is called fit'; fi
grep -q 'join): it requests the end of the simulation' said || fail "$(cat said)"

# As a specimen: element 2 of the input, of the output and of the matrix; in single precision to its round-off.
cat >own.yaml <<'END2'
time: {step: 1 ms, end: 1 s}
model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m, stiffness: 50 N/m}
initial: {displacement: {x: 10 mm}}
specimen:
  - {name: s, spring: {between: [ground, x], stiffness: 45 N/m}}
END2
sed "s|spring: .*|fmu: {between: [ground, x], file: vector.fmu, input: 'u[2]', output: 'y[2]', parameters: 'K[2,2] = 45'}}|" own.yaml >array.yaml
sed 's|45.}|45'"'"', isolated: yes}|' array.yaml >apart.yaml
sed "s|spring: .*|fmu: {between: [ground, x], file: vector.fmu, input: w, output: s}}|" own.yaml >single.yaml
for kind in own array apart single; do "$IFD_PROGRAM" run $kind.yaml --out $kind --quiet || fail "the run of $kind"; done
"$IFD_PROGRAM" run own.yaml --set specimen.0.spring.stiffness=3N/m --out soft --quiet
"$IFD_PROGRAM" compare own array --columns 'x displacement,x velocity' --tolerance 1e-13 --quiet || fail 'an array is another spring'
"$IFD_PROGRAM" compare array apart --tolerance 0 --quiet || fail 'an array is another spring in another process'
"$IFD_PROGRAM" compare soft single --columns 'x displacement,x velocity' --tolerance 1e-6 --quiet || fail 'single precision is another spring'

# Arrays that are not used are refused by name, whole or by an element: as an output, as a parameter, in a joint.
"$IFD_PROGRAM" fmu vector.fmu --steps 0 >said || fail 'the list'
grep -q 'output *large .*(array with more than 64 numbers' said || fail "$(cat said)"
for output in large 'large[3]'; do
    sed "s|spring: .*|fmu: {between: [ground, x], file: vector.fmu, input: 'u[2]', output: '$output'}}|" own.yaml >large.yaml
    if "$IFD_PROGRAM" check large.yaml --load >said 2>&1; then fail "$output is taken"; fi
    grep -qF "has no output '$output' that is one real number: it is an array of more than 64 numbers" said || fail "$output: $(cat said)"
done
sed "s|K\[2,2\] = 45|many[70] = 1|" array.yaml >large.yaml
if "$IFD_PROGRAM" check large.yaml --load >said 2>&1; then fail 'a parameter of a large array is taken'; fi
grep -q "has no parameter 'many\[70\]' that is one real number: it is an array" said || fail "$(cat said)"
cat >joint.yaml <<'END2'
time: {step: 1 ms, end: 1 s}
substructures:
  base: {model: {dofs: [x], mass: 2 kg, stiffness: 50 N/m}}
  vector: {fmu: vector.fmu}
joints: ['base.x = vector.large[1]/u[1]']
coupling: fmu
END2
if [ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; then # the model of the other part is exported
    if "$IFD_PROGRAM" check joint.yaml --load >said 2>&1; then fail 'a joint at a large array is taken'; fi
    grep -q "the FMU of substructure 'vector' has no output 'large\[1\]' that is one real number: it is an array" said || fail "$(cat said)"
fi

for end in large/u[1] large[3]/u[1]; do # on the command line with the same reason
    if "$IFD_PROGRAM" join vector.fmu vector.fmu --joint "A.$end=B.y[1]/u[1]" --step 1 >said 2>&1; then fail "join takes $end"; fi
    grep -qF "the FMU A has no output '${end%/*}' with a single real value: it is an array of more than 64 numbers" said || fail "join $end: $(cat said)"
done

# Foreign FMUs with a fitting input and output: a state of three unit feedthroughs, springs of unit compliance.
if [ -z "${INTERFIELD_REFERENCE_FMUS-}" ]; then
    echo 'skipped: INTERFIELD_REFERENCE_FMUS names no folder'
else
    "$IFD_PROGRAM" fmu "$INTERFIELD_REFERENCE_FMUS/fmi3/StateSpace.fmu" --steps 500 --step 0.01 --json >facts.json || fail "StateSpace: $(cat facts.json)"
    $python -c 'import json; d = json.load(open("facts.json")); assert {"u[1]", "u[3]", "y[3]", "A[3,3]", "x0[2]"} <= {v["name"] for v in d["variables"]}, d' || fail StateSpace
    for pair in '2 2' '3 3' '2 3'; do
        set -- $pair
        "$IFD_PROGRAM" join "$INTERFIELD_REFERENCE_FMUS/fmi$1/Feedthrough.fmu" "$INTERFIELD_REFERENCE_FMUS/fmi$2/Feedthrough.fmu" \
            --joint 'A.Float64_continuous_output/-Float64_continuous_input=B.Float64_continuous_output/-Float64_continuous_input' --step 0.01 --end 0.5 --json >joined.json || fail "join $pair"
        $python -c 'import json; d = json.load(open("joined.json")); assert d["outcome"] == "completed" and d["gap"] < 1e-12, d' || fail "$(cat joined.json)"
    done
    if [ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; then # a model of ours on the unit spring, and on one line of a state space
        cat >mass.yaml <<'END2'
time: {step: 10 ms, end: 2 s}
method: newmark
model: {dofs: [x], mass: 3 kg, stiffness: 200 N/m, damping: 0.5 N s/m}
loads: [{at: x, force: {sine: {amplitude: 5 N, frequency: 1.3 Hz}}}]
END2
        "$IFD_PROGRAM" run mass.yaml --set model.stiffness=201N/m --out sum --csv --quiet
        for version in 2 3; do
            "$IFD_PROGRAM" export-fmu mass.yaml -o mass.fmu --fmi $version --interface x --quiet
            "$IFD_PROGRAM" join mass.fmu "$INTERFIELD_REFERENCE_FMUS/fmi$version/Feedthrough.fmu" --joint 'A.d[1]=B.Float64_continuous_output/-Float64_continuous_input' --end 2 -o joined.csv \
                --softness 0 --quiet || fail "a mass on the unit spring, FMI $version"
            $python - <<'END2' || fail "a mass on the unit spring, FMI $version"
import csv
def read(path, wanted):
    rows = [r for r in csv.reader(open(path)) if r and not r[0].startswith("#")]
    at = next(i for i, name in enumerate(rows[0]) if wanted in name)
    return [float(r[at]) for r in rows[1:]]
whole, joined = read("sum/result.csv", "x displacement"), read("joined.csv", "displacement")
error = max(abs(a - b) for a, b in zip(whole, joined)) / max(map(abs, whole))
print("mass on the unit spring: %.1e" % error)
assert len(whole) == len(joined) == 201 and error < 2e-3, error  # the spring is exact, average acceleration is of second order
END2
            rm mass.fmu joined.csv
        done
    fi
fi
echo fine
