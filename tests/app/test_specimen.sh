#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 22 of the first, never with sanitizers
# Specimens at the front door: whole models, mass on the rig, specimens in parts and behind coupling rts, what the summary says of
# the actuators, and a deadline that is asked for. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
between() {
    awk -v x="$(at "$1")" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x + 0 >= a && x + 0 <= b) }' ||
        fail "$1 is '$(at "$1")', expected $2 to $3"
}
cases=$IFD_SOURCE_DIR/cases

# a whole model: one structure in a run, a specimen in a test; the actuator is compensated and has noise
try 0 run "$cases/spring-pendulum-rig/rig.yaml" --out pendulum-run
says 'pendulum.theta 66.8 deg'
try 0 test "$cases/spring-pendulum-rig/rig.yaml" --as-fast-as-possible --json --out pendulum
is outcome completed
is state stopped
between /rig/pendulum/delay -0.001 0.001
between /rig/pendulum/amplitude 0.99 1.01
between /rig/pendulum/tracking_rms 0 0.01
between /rig/pendulum/work 1 100
h5ls -r pendulum/result.h5 | grep -q '^/indicator/pendulum/delay ' || fail "the delay is not in the result"

# not compensated it is late by 2 z / w
try 0 test "$cases/spring-pendulum-rig/rig.yaml" --as-fast-as-possible --json --out late \
    --set specimen.0.compensation=none --set specimen.0.limits.tracking=20mm
between /rig/pendulum/delay 0.0140 0.0155

# dampers with a memory are replayed bit by bit, a recorded voltage without its file: the record holds it
printf 'time,V\n0,0\n0.1,1.5\n0.2,0.4\n' >voltage.csv
sed 's|voltage: 1.5|schedule: voltage.csv|; s|end: 6 s|end: 0.3 s|' "$cases/mr-frame/rig.yaml" >voltage.yaml
cp "$cases/mr-frame/frame.model.yaml" .
sed 's|mr-damper: .*|maxwell: {between: [ground, x1], branches: [[400 kN/m, 4e3, 1], [50 kN/m, 2e3, 0.5]]}|' voltage.yaml >maxwell.yaml
for damper in voltage maxwell; do try 0 test $damper.yaml --as-fast-as-possible --out $damper; done
rm voltage.csv
for damper in voltage maxwell; do try 0 replay $damper; done
says 'identical'

# specimens of parts are ideal in a run; one that follows is a part there
try 0 run "$cases/two-dof/hybrid.yaml" --out parts
says '^completed '
try 0 run "$cases/rts-rig/rig.yaml" --out follows
says '2 substructures, 2 dofs'
try 0 test "$cases/rts-rig/rig.yaml" --as-fast-as-possible --json --out follows-test --set time.end=2s
is outcome completed

# the same laboratory in a process of its own, in lockstep, moves alike: mass, models and linear commands included. To 1e-12 m: until the test
# comes a model swings about an equilibrium that its case gives with five digits, as long as it takes.
remote() { # case, name of the shared memory, further settings
    : >rig
    "$IFD_PROGRAM" rig "$1" --watchdog 60 --set "test.rig={shm: {name: $2, lockstep: yes, commands: linear}}" $3 >>rig 2>&1 </dev/null &
    rig=$!
    until_says '^serves' rig
    try 0 test "$1" --as-fast-as-possible --without-preflight --json --out "$2" $3 \
        --set "test.rig={shm: {name: $2, lockstep: yes, timeout: 60 s, commands: linear}}"
    there=$(at "/residual_displacement/$4")
    kill -TERM $rig
    wait $rig
    try 0 test "$1" --as-fast-as-possible --json --out "$2-here" $3
    awk -v a="$there" -v b="$(at "/residual_displacement/$4")" 'BEGIN { d = a - b; exit !(a != "" && d * d < 1e-24) }' ||
        fail "$1: ends at '$there' in another process, at '$(at "/residual_displacement/$4")' in this one"
}
quiet="--set specimen.0.position-sensor={} --set specimen.0.force-sensor={} --set time.end=1s"
remote "$cases/spring-pendulum-rig/rig.yaml" "specimen-a-$$" "$quiet" x
remote "$cases/two-dof-rig/rig.yaml" "specimen-b-$$" \
    "$quiet --set specimen.1.position-sensor={} --set specimen.1.force-sensor={} --set specimen.0.mass-on-rig.handled=taken-out" x

# mass that cannot be left to the rig
try 2 test "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --set specimen.0.mass-on-rig.mass=3000
complains "'table' has 3000 kg on the rig, expected less than the mass of dof 'x', 2210.9"
try 2 test "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --set test.lambda=10
complains 'which is correct only in real time'

# what is only observed is counted
try 0 test "$cases/four-dof-rig/ground.yaml" --as-fast-as-possible --json --out observed --set time.end=2s \
    --set test.limits=observe --set specimen.0.limits.velocity=20mm/s
is outcome completed
between /seen/GOVERNED 100 100000

# a rig that carries mass is characterised: nothing is computed meanwhile that could leave it there
try 0 characterise "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --out moved -o found.yaml
says 'table *stiffness 39[4-8].* N/m.* delay \(19.9\|20\)' # the case has 39670 N/m and 20 ms
says '^table  *39[4-8][0-9]*  *0$' # nothing couples it with the other
try 0 replay moved
says '^identical'
try 0 recover moved
[ -s moved-recovered/result.h5 ] && [ -s moved/characterisation.json ] || fail 'a characterisation leaves no record'

