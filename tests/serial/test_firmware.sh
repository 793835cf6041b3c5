#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/serial_rig.ino with its pins as functions (firmware.cpp): open wires, the first value of the output, each limit with both signs,
# watchdogs, the stop input, restarts in motion. Sees IFD_SOURCE_DIR, CXX.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
${CXX:-g++} -std=c++11 -g -Wall -Wextra -Werror -I "$IFD_SOURCE_DIR/tests/serial" -I "$IFD_SOURCE_DIR/examples" \
    "$IFD_SOURCE_DIR/tests/serial/firmware.cpp" -o firmware || exit 1
failures=0
for scene in wires first refused nan sensor-position sensor-force watchdog-65s watchdog-30ms watchdog-inquiries press outward press-before power fast babble \
    reset stuck stroke+ stroke- position+ position- velocity+ velocity- acceleration+ acceleration- force+ force-; do
    timeout 60 ./firmware $scene >out 2>&1 || { failures=$((failures + 1)); echo "scene $scene:"; head -c 1500 out; }
    case $scene in reset | stuck) grep -q '^restarted: 0 failures' out || { failures=$((failures + 1)); echo "$scene: no restart: $(cat out)"; } ;;
        *) ! grep -q '^restarted' out || { failures=$((failures + 1)); echo "$scene: restarted"; } ;;
    esac
done
[ $failures = 0 ] || exit 1
echo firmware
