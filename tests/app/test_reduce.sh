#!/bin/sh
# SPDX-License-Identifier: MIT
# Cases with a reduced model against the same cases with the full one: one model with a specimen, substructures in every coupling, the
# modes, the stability. With IFD_LARGE a space frame of 1,500 dofs, its methods and couplings only (make superelement). Sees IFD_PROGRAM,
# IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# write FILE REDUCE METHOD: a planar frame of 120 dofs, or one of 1,500 in space, with a hysteretic specimen
low=s1c2 high=s2c2 roof=s10c1 member=s4c1-s5c1 dofs=120 beta=100
ground='{signal: {sine: {amplitude: 3, frequency: 1.3 Hz}}}'
frame='frame:
      material: {young: 30 GPa, density: 2.5 t/m3}
      sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}
      grid: {bays: 3 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam, beam-mass: 2 t/m}
    rayleigh: {ratio: 3 %, frequencies: [1 Hz, 20 Hz]}'
if [ -n "${IFD_LARGE:-}" ]; then
    low=s1x2y2 high=s2x2y2 roof=s10x1y1 member=s4x1y1-s5x1y1 dofs=1500 beta=3000
    ground='{motion: kanai-tajimi, peak: 1 g}'
    frame='frame:
      dimension: 3
      material: {young: 30 GPa, density: 2.5 t/m3}
      sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}
      grid: {bays: 4 x 6 m, bays-y: 4 x 6 m, storeys: 10 x 3 m, columns: column, beams: beam}
    rayleigh: {mass: 0.3, stiffness: 0.6 ms}'
