#!/bin/sh
# SPDX-License-Identifier: MIT
# Systems with a recorded ground motion against an independent solution: a mass on a lead-rubber bearing in two directions, and a mass with a
# magnetorheological damper. Needs the folder of records.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

data=${INTERFIELD_DATA:-$IFD_SOURCE_DIR/../shared/data}
if [ ! -r "$data/elcentro_1940_ns.csv" ]; then
    echo "skipped: the folder of records is not here (INTERFIELD_DATA)"
    exit 0
fi
cp "$data/elcentro_1940_ns.csv" motion.csv

cat >isolated.yaml <<END
title: Isolated mass
time: {step: 0.25 ms, end: 20 s}
method: lsrt2
ground:
  - {record: motion.csv, unit: m/s2, direction: x}
  - {signal: {sine: {amplitude: 0.8 m/s2, frequency: 0.5 Hz}}, direction: y}
model:
  dofs: [x, y]
  kinds: {y: y}
  mass: [300 t, 300 t]
  elements:
    - name: bearing
      lead-rubber: {between: [[ground, x], [ground, y]], yield-force: 120 kN, yield-displacement: 8 mm, ratio: 0.1}
END
# The voltage is 1.5 V from the start: its coefficients as constants.
cat >damped.yaml <<END
title: Damped mass
time: {step: 0.25 ms, end: 20 s}
method: lsrt2
ground: {record: motion.csv, unit: m/s2}
model:
  dofs: [x]
  mass: 2 t
  damping: 753.9822368615503
  stiffness: 177652.87921960845
  elements:
    - name: damper
      mr-damper: {between: [ground, x], x0: 0, alpha: [118250], c0: [2625], c1: [28742.5]}
END
for case in isolated damped; do
    try 0 run $case.yaml --out $case
done
cat >compare.py <<'END'
import h5py, numpy as np, sys
worst = 0
def near(what, found, expected, scale):
    global worst
    error = abs(found - expected) / scale
    worst = max(worst, error)
    if not error <= 1e-5:
        print(f"{what}: found {found:.9g}, expected {expected:.9g}")
        sys.exit(1)
f = h5py.File("isolated/result.h5")
ux, uy = f["displacement/x"][:], f["displacement/y"][:]
work = sum(np.concatenate([[0], np.cumsum((r[1:] + r[:-1]) / 2 * np.diff(q))]) for r, q in
           ((f["element/bearing/force_%d" % i][:], f["element/bearing/deformation_%d" % i][:]) for i in (1, 2)))
q2 = f["element/bearing/deformation_1"][:] ** 2 + f["element/bearing/deformation_2"][:] ** 2
work = work - 0.5 * 0.1 * 120e3 / 8e-3 * q2  # without the elastic part
for t, x, y, w in ((6, 0.00734016878, 0.0503942022, 192231.364), (10, 0.0761095821, 0.0782010239, 341583.883),
                   (20, -0.00877034581, 0.0883554105, 706503.294)):
    i = t * 4000
    near(f"ux at {t} s", ux[i], x, 0.152802498)
    near(f"uy at {t} s", uy[i], y, 0.221042257)
    near(f"hysteretic work at {t} s", work[i], w, 706503.294)
near("largest |ux|", abs(ux[::80]).max(), 0.152802498, 0.152802498)
near("largest |uy|", abs(uy[::80]).max(), 0.221042257, 0.221042257)
f = h5py.File("damped/result.h5")
u, v, r = f["displacement/x"][:], f["velocity/x"][:], f["element/damper/force"][:]
work = np.concatenate([[0], np.cumsum((r[1:] + r[:-1]) / 2 * np.diff(u))])
for t, x, y, w in ((6, 0.00426284133, 0.0215199023, 3.2052845), (10, 0.0233686127, -0.129887813, 503.669886),
                   (20, 0.00233037971, -0.00823686386, 972.249125)):
    i = t * 4000
    near(f"u at {t} s", u[i], x, 0.047201375)
    near(f"v at {t} s", v[i], y, 0.5)
    near(f"work at {t} s", work[i], w, 972.249125)
near("largest |u|", abs(u[::80]).max(), 0.047201375, 0.047201375)
print(f"largest relative difference {worst:.2g}")
END
/usr/bin/python3 compare.py >out 2>err || fail 'the systems differ'
cat out
exit $((failures > 0))
