#!/bin/sh
# SPDX-License-Identifier: MIT
# Sensors of wrong sign or size on a rig in a process of its own without the library (late_rig.py): characterise finds them, writes nothing and
# preflight is NO-GO. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
twin='
    twin: {actuator: {delay: {delay: 5 ms}}}'
case_with storey.yaml "    estimate: {stiffness: 600 kN/m}$twin"
case_with damper.yaml "    actuator: ideal$twin"
sed 's/spring: {between: \[ground, x\], stiffness: 600 kN.m}/dashpot: {between: [ground, x], damping: 20 kN s\/m}/' damper.yaml >damped.yaml
case_with negative.yaml "    estimate: {stiffness: -600 kN/m}$twin"

# refused CASE TEXT RIG...: nothing but the finding is written
refused() {
    file=$1 text=$2
    shift 2
    switch_on delay=0.005 "$@"
    try 1 characterise "$file" --as-fast-as-possible -o fragment.yaml
    complains "spring: $text"
    [ ! -e fragment.yaml ] || fail "$*: a fragment was written"
    "$IFD_PROGRAM" preflight "$file" --out certificate >out 2>err
    says "^NO-GO *twin .*$text.*: repair it, then characterise again"
}
# sound CASE RIG...
sound() {
    file=$1
    shift
    switch_on delay=0.005 "$@"
    try 0 characterise "$file" --as-fast-as-possible -o fragment.yaml
    [ -e fragment.yaml ] || fail "$*: no fragment was written"
    grep -q 'stiffness: 0[,}]' fragment.yaml && fail "$*: an estimate of zero"
    rm -f fragment.yaml
}
cell='the load cell or its sign is reversed: the specimen would do work'
refused storey.yaml 'the position sensor or its sign is reversed' position=-1
refused storey.yaml 'the position is not that of the command: check channel, unit and calibration of its sensor' position=0.001
refused storey.yaml "$cell" force=-1
sound storey.yaml
says 'stiffness 6' # or 5.99
"$IFD_PROGRAM" preflight storey.yaml --out certificate >out 2>err
says '^ok *twin .*as characterised'

# A device of negative stiffness has a negative estimate, and a reversed cell is found there too.
sound negative.yaml stiffness=-600000
refused negative.yaml "$cell" stiffness=-600000 force=-1

# Without stiffness the work decides; damping is called damping, and no estimate of zero is written.
switch_on delay=0.005 stiffness=0 damping=20000
try 0 characterise damped.yaml --as-fast-as-possible -o damper-found.yaml
says 'spring   no stiffness detected .*delay'
says 'damping [12].* N s/m'
grep -q '^estimate: {damping: [12]' damper-found.yaml || fail "estimate of a damper: $(cat damper-found.yaml)"
refused damped.yaml "$cell" stiffness=0 damping=20000 force=-1
sound damped.yaml stiffness=0 friction=800
refused damped.yaml "$cell" stiffness=0 friction=800 force=-1

# A wrong unit is named, and the case does not describe such a specimen.
sound storey.yaml force=0.2248
says 'CAUTION .*the stiffness is 0.225 times that of the case: check unit and calibration of the load cell'
"$IFD_PROGRAM" preflight storey.yaml --out certificate >out 2>err
says '^NO-GO *twin .*stiffness 600 kN/m, but 135 kN/m was measured'
verdict "sensors of wrong sign and size are found"
