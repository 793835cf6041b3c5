#!/bin/sh
# SPDX-License-Identifier: MIT
# Whether an actuator reaches the velocity of its test, on a rig in a process of its own without the library (late_rig.py): the burst of characterise,
# with and without a specimen, and what preflight says. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
plain='    estimate: {stiffness: 600 kN/m}
    compensation: {polynomial: {delay: 14.5 ms}}'
case_with storey.yaml "$plain"
found() { # RIG... -- OPTION...
    rig=
    while [ "$1" != -- ]; do
        rig="$rig $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # settings of the rig
    switch_on frequency=15 $rig
    rm -f new.yaml
    try 0 characterise storey.yaml --as-fast-as-possible -o new.yaml "$@"
    mv new.yaml fragment.yaml
    last=$(ls -d runs/storey-* | tail -1)
}
judged() { "$IFD_PROGRAM" preflight storey.yaml --out certificate >out 2>err; }
within() { # PATH LOW HIGH
    at "$1" "$last/characterisation.json" >value
    awk -v x="$(cat value)" "BEGIN {exit !(x >= $2 && x <= $3)}" || fail "$1 is $(cat value), expected $2 to $3"
}

# The storey needs about a quarter of a metre per second, which is more than the share of the stroke that the specimen permits: nothing moves.
found --
says 'CAUTION  velocity 0.2[0-9]* m/s not verified: stroke-share does not permit it$'
says '^         It needs [34].[0-9]* mm to either side; 2.4 mm are permitted$'
says '^         Use characterise --free, without specimen$'
[ ! -e "$last/velocity" ] || fail 'a burst was made'
case_with storey.yaml "$plain
    include: fragment.yaml"
judged
says '^CAUTION *reach .*spring: that the actuator reaches 2[0-9]* mm/s is not verified.*: characterise --free, without specimen'

# Without the specimen: half the stroke. The twin of the actuator is written, and nothing about a specimen; what was found about it before stays.
found stiffness=0 -- --free
says 'velocity 0.2[0-9]* m/s of the test reached (\(1.00[0-9]\|0.99[0-9]\) of it'
within spring/velocity/share 0.99 1.01
grep -q '^twin:' fragment.yaml || fail 'no twin of the actuator'
! grep -q '^estimate\|^compensation\|velocity:' fragment.yaml || fail "more than the actuator: $(cat fragment.yaml)"
at characterisations/0/specimens/0/stiffness storey.characterisation.json >value
awk '{exit !($1 > 5.9e5 && $1 < 6.1e5)}' value || fail "the stiffness of the specimen is $(cat value)"
judged
says '^ok *reach .*spring: the actuator was seen to reach 2[0-9]* mm/s; the test needs 2[0-9]* mm/s'
says '^ok *twin .*as characterised'
try 0 replay "$last/velocity"
says '^identical'
try 0 recover "$last/velocity" --out recovered
says 'the record is complete'

# Near an end of the stroke, 120 mm: 0.9 of the way of 3.6 mm permits less than the burst of 4.1 mm; the motions before it need 2.4 mm.
at_end() { # POSITION: what the free actuator is told there
    found stiffness=0 "at=$1" -- --free
    says 'CAUTION  velocity 0.2[0-9]* m/s not verified: the end of the stroke is too near$'
    says '^         It needs [34].[0-9]* mm to either side; 3.24 mm are permitted$'
    says '^         Move the actuator towards the middle of its stroke'
    [ ! -e "$last/velocity" ] || fail "at $1: a burst was made"
}
at_end 0.1164
at_end -0.1164
for place in 0.114 -0.114; do
    found stiffness=0 at=$place -- --free
    says 'velocity 0.2[0-9]* m/s of the test reached (\(1.00[0-9]\|0.99[0-9]\) of it'
done
for place in 0.1185 -0.1185; do
    switch_on frequency=15 stiffness=0 at=$place
    try 1 characterise storey.yaml --as-fast-as-possible --out near$place --free
    complains 'spring: the end of the stroke is 1.5 mm away, the motions need 2.4 mm'
    grep -q POSITION near$place/events.log && fail "at $place: it moved out of its stroke"
done