fi
write() {
    cat >"$1" <<END
time: {step: 2 ms, end: 4 s}
method: $3
model:
    $frame
    $2
ground: $ground
specimen:
  - name: brace
    bouc-wen: {between: [$low.x, $high.x], stiffness: 20 MN/m, beta: $beta, gamma: $beta, alpha: 0.1}
record: [displacement, base-shear, $roof.x, $low.x, $high.x]
output: {csv: yes}
END
}
# joined FILE REDUCE COUPLING METHOD: the frame with the specimen and a mast on it, coupled
joined() {
    cat >"$1" <<END
time: {step: 2 ms, end: 2 s}
method: $4
substructures:
  tower:
    subcycles: 2
    model:
      $(echo "$frame" | sed '2,$s/^/  /')
      $2
  mast:
    coarse: yes
    model: {dofs: [base, tip], mass: [1 t, 2 t], stiffness: [[4e5, -4e5], [-4e5, 4e5]], rayleigh: {stiffness: 2 ms}}
joints: [tower.$roof.x = mast.base]
coupling: $3
specimen:
  - name: brace
    bouc-wen: {between: [tower.$low.x, tower.$high.x], stiffness: 20 MN/m, beta: $beta, gamma: $beta, alpha: 0.1}
ground: $ground
record: [displacement, tower.$roof.x, mast.tip]
output: {csv: yes}
END
}
# same A B TOLERANCE: the largest difference of each column, of its peak; of forces, which exceed 1, of the largest peak
same() {
    awk -F, -v tolerance="$3" '
        /^[a-z#"]/ { next }
        FNR == NR { for (i = 2; i <= NF; i++) v[FNR, i] = $i; rows = FNR; next }
        { for (i = 2; i <= NF; i++) {
            d = $i - v[FNR, i]; d = d < 0 ? -d : d; p = $i < 0 ? -$i : $i
            if (d > off[i]) off[i] = d
            if (p > peak[i]) peak[i] = p } columns = NF }
        END { for (i = 2; i <= columns; i++) if (peak[i] > force) force = peak[i]
            for (i = 2; i <= columns; i++) if (peak[i] > 1) peak[i] = force
            for (i = 2; i <= columns; i++) if (peak[i] > 0 && off[i] / peak[i] > worst) worst = off[i] / peak[i]
            printf "%s: %g\n", FILENAME, worst
            exit !(rows > 100 && columns >= 3 && peak[2] > 0 && worst <= tolerance) }' "$1/result.csv" "$2/result.csv" ||
        fail "$1 and $2 differ by more than $3"
}

for method in lsrt2 mg-alpha; do
    write full.yaml "" $method
    write small.yaml "reduce: {frequency: 50 Hz, tolerance: 1e-3}" $method
    try 0 run full.yaml --out full-$method
    try 0 run small.yaml --out small-$method
    same full-$method small-$method 1e-3
done
try 0 check small.yaml
grep -q "superelement: $dofs dofs reduced to" out err || fail "the reduction is not reported"
! grep -q 'the bound is that of the linear' out err || fail "a structure without contact has the note of contact"
cat >stop.yaml <<'END'
time: {step: 1 ms, end: 0.2 s}
method: lsrt2
model:
  shear-building: {mass: [2 t, 2 t, 2 t, 2 t, 2 t, 2 t, 2 t, 2 t, 2 t, 1 t], stiffness: 4 MN/m}
  rayleigh: {ratio: 2 %, frequencies: [1 Hz, 20 Hz]}
  elements: [{name: stop, gap: {at: floor10, stiffness: 5 MN/m, gap: 1 mm}}]
  reduce: {frequency: 10 Hz}
loads: [{at: floor10, force: 10 kN}]
record: [displacement, floor10]
END
try 0 check stop.yaml
cat out err | grep -q "up to 10 Hz. Element 'stop' has contact" || fail "the bound is promised with contact"
cat out err | grep -q 'superelement: it keeps 10 of 10 dofs' || fail "a reduction that keeps all dofs is not noted"
try 0 check stop.yaml --set 'model.elements=[{name: stop, spring: {at: floor10, stiffness: 5 MN/m}}]'
! cat out err | grep -q 'has contact' || fail "a spring has the note of contact"

# named A B COLUMN TOLERANCE: one column by its name, of its peak
named() {
    awk -F, -v name="$3" -v tolerance="$4" '
        index($0, name) { for (i = 1; i <= NF; i++) if (index($i, name)) at[FILENAME] = i; next }
        /^[a-z#"]/ { next }
        FNR == NR { v[FNR] = $at[FILENAME]; next }
        { d = $at[FILENAME] - v[FNR]; d = d < 0 ? -d : d; p = v[FNR] < 0 ? -v[FNR] : v[FNR]; rows++
          if (d > off) off = d; if (p > peak) peak = p }
        END { printf "%s: %g of %g\n", name, off / peak, peak; exit !(rows > 100 && peak > 0 && off <= tolerance * peak) }' \
        "$1/result.csv" "$2/result.csv" || fail "$3 of $1 and $2 differ by more than $4"
}

# Forces of a member whose dofs the reduced model does not have: watched rows, with the error bound.
write full.yaml "" lsrt2
write small.yaml "reduce: {frequency: 50 Hz, tolerance: 1e-3}" lsrt2
sed -i "s/^record: .*/record: [displacement, $roof.x, $member]/" full.yaml small.yaml
try 0 run full.yaml --out full-member
try 0 run small.yaml --out small-member
for column in "$member deformation 1" "$member deformation 3" "$member force 1" "$member force 2" "$member force 6"; do
    named full-member small-member "$column [" 1e-3
done
try 2 check small.yaml --set "record=[$roof-$roof]"
complains 'nor a member of a frame'
for coupling in staggered parallel pg-alpha; do
    method=lsrt2
    [ $coupling != pg-alpha ] || method=mg-alpha
    joined full.yaml "" $coupling $method
    joined small.yaml "reduce: {frequency: 50 Hz, tolerance: 1e-3}" $coupling $method
    try 0 run full.yaml --out full-$coupling
    try 0 run small.yaml --out small-$coupling
    same full-$coupling small-$coupling 1e-3
done

if [ -n "${IFD_LARGE:-}" ]; then
    # The specimen yields at 1 / (2 beta) = 0.17 mm: its deformation, columns 3 and 4 of the recorded dofs, is larger by far.
    awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) { if (index($i, "s1x2y2.x displacement")) a = i; if (index($i, "s2x2y2.x displacement")) b = i } next }
        { d = $b - $a; d = d < 0 ? -d : d; if (d > most) most = d }
        END { printf "ductility of the specimen %.0f\n", most / (1 / 6000); exit !(most > 5 / 6000) }' full-lsrt2/result.csv || fail "the specimen does not yield"
    verdict 'a frame of 1,500 dofs with a yielding specimen moves as its superelement'
    exit
