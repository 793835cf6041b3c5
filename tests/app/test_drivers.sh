#!/bin/sh
# SPDX-License-Identifier: MIT
# Drivers: rigs that ship as plug-ins, by their name; those that are not built; a rig with files of its own, which prepares its hardware
# and reports why it stops; its channels in the check. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

try 0 list rigs
says '^trial  *ideal actuators'
try 0 help trial
says 'clock-error'

cat >spring.yaml <<'END'
time: {step: 4 ms, end: 0.1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test: {rig: {trial: {stiffness: 2e5 N/m, watchdog: 60 s}}, ramp-in: 0.05 s, settle: 0.01 s, overrun: extrapolate, late-for: 1000 s}
END
try 0 check spring.yaml
try 2 check spring.yaml --set 'test.rig={trial: {stifness: 1}}'
complains "did you mean 'stiffness'"
try 0 test spring.yaml --start --without-preflight --out 'done'
try 0 replay 'done'
says '^identical'

# A driver that is not built, and one whose name is another: beside a copy of the library.
mkdir -p copy/rigs
cp "$IFD_BUILD_DIR"/libinterfield.so.* copy/
cp "$IFD_BUILD_DIR/rigs/trial.so" copy/rigs/other.so
echo 'libsomething is not installed' >copy/rigs/absent.missing
LD_LIBRARY_PATH="$PWD/copy" try 0 list rigs
says '^absent  *not built: libsomething is not installed'
LD_LIBRARY_PATH="$PWD/copy" try 2 check spring.yaml --set 'test.rig=absent'
complains "rig 'absent' is not built: libsomething is not installed"
LD_LIBRARY_PATH="$PWD/copy" try 2 check spring.yaml --set 'test.rig=other'
complains "has the name 'trial', expected 'other'"
LD_LIBRARY_PATH="$PWD/copy" try 2 check spring.yaml --set 'test.rig=trial'
complains "unknown rig 'trial'"
LD_LIBRARY_PATH="$PWD/copy" try 0 replay 'done' # a record does not need its driver
says '^identical'

# A rig with files beside the case, from another folder.
mkdir folder
cp "$IFD_BUILD_DIR/tests/plugins/plugin_bus.so" folder/
: >folder/beside.txt
printf 'devices:\n  - {product: 0x1f, lag: 2 ms}\n  - {product: 12, startup: [1]}\n' >folder/bus.yaml
sed 's|^test: {rig: {[^}]*}}|test: {rig: {plugin: {file: ./plugin_bus.so, bus: bus.yaml, dies: 150}}|' spring.yaml >folder/bus-case.yaml
try 1 test folder/bus-case.yaml --start --without-preflight --out cut
complains 'RIG_STOPPED at tick 151: the rig stopped by itself; the rig reports: the cable behind device 1 is cut'
grep -q 'fault RIG_STOPPED.*the rig reports: the cable behind device 1 is cut' cut/events.log || fail 'events.log lacks the reason'
is /fault/why 'the cable behind device 1 is cut' cut/summary.json
h5dump -a fault_why cut/result.h5 | grep -q 'cable behind device 1' || fail 'result.h5 lacks the reason'
try 0 replay cut
says '^identical'
strings cut/result.journal | grep -q 'product: 0x1f' || fail 'the record does not contain the file of the rig'
sed -i 's/lag: 2 ms/lag: 2 kg/' folder/bus.yaml
try 2 test folder/bus-case.yaml --without-preflight --out wrong
complains 'folder/bus.yaml:2'
complains '\^~~'
printf 'devices:\n  - {product: 0x1f}\n' >folder/bus.yaml
rm folder/beside.txt
try 2 test folder/bus-case.yaml --without-preflight --out wrong
complains "beside.txt' is not in the folder of the case"
try 2 check folder/bus-case.yaml --load --set test.rig.plugin.bus=nowhere.yaml
complains 'nowhere.yaml'

# The check: the channels of a case, and inputs that are judged when the rig is ready.
: >folder/beside.txt
printf 'devices:\n  - {product: 0x1f}\n  - {product: 12}\n' >folder/bus.yaml
cat >>folder/bus-case.yaml <<'END'
channels:
  jack: {input: position 1, measures: position of spring, unit: mm, sensitivity: 2}
END
try 0 rig-check folder/plugin_bus.so --channels-of folder/bus-case.yaml --param dies=1e9 --tick 1e-4
says 'passed   becomes ready'
says 'passed   emergency stop released'
# Outputs of a bus that reach nothing.
cp "$IFD_SOURCE_DIR"/cases/ethercat/*.y* .
try 0 check spring.yaml
says '^outputs  not mapped: trigger, running, enable, low, high, beat$'
printf 'outputs:\n  low: {device: drive, object: 0x7000:1, bit: 5}\n  beat: {device: drive, object: 0x7000:1, bit: 6}\n' >>bus.yml
try 0 check spring.yaml
says '^outputs  not mapped: trigger, running, enable, high$'
# A specimen is not left loaded on an axis that loses its power.
for row in 'off stay NO-GO' 'off start without' 'off zero-force without' 'brake stay brakes'; do
    set -- $row
    sed "s/at-end: [a-z]*/at-end: $1/" "$IFD_SOURCE_DIR/cases/ethercat/bus.yml" >bus.yml
    "$IFD_PROGRAM" preflight spring.yaml --set "test.leave=$2" --out . >out 2>err </dev/null
    grep "^[A-Za-z-]*  *power " out | grep -q "$3" || fail "at-end: $1, leave: $2: expected $3"
done
cp "$IFD_BUILD_DIR/tests/plugins/plugin_watch.so" .
printf '\n' >commands.log
try 2 test spring.yaml --without-preflight --operator A --until 0.5 --out parked --set 'test.rig={plugin: {file: ./plugin_watch.so, log: commands.log, frees: yes}}'
complains '--until leaves the specimen loaded: a drive is switched off at the end'
! grep -q ' 1 ' commands.log || fail 'a position was commanded'
verdict "drivers are found by their names"
