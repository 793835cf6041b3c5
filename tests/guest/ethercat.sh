# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The driver for EtherCAT beside emulated devices on a pair of virtual interfaces, with a clock that counts instructions: no tick is late and
# no frame is missing. What leaves the program is judged by the devices.
set -eu
. "$IFD_SOURCE_DIR/tests/guest/guest.sh"
[ -f "$IFD_BUILD_DIR/rigs/ethercat.so" ] || skip 'the driver is not built'
stage "$IFD_SOURCE_DIR/cases/ethercat/bus.yml"
devices="$IFD_SOURCE_DIR/tests/ethercat"
${CC:-cc} -O1 -o copy/devices "$IFD_SOURCE_DIR/tests/guest/devices.c" "$devices/emulator.c" "$devices/emulator_device.c" \
    "$devices/emulator_drive.c" -lm -lpthread
sed -e 's/eth1/va/; s/end: *[0-9.]* s/end: 3 s/' "$IFD_SOURCE_DIR/cases/ethercat/spring.yaml" >copy/spring.yaml
sed -e 's/^clock: tick/clock: bus/' copy/bus.yml >copy/bus-leads.yml
grep -q '^clock: bus' copy/bus-leads.yml || fail 'the bus file has no clock: tick'
cat >copy/steps.sh <<'END'
set -eu
ip link add va type veth peer name vb
ip link set va up
ip link set vb up
devices() { # COMMAND...
    nice -n -10 ./devices vb 1e-3 >/run/devices &
    number=$!
    status=0
    "$@" || status=$?
    kill "$number"
    wait "$number"
    cat /run/devices
    return $status
}
# moved FOLDER WORDS...: a test with an operator who gives the orders arm and run
moved() {
    folder=$1
    shift
    {
        until grep -q 'waiting: for the order arm' "$folder/events.log" 2>/dev/null; do sleep 0.1; done
        echo arm
        until grep -q 'state ready' "$folder/events.log"; do sleep 0.1; done
        echo run
    } | "$@" --operator 'A. Smith' --exit-on-trip --without-preflight --out "$folder"
}
echo '== rig-check'
echo move | devices ./interfield rig-check ethercat --operator guest --param interface=va --param bus=bus.yml --tick 0.001 --duration 1 --move 0.005
echo '== test'
devices moved /run/tick ./interfield test spring.yaml
./interfield replay /run/tick
echo '== the bus leads'
devices moved /run/bus ./interfield test spring.yaml --set test.pace=rig --set test.rig.ethercat.bus=bus-leads.yml
./interfield replay /run/bus
END
run 0 --steady --shift 2 --timeout 900 --module veth --package iproute2 --program nice --file "$IFD_BUILD_DIR/rigs/ethercat.so" -- sh steps.sh
says '^passed   [0-9]* of [0-9]* requirements'
[ "$(grep -c '^identical' said)" = 2 ] || fail 'two replays'
for late in $(sed -n 's/^completed.* ticks, \([0-9]*\) late.*/\1/p' said); do
    [ "$late" = 0 ] || fail "$late ticks were late by a counted clock"
done
# Limits of the case, 0.5 m/s and 20 m/s2, in increments of 1 um per tick of 1 ms; rounding adds 2.
sed -n 's/^\([0-9]*\) cycles, set points change by \([0-9]*\), their change by \([0-9]*\)$/\1 \2 \3/p' said | tail -2 >judged
[ "$(awk '$1 > 3000 && $2 > 10 && $2 <= 500 && $3 <= 22' judged | wc -l)" = 2 ] || fail "set points beyond the limits: $(cat judged)"
echo "rig-check, a test at 1 ms without a late tick on the clock of the machine and one on the clock of the bus, and their replays"
