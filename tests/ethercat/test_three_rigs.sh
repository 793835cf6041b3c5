#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# Three rigs of three kinds in one test: emulated devices on EtherCAT, a rig in another process over UDP, a virtual one. The test completes and
# replays; then the line of the bus is cut in motion: the test trips, names the rig, and takes leave of the others. Skipped where network
# namespaces are not permitted. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
veth="$IFD_BUILD_DIR/tests/ethercat.veth"
if [ "${IFD_IN_NAMESPACE-}" = "" ]; then
    "$veth" true 2>reason.$$ || { echo "skipped: $(cat reason.$$)"; rm -f reason.$$; exit 0; }
    rm -f reason.$$
    IFD_IN_NAMESPACE=yes exec "$veth" sh "$0"
fi
PATH=$PATH:/sbin:/usr/sbin
ip link set lo up || exit 1
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cp "$IFD_SOURCE_DIR"/cases/several-rigs/*.yaml "$IFD_SOURCE_DIR/cases/ethercat/bus.yml" .
# The emulated specimen has 0.02 increments of force per um; an increment of 5 N makes it the brace of the case, 0.1 MN/m.
sed -i 's/counts: 2}/counts: 0.2}/' bus.yml
sed -i 's/step: 4 ms/step: 2 ms/; s/trial: {stiffness: 0.1 MN\/m}/ethercat: {interface: va, bus: bus.yml, watchdog: 4 s, silent-for: 1 s}/' rigs.yaml
grep -q 'ethercat: {' rigs.yaml || fail 'the case has no rig named bench to replace'
# Machines that run tests are busy: late ticks and silence are none of the business of this file, except where the bus is cut.
usual='--without-preflight --exit-on-trip --set test.late-for=1000s --set test.rigs.1.udp.timeout=60s'
usual="$usual --set test.ramp-in=0.2s --set test.settle=0.05s --set specimen.2.limits.tracking=200mm --set test.stale-for=2s --set test.stale-share=1"

serve() {
    : >rig
    "$IFD_PROGRAM" rig rigs.yaml --for 1000 --watchdog 60 --port 0 --rig annex --once >>rig 2>&1 </dev/null &
    pid=$!
    until_says '^serves' rig
    port=$(sed -n 's/^serves.*port //p' rig)
}

serve
# shellcheck disable=SC2086 # options are words
operate 0 test rigs.yaml $usual --set "test.rigs.1.udp.port=$port" --set 'test.rigs.1.stale-for=60 s' --set time.end=1s --out result
wait "$pid" || fail 'the rig over UDP ended with an error'
says 'several · 3 actuators'
grep -q 'free     the test ended' rig || fail 'the rig over UDP does not know that the test ended'
try 0 replay result
says 'identical'

# The devices answer no more: the link of the bus goes down while the drive moves.
serve
# shellcheck disable=SC2086
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/operate.py" "$IFD_PROGRAM" test rigs.yaml $usual --set "test.rigs.1.udp.port=$port" --set 'test.rigs.1.stale-for=60 s' --set time.end=600s --out cut \
    >out 2>err </dev/null &
test=$!
until_says 'state run\|state tripped' cut/events.log
ip link set vb down
wait "$test"
[ $? = 1 ] || fail 'a cut line did not end the test with 1'
ip link set vb up
complains "RIG_STOPPED at tick [0-9]*, .*rig 'bench'"
wait "$pid" || fail 'the rig over UDP ended with an error'
grep -q 'free     the test ended' rig || fail 'nobody took leave of the rig over UDP'
try 0 replay cut
says 'identical'
verdict 'three rigs of three kinds: a test and its replay; a cut line of one stops all, by name'