# The guards of the burst, each with what helps: of 16 m/s2 of acceleration at 10 Hz, and of 3.6 mm of lag.
found stiffness=0 -- --free --set specimen.0.limits.acceleration=12m/s2
within spring/velocity/frequency 5 7.6 # 12 / (2 pi 0.255) = 7.5 Hz
within spring/velocity/share 0.99 1.01
found stiffness=0 -- --free --set specimen.0.limits.acceleration=1.5m/s2
says 'not verified: the limit of acceleration does not permit it$'
says "^         Lower 'slowest' of 'characterise'$"
[ ! -e "$last/velocity" ] || fail 'a burst beyond the limit of acceleration'
found stiffness=0 -- --free --set specimen.0.limits.tracking=4mm # 0.8 of it is 3.2 mm
says 'not verified: without compensation it exceeds the limit of tracking$'
says '^         Use characterise --free with a larger limit, without specimen$'
[ ! -e "$last/velocity" ] || fail 'a burst beyond the limit of tracking'
found stiffness=0 -- --free --set specimen.0.limits.velocity=0.2m/s # a burst beyond this limit would be cut by it
within spring/velocity/commanded 0.1999 0.2001
within spring/velocity/share 0.99 1.01
found stiffness=0 -- --free --set specimen.0.limits.tracking=5mm
within spring/velocity/share 0.99 1.01

# A characterisation with the specimen keeps the verified velocity; a faster test is not verified.
found --
judged
says '^ok *reach .*seen to reach'
"$IFD_PROGRAM" preflight storey.yaml --out certificate --set 'ground.peak=0.15 g' >out 2>err
says '^CAUTION *reach .*is not verified'

# An actuator that cannot: stated, in the twin, and NO-GO.
found stiffness=0 velocity=0.2 -- --free
says 'CAUTION  the actuator reaches 0.2 m/s; the test needs 0.2[0-9]* m/s'
within spring/velocity/share 0.84 0.88 # 0.2 m/s of 0.255 m/s, over a gain of 0.92 at 10 Hz
within spring/velocity/reached 0.198 0.202
grep -q '^  actuator: {second-order: .*velocity: 0.\(20\|199\)' fragment.yaml || fail "no velocity in the twin: $(cat fragment.yaml)"
judged
says '^NO-GO *reach .*spring: the actuator reaches 2\?[0-9]* mm/s; the test needs 2[0-9]* mm/s'

# Findings of one kind stay until they are measured again: what a specimen does without a specimen, what an actuator reaches without a burst.
kept() { # KEY LOW HIGH
    at "characterisations/0/specimens/0/$1" storey.characterisation.json >value
    awk -v x="$(cat value)" "BEGIN {exit !(x >= $2 && x <= $3)}" || fail "$1 is $(cat value), expected $2 to $3"
}
found velocity=0.2 late=0.004 friction=100 --
kept reached 0.198 0.202
kept verified 0 0
kept force_lag 0.0035 0.0045
kept loss 90 110
at characterisations/0/specimens/0/stiffness_error storey.characterisation.json >error
judged
says '^NO-GO *reach .*spring: the actuator reaches'
found stiffness=0 -- --free
kept reached 0 0
kept verified 0.24 0.29
kept force_lag 0.0035 0.0045
kept loss 90 110
kept stiffness 5.9e5 6.1e5
kept stiffness_error "$(cat error)" "$(cat error)"
found --
kept force_lag 0 0
kept loss 0 0
kept verified 0.24 0.29

# A soft motion is verified beside the specimen, by a second record; not with a specimen that yields there.
sed -i 's/peak: 0.1 g/peak: 0.03 g/' storey.yaml
found --
says 'motion   bursts at the velocities of the test'
says 'velocity [0-9.]* m\{0,1\}m/s of the test reached'
[ -e "$last/velocity/result.h5" ] || fail 'no record of the burst'
found yield=0.0008 --
says 'CAUTION  velocity .* not verified: stroke-share does not permit it'
says '; 0.6 mm are permitted$' # a quarter of it

# The second record is made by the program only.
try 2 characterise storey.yaml --set 'test.burst-velocity=[0.2]' --set 'test.burst-frequency=[5]'
complains "'burst-velocity' is for the second record"
try 2 check storey.yaml --set 'test.burst-velocity=[0.2]'
complains "'burst-velocity' and 'burst-frequency' belong together"
try 2 check storey.yaml --set 'test.burst-velocity=[-0.2]' --set 'test.burst-frequency=[5]'
complains 'expected a velocity of at least zero'
verdict 'the velocity of an actuator is verified'
