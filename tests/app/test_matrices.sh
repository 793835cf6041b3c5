# SPDX-License-Identifier: MIT
# Matrices out of a case, back into one, and out again: the same bytes; and entries against numbers done by hand.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }
cd "$folder"
program=$IFD_PROGRAM
cases=$IFD_SOURCE_DIR/cases

back() { # <folder> [<name of the case>]: a case of nothing but these matrices
    cat >"${2-$1}.yaml" <<Y
time: {step: 1 ms, end: 10 ms}
method: lsrt2
model: {include: $1/model.yaml}
Y
}

# Two storeys: K = [[k1 + k2, -k2], [-k2, k2]], C = a M + b K.
cat >storeys.yaml <<'Y'
time: {step: 1 ms, end: 10 ms}
method: lsrt2
model:
  shear-building: {storeys: [{mass: 2 kg, stiffness: 30 N/m}, {mass: 1 kg, stiffness: 20 N/m}]}
  rayleigh: {mass: 0.5, stiffness: 0.25}
Y
"$program" matrices storeys.yaml -o two --quiet
entries() { grep -v '^%' "$1" | tail -n +2 | tr '\n' ' '; }
[ "$(entries two/M.mtx)" = '1 1 2 2 2 1 ' ] || fail "M is $(entries two/M.mtx)"
[ "$(entries two/K.mtx)" = '1 1 50 2 1 -20 2 2 20 ' ] || fail "K is $(entries two/K.mtx)"
[ "$(entries two/C.mtx)" = '1 1 13.5 2 1 -5 2 2 5.5 ' ] || fail "C is $(entries two/C.mtx)"
[ "$(wc -l <two/dofs.csv)" = 3 ] || fail 'dofs.csv has not one line per dof'

# A frame with rotations, massless dofs condensed.
"$program" matrices "$cases/frame-10/frame.yaml" -o frame --quiet
back frame
"$program" matrices frame.yaml -o again --quiet
for file in M.mtx C.mtx K.mtx dofs.csv; do
    cmp frame/$file again/$file || fail "$file is another after the round trip"
done
"$program" modes frame.yaml --count 3 --json | grep -o '"frequency": *[0-9.e+-]*' >frequencies-back
"$program" modes "$cases/frame-10/frame.yaml" --count 3 --json | grep -o '"frequency": *[0-9.e+-]*' >frequencies
[ "$(wc -l <frequencies)" = 3 ] || fail 'not three frequencies'
cmp frequencies frequencies-back || fail 'the frequencies are others after the round trip'

# The same for every other kind of model: in space, controlled, with pendulums, with modal damping and condensed dofs, cut.
cat >modal.yaml <<'Y'
time: {step: 1 ms, end: 10 ms}
method: lsrt2
model:
  shear-building: {storeys: [{mass: 2 kg, stiffness: 30 N/m}, {mass: 1 kg, stiffness: 20 N/m}, {mass: 1 kg, stiffness: 20 N/m}]}
  modal-damping: [0.02, 0.05, 0.05]
Y
for case in modal.yaml "$cases/frame-3d/two.yaml" "$cases/amd-frame/controlled.yaml" "$cases/shear-pendulum/forced.yaml" \
    "$cases/bridge/pg-alpha.yaml" "$cases/cut-frame-10/staggered.yaml"; do
    rm -rf out again-*
    "$program" matrices "$case" -o out --quiet
    for model in $(find out -name model.yaml); do
        from=$(dirname "$model")
        again=again-$(echo "$from" | tr / -)
        back "$from" "$again"
        "$program" matrices "$again.yaml" -o "$again" --quiet
        for file in M.mtx C.mtx K.mtx dofs.csv; do
            [ ! -e "$from/$file" ] && [ ! -e "$again/$file" ] && continue
            cmp "$from/$file" "$again/$file" || fail "$case: $from/$file is another after the round trip"
            trips=$((${trips-0} + 1))
        done
    done
done
[ "$trips" -gt 30 ] || fail "only $trips matrices went round"

