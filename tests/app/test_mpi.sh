# SPDX-License-Identifier: MIT
# interfield-mpi: the bits of one process, from 2 to 4 processes; refusals; a process that dies.
set -u
mpi=$IFD_BUILD_DIR/interfield-mpi
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo 'skipped: interfield-mpi was not built, because there is no MPI'
    exit 0
fi
. "$IFD_SOURCE_DIR/tests/app/program.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# together STATUS PROCESSES WORDS...
together() {
    wanted=$1
    processes=$2
    shift 2
    mpirun --oversubscribe -n "$processes" "$mpi" "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$wanted" ] || fail "$processes processes, $*: exit status $got, expected $wanted"
}
same() {
    try 0 compare "$1" "$2" --tolerance 0
    says 'all columns are identical'
}

cat >four.yaml <<'Y'
title: A frame in four substructures
time: {step: 5 ms, end: 0.5 s}
method: {mg-alpha: {rho: 0.8}}
ground: {signal: {sine: {amplitude: 0.3 g, frequency: 2 Hz}}}
model:
  frame:
    material: {young: 30 GPa, density: 2500 kg/m3}
    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}
    grid: {bays: 3 x 6 m, storeys: 12 x 3 m, columns: column, beams: beam}
  rayleigh: {mass: 0.3, stiffness: 0.6 ms}
cut:
  parts:
    p1: {holds: storeys 0 to 3}
    p2: {holds: storeys 3 to 6}
    p3: {holds: storeys 6 to 9}
    p4: {holds: storeys 9 to 12, subcycles: 2}
coupling: pg-alpha
record: [displacement, energy, joints, ground, s12c1.x, s6c1.x]
Y

# Linear substructures with energies and joints; nonlinear ones; the motion of named dofs alone; projection of the drift.
try 0 run four.yaml --out whole
for n in 2 4; do
    together 0 $n run four.yaml --out "whole$n"
    says completed
    same whole "whole$n"
done
try 0 run bridge/pg-alpha --set time.end=0.5s --out bridge
together 0 2 run bridge/pg-alpha --set time.end=0.5s --out bridge2
same bridge bridge2
motion='record=[displacement, velocity, ground, s12c1.x, s6c1.x]'
try 0 run four.yaml --set "$motion" --out motion
together 0 4 run four.yaml --set "$motion" --out motion4
says 'were not computed'
same motion motion4
drift='coupling={pg-alpha: {drift: project}}'
try 0 run four.yaml --set "$drift" --out drift
together 0 2 run four.yaml --set "$drift" --out drift2
same drift drift2

# Coupling parallel: sides that alternate between processes, and share them; feedback of the gap; elements.
sed -e 's/^method:.*/method: {lsrt2: {gamma: plus}}/' -e 's/step: 5 ms/step: 2 ms/' -e 's/^coupling:.*/coupling: parallel/' \
    -e 's/\(storeys 0 to 3\|storeys 6 to 9\)/\1, coarse: yes/' four.yaml >sides.yaml
try 0 run sides.yaml --out sides
for n in 3 4; do
    together 0 $n run sides.yaml --out "sides$n"
    same sides "sides$n"
done
cat >yielding.yaml <<'Y'
title: Two yielding storeys
time: {step: 2 ms, end: 1 s}
method: {lsrt2: {gamma: minus}}
ground: {signal: {sine: {amplitude: 0.4 g, frequency: 1.5 Hz}}}
substructures:
  lower:
    model: {dofs: [a, b], mass: [2 t, 1 t], elements: [{name: l, bilinear: {between: [ground, a], stiffness: 400 kN/m, yield: 10 mm, ratio: 0.1}}, {name: m, spring: {between: [a, b], stiffness: 500 kN/m}}]}
    coarse: yes
  upper:
    model: {dofs: [b, c], mass: [1 t, 2 t], elements: [{name: u, bilinear: {between: [b, c], stiffness: 300 kN/m, yield: 5 mm, ratio: 0.1}}]}
    subcycles: 3
joints: [lower.b = upper.b]
coupling: {parallel: {drift: feedback}}
Y
try 0 run yielding.yaml --out yielding
together 0 2 run yielding.yaml --out yielding2
same yielding yielding2
together 2 2 run yielding.yaml --set 'coupling={parallel: {drift: project}}' --set 'method={lsrt2: {gamma: plus}}'
complains 'cannot be distributed'

# Both substructures given separately, each read by its own process; an error that only one of them can find.
motion='record=[displacement, upper.c]'
try 0 run yielding.yaml --set "$motion" --out apart
together 0 2 run yielding.yaml --set "$motion" --out apart2
same apart apart2
sed 's/mass: \[1 t, 2 t\]/mass: [[1000, 2000], [2000, 1000]]/' yielding.yaml >indefinite.yaml
together 2 2 run indefinite.yaml --set "$motion"
complains 'process 1: .*not positive definite'

# Factors of a superelement over all processes. reduce compares the reduced model with the full one.
if nm -D "$mpi" | grep -q dmumps_c; then
    rayleigh='model.rayleigh={ratio: 3 %, frequencies: [1 Hz, 20 Hz]}'
    try 0 reduce frame-10/frame --set "$rayleigh" --set 'model.reduce={frequency: 30 Hz}' --json
    order=$(grep -o '"dofs": [0-9]*' out)
    for n in 1 3; do
        together 0 $n reduce frame-10/frame --set "$rayleigh" --set 'model.reduce={frequency: 30 Hz}' --json --out "small$n"
        says "$order"
        [ -s "small$n" ] || fail "no superelement of $n processes"
    done
    sed 's/ground:/#/; s/rayleigh:.*/rayleigh: {mass: 0.3, stiffness: 0.6 ms}\n  reduce: {frequency: 30 Hz}/' four.yaml |
        sed '/^cut:/,/^coupling/d' >one.yaml
    together 0 2 reduce one.yaml --steps 0
fi

# One message, from one process.
together 2 2 run frame-10/frame
complains 'has 1 substructures for 2 processes'
[ "$(grep -c 'substructures for' err)" = 1 ] || fail 'the message was printed by several processes'
together 2 2 run cut-frame-10/staggered
complains 'cannot be distributed'
together 2 2 nothing
complains 'unknown command'

# A process that dies ends the others, and nothing is completed.
mpirun --oversubscribe -n 2 "$mpi" run four.yaml --set time.end=10000s --out dead >out 2>err </dev/null &
run=$!
while ! grep -q 'substructures' out; do
    kill -0 $run 2>/dev/null || break
    sleep 0.1
done
victim=$(pgrep -P $run -n)
kill -9 "$victim"
wait $run
got=$?
[ $got != 0 ] || fail 'a run with a dead process ended with status 0'
grep -qi 'signal 9\|killed' err out || fail 'nothing names the process that died'
[ ! -e dead/summary.json ] || fail 'a run with a dead process has a summary'
! grep -q completed out || fail 'a run with a dead process says that it is completed'
verdict 'several processes give the bits of one, and none survives another'
