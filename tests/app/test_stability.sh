#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: never with sanitizers
# interfield stability and converge on a mass split in two. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >split.yaml <<'END'
title: One mass split in two
time: {step: 250 ms, end: 5 s}
method: {lsrt2: {gamma: plus}}
substructures:
  A:
    model: {dofs: [u], mass: [0.3333333333], stiffness: [0.6666666667]}
    initial: {displacement: {u: 1 m}, velocity: {u: 1 m/s}}
    coarse: yes
  B:
    model: {dofs: [u], mass: [0.6666666667], stiffness: [0.3333333333]}
    initial: {displacement: {u: 1 m}, velocity: {u: 1 m/s}}
    subcycles: 10
joints: [A.u = B.u]
coupling: parallel
END

try 0 stability split.yaml
says stable
says "spectral radius 1.0000"
try 0 stability split.yaml --json
is /states 14
is /zeros 4
is /ones 1
is /stable true
is /scheme parallel
try 0 stability split.yaml --quiet
[ ! -s out ] || fail "--quiet is not"

# unstable for ten subcycles beyond Omega = 21
try 1 stability split.yaml --set 'time.step=5.75 s' --set 'time.end=60 s'
says UNSTABLE
try 0 stability split.yaml --critical
says "first unstable step 5.1"
says "step of the case 250 ms: stable from"
says "windows narrower than 0.2 % of the step"
try 0 stability split.yaml --critical --json
is /critical/found true
is /critical/search adaptive
is /critical/current/stable true
# A window that a scan by 2^(1/4) jumps over: unstable from 20.51 to 21.22.
thin="--set substructures.A.model.mass=[0.0909090909] --set substructures.B.model.mass=[0.9090909091]
    --set substructures.A.model.stiffness=[0.9090909091] --set substructures.B.model.stiffness=[0.0909090909]"
try 0 stability split.yaml --set coupling=staggered --set 'method={lsrt2: {gamma: minus}}' $thin --critical
says "first unstable step 20.5"
says "stable again from 21.2"
try 0 stability split.yaml --resolution 1.05
says "uniform scan; windows narrower than 5 %"
for bad in 1 3 x 1.003x; do
    try 2 stability split.yaml --resolution "$bad"
    [ -s err ] || fail "nothing was said about a resolution of '$bad'"
done

try 0 stability split.yaml --sweep omega=1:100:5 --csv map.csv
says unstable
[ "$(wc -l <map.csv)" = 6 ] || fail "map.csv has $(wc -l <map.csv) lines, expected 6"
try 0 stability split.yaml --sweep ss=1,2,10 --json
is /rows/2/value 10
try 0 stability split.yaml --sweep gamma=0.3:1.7:3
try 0 stability split.yaml --csv roots.csv
[ "$(wc -l <roots.csv)" = 15 ] || fail "roots.csv has $(wc -l <roots.csv) lines, expected 15"

# Steps have units, as everywhere.
try 0 stability split.yaml --sweep dt=250ms:500ms:2 --json
is /rows/0/value 0.25
is /rows/1/step 0.5
try 0 stability split.yaml --sweep 'dt=0.25,500 ms,1 s' --json
is /rows/1/value 0.5
is /rows/2/value 1
try 2 stability split.yaml --sweep dt=250mm:500mm:2
complains "--sweep"
try 2 stability split.yaml --sweep omega=1s:2s:2
complains "--sweep"

for bad in dt=250ms:500ms dt=1ms2,3ms omega=1x,2 omega omega= omega=1:2 omega=1:2:0 omega=0:2:3 omega=1:2:x omega=1,,2 dt=-1 ss=1.5 colour=1; do
    try 2 stability split.yaml --sweep "$bad"
    [ -s err ] || fail "nothing was said about '$bad'"
done
try 1 stability split.yaml --csv /nowhere/map.csv
complains "could not be written"
try 2 stability split.yaml --set substructures.B.subcycles=0.5

