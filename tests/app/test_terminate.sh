#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 9 s
# SIGTERM on commands that wait for somebody or run code of others: terminate.py has the scenes. Names from an FMU are tamed.
set -u
[ -e "$IFD_BUILD_DIR/fmu_runtime2.so" ] || { echo 'skipped: builds with sanitizers have no runtime to export'; exit 0; }
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
try 0 test bridge/hybrid --as-fast-as-possible --set time.end=0.2s --out done
try 0 export-fmu bridge/hybrid --out bridge.fmu
cat >day.yaml <<'END'
time: {step: 4 ms, end: 0.4 s}
model: {dofs: [x], mass: [2 t], stiffness: [[200 kN/m]]}
specimen:
  - name: bearing
    spring: {at: x, stiffness: 100 kN/m}
    actuator: {second-order: {frequency: 30 Hz, damping-ratio: 0.7}}
    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 20 kN, tracking: 5 mm}
test: {ramp-in: 0.1 s}
channels:
  zero: day.zero.yaml
  stroke: {input: position 1, measures: position of bearing, unit: mm, sensitivity: 25, range: [-120, 120], zero-limit: 2}
END
PYTHONDONTWRITEBYTECODE=1 $python "$IFD_SOURCE_DIR/tests/app/terminate.py" >out 2>err || fail 'SIGTERM'

# XML has no escape character, but the C1 characters, of which 9b begins a sequence too.
cat >poison.py <<'END'
import zipfile
with zipfile.ZipFile("bridge.fmu") as old, zipfile.ZipFile("poisoned.fmu", "w") as new:
    for name in old.namelist():
        data = old.read(name)
        if name == "modelDescription.xml":
            text = data.decode()
            found = text.count('modelName="') + text.count('description="')
            assert found > 1, text[:500]
            data = text.replace('modelName="', 'modelName="&#x9b;2J&#x7f;').replace('description="', 'description="&#x9b;31m').encode()
        new.writestr(name, data)
END
$python poison.py || fail 'the FMU could not be poisoned'
"$IFD_PROGRAM" fmu poisoned.fmu --steps 0 >out 2>err </dev/null
grep -q 'x9b2J' out || fail 'the name of the FMU is not shown: this test sees nothing'
if LC_ALL=C grep -q "$(printf '\302\233')" out err || LC_ALL=C grep -q "$(printf '\177')" out err; then
    fail 'a control character of an FMU came out'
fi
verdict 'SIGTERM ends commands that wait, and names of an FMU are tamed'