# a deadline, or what stands in for it
try 0 test "$cases/four-dof-rig/ground.yaml" --deadline --set time.end=0.2s --set test.ramp-in=0.1s \
    --set test.overrun=extrapolate --set test.late-for=1000s --out deadline
says '^priority deadline scheduling \(granted\|refused\)'

# a user's own element as specimen: alone, in parallel and in series, as the same element in the model
cp "$IFD_BUILD_DIR/tests/plugins/plugin_user_element.so" own.so
chmod go-w own.so
own() { # file, how it stands there
    cat >"$1" <<EOF
time: {step: 1 ms, end: 1 s}
ground: {signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}}
model:
  dofs: [x1, x2]
  mass: [100 kg, 80 kg]
  damping: [[60, -20], [-20, 20]]
  stiffness: [[80000, -40000], [-40000, 40000]]
$2
EOF
}
ends="    limits: {stroke: 300 mm, velocity: 20 m/s, acceleration: 1e5 m/s2}
test: {rig: {virtual: {commands: linear}}, ticks-per-stage: 4, leave: start}"
law='between: [ground, x1], stiffness: 20 kN/m, reference: 5 mm'
own whole.yaml "  elements: [{plugin: ./own.so, element: {$law}}]"
own alone.yaml "specimen:
  - {name: s, plugin: ./own.so, element: {$law},
$(echo "$ends" | sed '1s/$/}/')"
own twice.yaml "specimen:
  - name: s
    parallel:
      - {plugin: ./own.so, element: {between: [ground, x1], stiffness: 10 kN/m, reference: 5 mm}}
      - {plugin: ./own.so, element: {between: [ground, x1], stiffness: 10 kN/m, reference: 5 mm}}
$ends"
own chain.yaml "specimen:
  - name: s
    series:
      between: [ground, x1]
      of:
        - {plugin: ./own.so, element: {stiffness: 40 kN/m, reference: 2.5 mm}}
        - {plugin: ./own.so, element: {stiffness: 40 kN/m, reference: 2.5 mm}}
$ends"
try 0 run whole.yaml --json --out own-whole
last() { awk '/"x1 displacement"/ { on = 1 } on && /"final"/ { gsub(/[^-0-9.e+]/, "", $2); print $2; exit }' out; }
whole=$(last)
for file in alone twice chain; do
    try 0 run $file.yaml --json --out own-run-$file
    awk -v a="$whole" -v b="$(last)" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d < 2.5e-11) }' ||
        fail "$file: in a run x1 ends at '$(last)', computed as one at '$whole'"
    try 0 test $file.yaml --as-fast-as-possible --json --out own-$file
    is outcome completed
    awk -v a="$whole" -v b="$(at /residual_displacement/x1)" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d < 2.5e-11) }' ||
        fail "$file: x1 ends at '$(at /residual_displacement/x1)', computed as one at '$whole'"
done

# one that remembers what has yielded (accept), in the model and on the rig: as friction sliders of the same law
cp "$IFD_BUILD_DIR/tests/plugins/plugin_yielding_element.so" yields.so
chmod go-w yields.so
law='plugin: ./yields.so, element: {between: [ground, x1], stiffness: 20 kN/m, yield-force: 40 N}'
own sliders.yaml '  elements: [{sliders: {between: [ground, x1], sliders: [[20 kN/m, 2 mm]]}}]'
own elastic.yaml '  elements: [{spring: {between: [ground, x1], stiffness: 20 kN/m}}]'
own yields.yaml "  elements: [{$law}]"
own yields-rig.yaml "specimen:
  - {name: s, $law,
$(echo "$ends" | sed '1s/$/}/')"
try 0 run sliders.yaml --json --out sliders
sliders=$(last)
try 0 run elastic.yaml --json --out elastic
apart() { awk -v a="$sliders" -v b="$1" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d > 1e-9) }'; }
apart "$(last)" || fail "nothing yields: x1 ends at '$(last)' with and without sliders"
for words in 'run yields.yaml' 'run yields-rig.yaml' 'test yields-rig.yaml --as-fast-as-possible'; do
    try 0 $words --json --out "$(echo "$words" | tr ' ' -)"
    case $words in test*) end=$(at /residual_displacement/x1) ;; *) end=$(last) ;; esac
    awk -v a="$sliders" -v b="$end" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d < 4e-10) }' ||
        fail "$words: x1 ends at '$end', with sliders at '$sliders'"
done

# a specimen that turns is characterised in angles and moments, the other one beside it in lengths and forces
try 0 characterise "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --out turned
says '^motion .* at most .* mm and .* mrad;'
says '^table .*stiffness 39[0-9]* N/m '
says '^turn .*stiffness 17[0-9.]* N m/rad '
says 'N m s/rad'
says 'kg m2'
says 'noise .* urad, .* N m'
grep -q '^# stiffness .* N m/rad,' turned/turn.yaml || fail "the fragment has another unit"
grep -q '^# noise .* rad, force .* N m$' turned/turn.yaml || fail "the fragment has other units of noise"
h5ls -v turned/result.h5/specimen/turn/deformation 2>/dev/null | grep -q 'rad' || h5dump -A turned/result.h5 | grep -q '"rad"' || fail "the record is not in rad"

# an override below a name works; below another value the form that does is shown
try 0 run "$cases/two-dof-rig/whole.yaml" --set method=lsrt2 --set method.lsrt2.gamma=plus --out below
try 2 check "$cases/two-dof-rig/whole.yaml" --set test.rig.udp.port=9000
try 2 check "$cases/rts-rig/rig.yaml" --set test.rig=virtual --set test.rig.udp.port=9000
complains "write --set 'test.rig={udp: {port: 9000}}'"

verdict "specimens at the front door behave"
