#!/bin/sh
# SPDX-License-Identifier: MIT
# The script of interfield reduce --opensees: its matrices, frequencies and response, computed with numpy, against the stored file, modes
# and run. Where IFD_OPENSEES names an OpenSees binary, the response and the frequencies of that too. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3

# write FILE DAMPING ELEMENTS: a planar frame of 60 dofs
write() {
    cat >"$1" <<END
time: {step: 2 ms, end: 0.6 s}
method: newmark
model:
  frame:
    material: {young: 30 GPa, density: 2.5 t/m3}
    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}
    grid: {bays: 3 x 6 m, storeys: 5 x 3 m, columns: column, beams: beam, beam-mass: 2 t/m}
  $2
  elements: [$3]
  reduce: {frequency: 30 Hz}
ground: {signal: {sine: {amplitude: 3, frequency: 1.3 Hz}}}
record: [displacement, s5c1.x, s1c2.x, s2c1-s3c1]
output: {csv: yes}
END
}
write rayleigh.yaml 'rayleigh: {ratio: 3 %, frequencies: [1 Hz, 20 Hz]}' 'dashpot: {between: [s1c2.x, s2c2.x], damping: 2 MN s/m}'
write modal.yaml 'modal-damping: [2 %, 5 %, 1 %]' ''
for name in rayleigh modal; do
    try 0 reduce $name.yaml --steps 50 --out $name.h5 --opensees $name.tcl
    says "$name.tcl"
    try 0 run $name.yaml --out run-$name
    try 0 modes $name.yaml --json
    cp out $name.json
done
# The structure alone, with a mass and a spring on it, which the script of OpenSees adds by itself.
sed '/^ *frame:/,/^ *reduce:/c\  superelement: rayleigh.h5\n  masses: {s5c1.x: 30 t}\n  elements: [spring: {at: s1c2.x, stiffness: 20 MN/m}]
s/, s2c1-s3c1//' rayleigh.yaml >added.yaml
grep -q masses added.yaml || fail "added.yaml has no mass"
try 0 run added.yaml --out run-added

# From the stored file: the same script but for the line of the comparison.
try 0 reduce rayleigh.h5 --opensees stored.tcl
says stored.tcl
grep -v '^# compared with the full model: 50 steps' rayleigh.tcl >expected.tcl
[ "$(wc -l <rayleigh.tcl)" = $(($(wc -l <expected.tcl) + 1)) ] || fail "the script has no line about the comparison"
cmp expected.tcl stored.tcl || fail "the script of the stored superelement differs"
try 2 reduce rayleigh.h5 --opensees stored.tcl
complains 'not overwritten'
try 2 reduce rayleigh.h5
complains 'only --opensees'
head -c 5000 rayleigh.h5 >damaged.h5
try 2 reduce damaged.h5 --opensees damaged.tcl
complains 'damaged'
[ ! -e damaged.tcl ] || fail "a script of a damaged superelement"
try 0 reduce rayleigh.yaml --steps 0 --opensees again.tcl --json
is /opensees again.tcl

$python "$IFD_SOURCE_DIR/tests/app/reduce_opensees.py" || fail "the script is not the superelement"
verdict 'the script for OpenSees is the superelement'