fi

# The command compares both forms of a case, also in substructures.
try 0 reduce small.yaml --json
is /models/0/name tower
is /models/0/full_dofs 120
is /check/steps 500
awk -v d="$(at /check/difference)" -v b="$(at /models/0/bound)" 'BEGIN { exit !(d > 0 && d < 1e-3 && b > 0 && b < 1e-3) }' ||
    fail "difference $(at /check/difference), bound $(at /models/0/bound)"
write small.yaml "reduce: {frequency: 5 Hz, order: 8}" lsrt2
try 1 reduce small.yaml
says 'largest difference'
try 0 reduce small.yaml --steps 0
try 2 reduce small.yaml --set model.reduce=none
complains 'no reduced model'

# The first modes of the reduced model are those of the full one.
write full.yaml "" lsrt2
write small.yaml "reduce: {frequency: 20 Hz, tolerance: 1e-3}" lsrt2
try 0 modes full.yaml --json
cp out full.json
first=$(at /modes/0/frequency)
try 0 modes small.yaml --json
awk -v a="$first" -v b="$(at /modes/0/frequency)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= 1e-12 * a * a) }' ||
    fail "the first frequency is $(at /modes/0/frequency), expected $first"

# A stored superelement gives the same bits: with the full structure beside it, and alone, also in an FMU. The specimen
# is on interface dofs.
write small.yaml "reduce: {frequency: 50 Hz, tolerance: 1e-3}" lsrt2
try 0 reduce small.yaml --steps 100 --out tower.h5
says 'tower.h5'
try 2 reduce small.yaml --steps 0 --out tower.h5
complains 'not overwritten'
write stored.yaml "reduce: {file: tower.h5}" lsrt2
sed '/^ *frame:/,/^ *reduce:/c\    superelement: tower.h5' stored.yaml >alone.yaml
grep -q 'frame' alone.yaml && fail "the frame is still in alone.yaml"
for name in small stored alone; do
    try 0 run $name.yaml --out same-$name
    cmp same-small/result.csv same-$name/result.csv || fail "$name.yaml differs from small.yaml"
done
if [ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; then # builds with sanitizers have none
    for name in small stored alone; do
        try 0 export-fmu $name.yaml --identifier tower --out $name.fmu
        try 0 fmu $name.fmu --steps 100
    done
fi
try 0 matrices alone.yaml -o matrices
try 0 replay same-alone
grep -q '"matrices_hash"' same-small/summary.json || fail "the summary has no hash of the full matrices"
for key in bound full_dofs matrices_hash; do
    for name in stored alone; do
        [ "$(grep "\"$key\"" same-small/summary.json)" = "$(grep "\"$key\"" same-$name/summary.json)" ] || fail "$key of $name"
    done
done
try 0 report same-small
grep -q 'from ground x to displacement of s1c2.x' same-small/report.html || fail "the report has no transfer function"
grep -q 'full model' same-small/report.html || fail "the report has no transfer function of the full model"
try 0 modes alone.yaml --json
awk -v a="$first" -v b="$(at /modes/0/frequency)" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= 1e-12 * a * a) }' ||
    fail "the first frequency of alone.yaml is $(at /modes/0/frequency), expected $first"
try 0 reduce alone.yaml
says 'no comparison'
sed 's/3 x 6 m/3 x 5 m/' stored.yaml >other.yaml
try 2 check other.yaml
complains 'other mass, damping or stiffness matrices'
sed 's/s10c1.x/s9c1.x/' stored.yaml >other.yaml
try 2 check other.yaml
complains 's9c1.x'
try 2 check stored.yaml --set model.reduce.frequency=60Hz
complains 'valid up to 50 Hz'
sed 's/^    superelement/    shear-building: {mass: [1 t], stiffness: 1 MN\/m}\n&/' alone.yaml >other.yaml
try 2 check other.yaml
complains 'whole structure'
cp tower.h5 whole.h5
printf X | dd of=tower.h5 bs=1 seek=4000 conv=notrunc 2>/dev/null
try 2 check alone.yaml
complains 'damaged'

verdict 'reduced cases move as full ones'
