# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The driver comedi with modules of a real kernel: comedi_test (analogue, outputs looped to inputs) and comedi_parport (digital lines),
# with a clock that counts instructions. What another process writes to a digital line stops the test.
set -eu
. "$IFD_SOURCE_DIR/tests/guest/guest.sh"
[ -f "$IFD_BUILD_DIR/rigs/comedi.so" ] || skip "the driver is not built: $(cat "$IFD_BUILD_DIR/rigs/comedi.missing" 2>/dev/null)"
command -v comedi_config >/dev/null || skip 'comedi_config is missing (Debian: libcomedi0)'
stage
# shellcheck disable=SC2046 # flags are words
${CC:-cc} -o copy/dio "$IFD_SOURCE_DIR/tests/guest/dio.c" $(pkg-config --cflags --libs comedilib) || skip 'libcomedi-dev is missing'
# The only loop of comedi_test is a wire: the force is the position, 2 kN at 10 mm.
sed -e 's/force: \[1\]/force: [0]/; s/^      digital: 2 .*/      without-stop: yes/; /heartbeat-line/d; /-level:/d; s/end: 5 s/end: 1 s/' \
    -e 's/50 kN\/m/200 kN\/m/' "$IFD_SOURCE_DIR/examples/comedi.yaml" >copy/wire.yaml
sed -e 's/without-stop: yes/digital-device: \/dev\/comedi0\n      digital: 0\n      stop-level: high\n      pressure-level: high\n      keep-direction: yes/; s/comedi0$/comedi1/; s/end: 1 s/end: 60 s/' \
    -e '/digital-device/s/comedi1/comedi0/' copy/wire.yaml >copy/lines.yaml
cat >copy/steps.sh <<'END'
set -eu
comedi_config /dev/comedi0 comedi_parport 0x378
./dio 3
sed -i 's/comedi0/comedi1/' wire.yaml
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
echo move | ./interfield rig-check comedi --operator guest --channels-of wire.yaml --tick 0.001 --duration 0.3 --move 0.005
echo '== test'
moved /run/done ./interfield test wire.yaml
./interfield replay /run/done
echo '== stop'
moved /run/stopped ./interfield test lines.yaml >/run/log 2>&1 &
until grep -q 'state.* run' /run/stopped/events.log 2>/dev/null; do sleep 0.1; done
./dio 2
status=0
wait $! || status=$?
cat /run/log
echo "ended with $status"
END
run 0 --steady --timeout 900 --module 'comedi comedi_num_legacy_minors=1' --module comedi_test --module comedi_parport --program comedi_config \
    --file "$IFD_BUILD_DIR/rigs/comedi.so" --qemu '-parallel null' -- sh steps.sh
says '^passed   [0-9]* of [0-9]* requirements'
says '^completed 1 s of simulated time'
says '^identical'
says 'STOP_PRESSED'
says '^ended with 1'
late=$(sed -n 's/^completed.* ticks, \([0-9]*\) late.*/\1/p' said)
[ "$late" = 0 ] || fail "$late ticks were late by a counted clock"
echo "rig-check, a test at 1 ms without a late tick, its replay, and an emergency stop at a digital line"
