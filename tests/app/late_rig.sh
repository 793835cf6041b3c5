# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # work is that of program.sh
# A storey whose brace is on a rig of its own (late_rig.py); read with `.` after program.sh.

rig_pid=
switch_off() {
    [ -z "$rig_pid" ] || { kill "$rig_pid" && wait "$rig_pid"; } 2>/dev/null
    rig_pid=
}
trap 'switch_off; rm -rf "$work"' EXIT
# switch_on KEY=VALUE...: a rig at the port of the case
switch_on() {
    switch_off
    : >rig
    /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/late_rig.py" "$port" "$@" >rig 2>&1 </dev/null &
    rig_pid=$!
    until_says '^serves' rig
}
port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# case FILE LINES: the storey, with these lines in the specimen
case_with() {
    cat >"$1" <<END
title: A storey whose brace is tested
time: {step: 2 ms, end: 4 s}
method: lsrt2
ground: {motion: kanai-tajimi, peak: 0.1 g}
model: {dofs: [x], mass: 20 t, damping: 5 kN s/m, stiffness: 200 kN/m}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 600 kN/m}
$2
    limits: {stroke: 120 mm, velocity: 1 m/s, acceleration: 40 m/s2, force: 60 kN, tracking: 15 mm}
test:
  rig: {udp: {port: $port, lockstep: yes, timeout: 60 s}}
  characterise: {quiet: 0.5 s, cycle: 2 s, slowest: 1 Hz, periods: 3}
  ramp-in: 0.5 s
  leave: start
END
}
