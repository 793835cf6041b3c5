#!/bin/sh
# SPDX-License-Identifier: MIT
# interfield energy: balances of runs and tests against closed forms, and what is said of a result without energies. Sees IFD_PROGRAM,
# IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# value NAME MEMBER: of a row in the JSON on stdout; near NAME MEMBER VALUE TOLERANCE
value() {
    k=0
    while name=$(at "/energies/$k/name" 2>/dev/null) && [ -n "$name" ]; do
        [ "$name" != "$1" ] || { at "/energies/$k/$2"; return; }
        k=$((k + 1))
    done
}
near() {
    awk -v got="$(value "$1" "$2")" -v want="$3" -v tolerance="$4" \
        'BEGIN { d = got - want; exit !(got != "" && d <= tolerance && -d <= tolerance) }' ||
        fail "$1 $2 is '$(value "$1" "$2")', expected $3 within $4"
}

# m = 4 kg, c = 8 N s/m, k = 400 N/m, 0.1 m at the start: 2 J there. omega^2 = 100, zeta omega = 1: after 20 s less than 2 J exp(-40) is
# left, so all of it is dissipated. The average acceleration method balances a linear system; what is left is the trapezoidal rule of the
# dissipated work, c v^2 at 20 rad/s: (20 rad/s h)^2 / 12 = 8.3e-4 of 2 J at most.
cat >damped.yaml <<'END'
title: Damped oscillator
time: {step: 5 ms, end: 20 s}
method: newmark
model: {dofs: [x], mass: [4], damping: [8], stiffness: [400]}
initial: {displacement: {x: 0.1 m}}
END
try 0 run damped.yaml --out damped
try 0 energy damped --json
is /of run
is /unit J
near start end 2 1e-12
near input end 0 0
near kinetic end 0 1e-15
near stored largest 2 1e-12
near stored time 0 0
near dissipated end 2 2e-3
near numerical scale 2 2e-3
# The rows balance: what the method made is the rest, to rounding.
rest=$(awk -v a="$(value start end)" -v b="$(value input end)" -v c="$(value kinetic end)" -v d="$(value stored end)" \
    -v e="$(value dissipated end)" 'BEGIN { printf "%.17g", a + b - c - d - e }')
near numerical end "$rest" 1e-12
is /energies/4/name numerical
cp out whole
[ "$(at /energies/4/relative_error)" = "$(at /energy/relative_error damped/summary.json)" ] ||
    fail "the error is not that of summary.json"
try 0 energy damped
says '^  stored  .* J   2 J at 0 s$'
says '^error    numerical .* % of 2 J$'
try 0 energy damped --quiet
[ ! -s out ] || fail '--quiet says something'

# Without energy columns the summary has those of the end; without both there are none, which is said.
(cat damped.yaml; echo 'record: [displacement]') >bare.yaml
try 0 run bare.yaml --out bare
try 0 energy bare --json
near dissipated end "$(at /energy/dissipated bare/summary.json)" 0
is /energies/0/largest null
try 1 energy bare --out picture.png
complains "'picture.png' is not drawn: the result contains only the energies at its end"
mv bare/summary.json summary.json
try 2 energy bare
complains "'bare' contains no energies"
try 2 energy bare --json
is /outcome 'bad input'
# Without its summary a run is balanced from its columns.
mv damped/summary.json summary.json
try 0 energy damped --json
near dissipated end 2 2e-3
near numerical scale "$(at /energies/4/scale whole)" 1e-3
cp summary.json damped/summary.json

# A specimen of 200 kN/m that moves from x0 to x1 has absorbed k (x1^2 - x0^2) / 2.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 0.4 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s}
END
try 0 test spring.yaml --as-fast-as-possible --csv --out tested
# The state 'run' in the CSV: first and last measured position.
absorbed=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); if ($i ~ /^spring deformation/) x = i; if ($i ~ /^state/) s = i }; next }
    { n[$s]++; if (n[$s] == 1) from[$s] = $x; to[$s] = $x; if (n[$s] > n[most]) most = $s }
    END { printf "%.17g", 1e5 * (to[most] ^ 2 - from[most] ^ 2) }' tested/result.csv)
try 0 energy tested --json
is /of test
near 'spring absorbed' end "$absorbed" 0.02
near 'spring tracking' end "$(at /rig/spring/tracking_energy tested/summary.json)" 0
near 'spring tracking' scale "$(at /rig/spring/work tested/summary.json)" 0
near 'spring either way' end "$(at /rig/spring/work tested/summary.json)" 0
# A test has the balance of a run: 0.5 (4e5) (10 mm)^2 = 20 J at the start, no load, and its rest is what the method made.
near start end 20 1e-12
near input end 0 0
rest=$(awk -v a="$(value start end)" -v c="$(value kinetic end)" -v d="$(value stored end)" -v e="$(value dissipated end)" \
    -v s="$(value specimens end)" 'BEGIN { printf "%.17g", a - c - d - e - s }')
near numerical end "$rest" 1e-12
for name in input kinetic stored dissipated specimens numerical start; do
    near "$name" end "$(at "/energy/$name" tested/summary.json)" 0
done
near numerical scale "$(at /energy/scale tested/summary.json)" 0
near numerical relative_error "$(at /energy/relative_error tested/summary.json)" 0
# Summary and attribute follow the columns: as the last row has them, and again when the record is recovered.
last=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^energy specimens/) x = i }; END { print $x }' tested/result.csv)
near specimens end "$last" 0
try 0 energy tested
says '^error    numerical .* % of '
says '^error    spring tracking .* % of '
cp -r tested lost
rm lost/result.h5
try 0 recover lost --out again
for name in input kinetic stored dissipated specimens numerical scale relative_error; do
    [ "$(at "/energy/$name" again/summary.json)" = "$(at "/energy/$name" tested/summary.json)" ] ||
        fail "a recovered test has another energy $name"
done

if command -v gnuplot >/dev/null; then
    try 0 energy damped --out energy.svg
    says '^picture  energy.svg'
    for word in '<svg' kinetic stored numerical; do
        grep -q "$word" energy.svg || fail "the picture lacks '$word'"
    done
    try 0 energy tested --out tested.png
    [ "$(head -c 4 tested.png | tail -c 3)" = PNG ] || fail 'no PNG of a test'
fi
try 2 energy nowhere
complains 'RESULT is the folder'
verdict 'energies of runs and tests: fine'