# Steps of 250 ms are far from second order, which is a caution.
try 3 converge split.yaml --levels 3
says joints
says multipliers
says 'caution  the observed order is below order 2; the largest steps are coarse'
try 3 converge split.yaml --levels 2 --json
is /parts/2/name joints
is /verdict caution
try 3 converge split.yaml --levels 2 --quiet
# The expected order is that of the combination: LSRT1 in one part makes it first.
try 0 converge split.yaml --levels 3 --set 'coupling=staggered' --set 'substructures.B.method=lsrt1'
says "expected for staggered with lsrt1: order 1"
try 0 converge split.yaml --levels 2 --json --set 'coupling=staggered' --set 'substructures.B.method=lsrt1'
is /order 1
# Every drift rule on offer is of second order over eight levels: no floor. The first steps are too large for an order; a
# gap that a slow feedback closes over many steps makes it larger than two on the way.
while read -r coupling gamma drift; do
    try 0 converge split.yaml --levels 8 --json --set 'time.step=20 ms' --set substructures.B.subcycles=2 \
        --set "method={lsrt2: {gamma: $gamma}}" --set "coupling={$coupling: $drift}"
    for level in 4 5 6 7; do
        for what in 0 1; do
            order=$(at "/levels/$level/order/$what")
            awk -v o="$order" -v last=$((level == 7)) 'BEGIN {exit !(o > 1.9 && o < (last ? 2.1 : 2.3))}' ||
                fail "$coupling, gamma $gamma, $drift: order $order of quantity $what at level $level"
        done
    done
done <<'END'
staggered minus {drift: none}
staggered minus {drift: feedback}
staggered minus {drift: feedback, drift-factor: 0.2}
staggered plus {drift: none}
staggered plus {drift: feedback}
staggered plus {drift: project}
parallel minus {drift: none}
parallel minus {drift: feedback}
parallel minus {drift: feedback, drift-factor: 0.2}
parallel plus {drift: none}
parallel plus {drift: feedback}
parallel plus {drift: project}
END
try 0 modes split.yaml
says "0.1591549"

# A search that takes long says so on a terminal. It is ended as soon as it has.
if on_terminal 'the line of a long search'; then
    script -qec "exec $IFD_PROGRAM stability '$IFD_SOURCE_DIR/cases/cut-frame-10/pg-alpha.yaml' --critical" /dev/null \
        >shown 2>&1 </dev/null &
    searching=$!
    for _ in $(seq 200); do
        grep -a -q 'roots, then the critical step   1 s' shown && break
        sleep 0.1
    done
    grep -a -q 'roots, then the critical step   1 s' shown || fail "nothing was said while the critical step was searched"
    kill "$searching"
    wait "$searching" 2>/dev/null
fi

# A Maxwell element: its joint has no mass and is a first-order state, in every command.
cat >maxwell.yaml <<'END'
title: Spring and dashpot in series
time: {step: 1 ms, end: 1 s}
method: newmark
initial: {displacement: {u: 10 mm}}
model:
  dofs: [u, j]
  mass: [10 kg, 0]
  elements:
    - {name: spring, spring: {between: [ground, u], stiffness: 2000 N/m}}
    - {name: series, spring: {between: [u, j], stiffness: 3000 N/m}}
    - {name: dashpot, dashpot: {between: [j, ground], damping: 300 N s/m}}
record: [displacement, u, j]
END
note='first-order states: j relaxes at 10 1/s'
try 0 modes maxwell.yaml
says 'relaxation    4.20493034 '
says 'oscillation   3.44023792 '
try 0 modes maxwell.yaml --json
is /roots/0/kind relaxation
at /setup_notes/0 | grep -q "$note" || fail "the note is not in --json of modes"
try 0 stability maxwell.yaml
says 'relaxation rate 4.20493034 1/s'
[ "$(cat out err | grep -c "$note")" = 1 ] || fail "the note is not said once"
! grep -q 'linearised' out || fail "a linear structure is called linearised"
try 0 converge maxwell.yaml --levels 3
says 'the reference solution is exact'
says 'order    2.000 in displacement'
try 0 run maxwell.yaml --set method=reference --out maxwell --quiet
at /setup_notes/0 maxwell/summary.json | grep -q "$note" || fail "the note is not in the summary"
at '/peaks/j displacement/final' maxwell/summary.json | grep -q '^0\.000198188401' || fail "u_j at 1 s"
at '/peaks/u displacement/final' maxwell/summary.json | grep -q '^-8\.95259218.*e-0*5' || fail "u at 1 s"

# The same structure in two parts beside a specimen: a.s is condensed, two branches of the rate 10 1/s. A record of the joint in the
# second part has the closed form above in a run and in a test; order 2, so that 2e-5 of the 10 mm is far above 1 ms's own error.
cat >cut.yaml <<'END'
title: Maxwell elements in two parts, beside a specimen
time: {step: 1 ms, end: 1 s}
method: lsrt2
substructures:
  a:
    initial: {displacement: {u: 10 mm}}
    model:
      dofs: [u, s, k]
      mass: [6 kg, 0, 0]
      elements:
        - {spring: {between: [u, s], stiffness: 1000 N/m}}
        - {spring: {between: [s, ground], stiffness: 1000 N/m}}
        - {spring: {between: [u, k], stiffness: 1000 N/m}}
        - {dashpot: {between: [k, ground], damping: 100 N s/m}}
  b:
    initial: {displacement: {u: 10 mm}}
    model:
      dofs: [u, j]
      mass: [4 kg, 0]
      elements:
        - {spring: {between: [u, j], stiffness: 2000 N/m}}
        - {dashpot: {between: [j, ground], damping: 200 N s/m}}
