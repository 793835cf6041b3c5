#!/bin/sh
# SPDX-License-Identifier: MIT
# A specimen whose force depends on velocity, in a test that is slower than real time: preflight forbids it on every rig, compares with real
# velocities and proposes no slower test; the virtual rig still runs it.
set -u
# shellcheck source=tests/app/program.sh
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Steady amplitudes in closed form: |X| = m a/|k - m w^2 + i w c|, w = 2 pi 1.006584 rad/s: c = 170 kN s/m gives 9.300817 mm; the dashpot at a fifth of
# its velocity, c = 50 kN s/m, gives 31.622777 mm, 240 % more.
cat >dashpot.yaml <<'END'
time: {step: 2 ms, end: 20 s}
method: lsrt2
ground: {signal: {sine: {amplitude: 0.5 m/s2, frequency: 1.006584 Hz}}}
model: {dofs: [x], mass: 20 t, stiffness: 800 kN/m, damping: 20 kN s/m}
specimen:
  - name: damper
    dashpot: {between: [ground, x], damping: 150 kN s/m}
    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 100 kN, tracking: 10 mm}
test: {leave: stay, lambda: 5}
END
amplitude() { # FOLDER: the largest of the second half, mm
    PYTHONPATH="$IFD_SOURCE_DIR/python" /usr/bin/python3 -c 'import interfield, sys
r = interfield.read(sys.argv[1])
print("%.4f" % (1e3 * abs(r["x displacement"][r.time > 10]).max()))' "$1"
}
try 1 preflight dashpot.yaml --out .
says '^NO-GO *rate  *damper depends on velocity, but moves 5 times too slowly.*: use lambda: 1'
says '^[A-Za-z-]*  *error  *2[34][0-9] % rms, 2[34][0-9] % peak, relative to an ideal rig in real time at step h/4'
[ "$(grep -c 'lambda' out)" = 1 ] || fail 'another line proposes a lambda'
! grep -Eq 'slower' out || fail 'a slower test is proposed'
try 0 run dashpot.yaml --out real
[ "$(amplitude real)" = 9.3008 ] || fail "a run has $(amplitude real) mm"
try 0 test dashpot.yaml --as-fast-as-possible --out slow
case $(amplitude slow) in 31.622* | 31.623*) ;; *) fail "the slow test has $(amplitude slow) mm" ;; esac
# in real time it has no such row; a test that is too fast has one
certify dashpot.yaml --set test.lambda=1 --out .
! grep -q '^[A-Za-z-]*  *rate ' out || fail 'a row in real time'
try 1 preflight dashpot.yaml --set test.lambda=0.5 --out .
says '^NO-GO *rate  *damper depends on velocity, but moves 2 times too fast'
# stated otherwise: the word of the user, with a caution
"$IFD_PROGRAM" preflight dashpot.yaml --set test.rate-dependent=no --out . >out 2>err
says "^CAUTION *rate  *damper does not depend on velocity by 'rate-dependent: no', but its element does"
# a spring is the same at any rate, and a slower test is proposed for it
sed 's/dashpot: {between: \[ground, x\], damping: 150 kN s\/m}/spring: {between: [ground, x], stiffness: 200 kN\/m}/; s/velocity: 1 m\/s/velocity: 10 mm\/s/' dashpot.yaml >spring.yaml
try 1 preflight spring.yaml --set test.lambda=2 --out .
! grep -q '^[A-Za-z-]*  *rate ' out || fail 'a spring depends on velocity'
says '^NO-GO *velocity.*: scale the motion, test slower (test: lambda), or raise the limit'
try 1 preflight spring.yaml --set test.rate-dependent=yes --set test.lambda=2 --out .
says '^[A-Za-z-]*  *rate  *a specimen depends on velocity'
says '^NO-GO *velocity.*: scale the motion, or raise the limit'
verdict 'a slow test of a damper is no test of it'
