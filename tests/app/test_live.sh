#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 1 of the first
# The live page: who may give which order, many and stalled readers, the tick undisturbed, a replay, a real browser.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-live-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Two seconds of ramp and rest, then as long as it takes. Late ticks are none of the business of this file.
cat >spring.yaml <<'END'
title: A spring on the "rig"
time: {step: 2 ms, end: 600 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
loads: [{at: x, force: {sine: {amplitude: 1 kN, frequency: 2 Hz}}}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END
# Three floors and two specimens, with the names of a laboratory.
cat >tower.yaml <<'END'
title: Three storeys, the springs below the first and the third floor on the rig
time: {step: 2 ms, end: 600 s}
method: lsrt2
ground: {motion: kanai-tajimi, peak: 0.02 g}
model:
  dofs: [floor1, floor2, floor3]
  mass: [1000 kg, 1000 kg, 1000 kg]
  elements:
    - {name: storey1, spring: {between: [ground, floor1], stiffness: 6e5 N/m}}
    - {name: storey2, spring: {between: [floor1, floor2], stiffness: 8e5 N/m}}
    - {name: storey3, spring: {between: [floor2, floor3], stiffness: 6e5 N/m}}
specimen:
  - name: brace-below-floor1
    spring: {between: [ground, floor1], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
  - name: brace-below-floor3
    spring: {between: [floor2, floor3], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, force-rate: 1 MN/s, tracking: 20 mm, energy: 1 kJ}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END

${CC:-cc} -std=c11 -Wall -Wextra -Werror -g -o broadcast_ok "$IFD_SOURCE_DIR/tests/app/broadcast_ok.c" || exit 1
status=0
./broadcast_ok || status=1
timeout 800 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/live_server.py" &
server=$!
if [ ! -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; then
    echo "a build with sanitizers: its server was tried, the page itself is the same in a browser"
elif [ "${IFD_SKIP_SETUP-}" ] && ! command -v chromedriver >/dev/null; then
    echo "no chromedriver here: the page was not tried in a browser"
elif ! getent hosts localhost >/dev/null; then
    echo "no host is called localhost here, which chromedriver needs: the page was not tried in a browser"
else
    timeout 800 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/live_browser.py" || status=1
fi
wait $server || status=1
[ $status = 0 ] || echo FAILED
exit $status