joints: [a.u = b.u]
specimen:
  - name: tested
    spring: {between: [ground, a.u], stiffness: 1500 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 1 kN, tracking: 5 mm}
test: {rig: virtual}
record: [displacement, b.j]
END
near() { # NAME SUMMARY: the displacement at 1 s against the closed form
    at "/peaks/$1 displacement/final" "$2" | awk '{d = $1 - 0.1981884013e-3; exit !(d < 2e-7 && d > -2e-7)}' ||
        fail "$1 in $2 is $(at "/peaks/$1 displacement/final" "$2"), expected 0.0001981884013"
}
try 0 run cut.yaml --out cut-run --quiet
near b.j cut-run/summary.json
! at '/peaks/a.k displacement/final' cut-run/summary.json >/dev/null 2>&1 || fail "a dof that nobody asked for is recorded"
try 0 test cut.yaml --as-fast-as-possible --out cut-test --quiet
near b.j cut-test/summary.json
sed '/name: spring/d; s/^method:.*/method: lsrt2/; s/^record.*/record: [displacement, j]/' maxwell.yaml >beside.yaml
cat >>beside.yaml <<'END'
specimen:
  - name: tested
    spring: {between: [ground, u], stiffness: 2000 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 1 kN, tracking: 5 mm}
test: {rig: virtual}
END
try 0 test beside.yaml --as-fast-as-possible --out beside-test --quiet
near j beside-test/summary.json

# A bounded Jacobian: the verdict of the exact one is marked, and a stiff base is named.
cat >bounded.yaml <<'END'
title: contact with a bounded Jacobian
time: {step: 2 ms, end: 2 s}
method: {lsrt2: {jacobian: bounded}}
ground: {motion: sine, amplitude: 2 m/s2, frequency: 1.3 Hz}
model:
  dofs: [x, y]
  mass: [1000, 900]
  damping: [800, 300]
  stiffness: [4.0e+5, 3.0e+5]
  elements:
    - {name: stop, gap: {between: [ground, x], stiffness: 1e8 N/m, gap: 5 mm}}
specimen:
  - name: tested
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 50 kN, tracking: 10 mm}
test: {rig: virtual}
END
says() { # PATTERN COMMAND
    cat out err | grep -q "$1" || fail "$2 does not say: $1"
}
try 0 stability bounded.yaml
says "caution .*exact Jacobian" "stability with a bounded Jacobian"
try 0 stability bounded.yaml --json
says '"bounded_jacobian": true' "stability --json"
try 0 stability bounded.yaml --set method.lsrt2.jacobian=refactor
! grep -q "exact Jacobian" out || fail "refactor is called bounded"
"$IFD_PROGRAM" preflight bounded.yaml --as-fast-as-possible >out 2>&1 # its verdict also depends on the machine
says "jacobian .*bounded one" "preflight with a bounded Jacobian"
try 0 run bounded.yaml --out bounded-run
says "holds element 'stop' at more than 10 times" "run with a stiff base"

# Too many dofs have elements for a reduction, all roots of the undamped chain are on the unit circle, and Arnoldi's method finds no
# largest one: the answer is that there is none, with a remedy. A quarter of a minute: with IFD_EVERY=1 only (make campaign).
if [ "${IFD_EVERY-}" ]; then
    awk 'BEGIN { n = 1340
        printf "time: {step: 1 ms, end: 1 s}\nmethod: newmark\nmodel:\n  shear-building: {stiffness: 4 MN/m, mass: ["
        for (i = 1; i <= n; i++) printf "1 t%s", i < n ? ", " : "]}\n  elements:\n"
        for (i = 1; i < n - 5; i += 12)
            printf "    - {name: k%d, cubic-spring: {between: [floor%d, floor%d], stiffness: 1 kN/m, epsilon: 1}}\n", i, i, i + 1 }' >chain.yaml
    try 2 stability chain.yaml
    complains 'the stability is not decided'
    complains 'fewer joint dofs'
fi

verdict "stability from outside: fine"