# A folder for every part; what is there is never written over.
"$program" matrices "$cases/split-mass/staggered.yaml" -o parts --json >said.json
[ "$(find parts -name K.mtx | wc -l)" = "$(grep -o '"part"' said.json | wc -l)" ] || fail 'not a folder per part'
if "$program" matrices storeys.yaml -o two 2>said; then fail 'files were written over'; fi
grep -q "already exists" said || fail "said: $(cat said)"

# Elements that are not linear: outside of K, inside with --tangent.
"$program" matrices "$cases/bearing/ground.yaml" -o linear >said
grep -q 'nonlinear and not included' said || fail 'nothing was said of the elements'
"$program" matrices "$cases/bearing/ground.yaml" -o tangent --tangent --quiet
if cmp -s linear/K.mtx tangent/K.mtx; then fail 'the tangent holds no element'; fi

# Dofs without mass: condensed ones (j: 3000 and 1000 N/m in series are 750) and first-order ones (a Maxwell element, 3000 N/m
# locked, none at rest) are named, in text, in --json and beside the matrices.
cat >light.yaml <<'Y'
time: {step: 1 ms, end: 10 ms}
method: lsrt2
model:
  dofs: [u, s, j]
  mass: [10, 0, 0]
  elements:
    - {spring: {between: [ground, u], stiffness: 2000 N/m}}
    - {spring: {between: [u, s], stiffness: 3000 N/m}}
    - {spring: {between: [s, ground], stiffness: 1000 N/m}}
    - {spring: {between: [u, j], stiffness: 3000 N/m}}
    - {dashpot: {between: [j, ground], damping: 300 N s/m}}
Y
"$program" matrices light.yaml -o locked >said
grep -q '^note *condensed: 1 dof (s) ' said || fail "nothing was said of the condensed dof: $(cat said)"
grep -q '^note *first-order: 1 dof (j) .*dashpots locked' said || fail "nothing was said of the first-order dof: $(cat said)"
! grep -q 'nonlinear' said || fail 'a linear structure is called not linear'
[ "$(entries locked/K.mtx)" = '1 1 5750 ' ] || fail "K with the dashpot locked is $(entries locked/K.mtx)"
grep -q '^# first-order: 1 dof (j)' locked/model.yaml || fail 'model.yaml does not name the first-order dof'
"$program" matrices light.yaml -o relaxed --tangent --json >said.json
grep -q 'condensed: 1 dof (s) ' said.json || fail 'the condensed dof is not in --json'
grep -q 'first-order: 1 dof (j) .*dashpots relaxed' said.json || fail 'the first-order dof is not in --json'
grep -q '"first_order": 1' said.json || fail 'the number of first-order states is not in --json'
entries relaxed/K.mtx | awk '{exit !($3 > 2750 - 1e-9 && $3 < 2750 + 1e-9)}' || fail "K with the dashpot relaxed is $(entries relaxed/K.mtx)"

# Modal damping of more than 4,000 dofs: C = C-sparse + Z Z^T gives the lowest modes their ratios.
cat >large.yaml <<'Y'
time: {step: 1 ms, end: 10 ms}
model:
  frame:
    dimension: 3
    material: {young: 30 GPa, density: 2.5 t/m3}
    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}
    grid: {bays: 4 x 6 m, bays-y: 4 x 6 m, storeys: 27 x 3 m, columns: column, beams: beam}
  masses: {s27x1y1: 40 t}
  modal-damping: [5 %, 4 %, 3 %, 2 %]
  modal-count: 4
Y
"$program" matrices large.yaml -o large >said
grep -q 'C-sparse.mtx  C-modal.mtx' said || fail "said: $(cat said)"
[ ! -e large/C.mtx ] && [ ! -e large/model.yaml ] || fail 'a part of the damping matrix looks like the whole'
"$program" modes large.yaml --count 4 --json >modes.json
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/modal_parts.py" || fail 'the parts of the damping matrix are others'

# A structure that another program computes has none.
if "$program" matrices "$cases/opensees/sdof.yaml" -o none 2>said; then fail 'matrices of a structure of others'; fi
grep -q 'OpenSees computes the structure of this case' said || fail "said: $(cat said)"
[ ! -e none ] || fail 'a folder was made for nothing'
echo 'matrices go out and come back'
