#!/bin/sh
# SPDX-License-Identifier: MIT
# A rig that is 20.3 ms late, in a process of its own without the library (late_rig.py): nothing is judged before it is measured, the twin that
# is measured is used, and a rig that has changed, answers irregularly or was never measured is refused. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
case_with storey.yaml '    estimate: {stiffness: 600 kN/m}'

# Without a twin nothing is recommended, and no test is allowed.
try 2 compensate storey.yaml
complains "'spring' has neither 'twin' nor 'actuator'"
try 1 preflight storey.yaml --out .
says "^NO-GO *twin .*spring has neither 'twin' nor 'actuator'.*: interfield characterise"
says '^NO-GO'
"$IFD_PROGRAM" preflight storey.yaml --set specimen.0.actuator=ideal >out 2>err
says '^CAUTION *twin .*the case does not describe the rig'

# What is measured is what is written.
switch_on delay=0.0203
try 0 characterise storey.yaml --as-fast-as-possible -o found.yaml --json
is spring/twin/found true
at spring/twin/delay >delay
awk 'NR == 1 {exit !($1 > 0.02027 && $1 < 0.02033)}' delay || fail "delay $(cat delay)"
grep -q '^  actuator: {delay: {delay: 0.020[23]' found.yaml || fail "no twin in $(cat found.yaml)"
grep -q '^estimate: {stiffness: [56][09][09]' found.yaml || fail "no estimate in $(cat found.yaml)"
is characterisations/0/specimens/0/name spring storey.characterisation.json
is characterisations/0/rig udp storey.characterisation.json

# With the fragment the best compensator is one that the test survives, by commands and forces of the rig.
case_with storey.yaml '    include: found.yaml'
try 0 compensate storey.yaml --json
at best >best
[ "$(cat best)" != none ] || fail "none is recommended for 20.3 ms"
certify storey.yaml
says '^ok *twin .*as characterised .* 0 days ago'
try 0 test storey.yaml --as-fast-as-possible --without-preflight --out done # a busy machine may forbid it
says completed
switch_on delay=0.0203 # the specimen is where it began

# A twin of another rig: 10 % and a tick of delay, 25 % of stiffness, both sides.
delayed() { "$IFD_PROGRAM" preflight storey.yaml --set "specimen.0.twin={actuator: {delay: {delay: $1}}}" >out 2>err; }
delayed 22.2ms
says '^ok *twin .*as characterised'
delayed 18.4ms
says '^ok *twin .*as characterised'
delayed 18.1ms
says "^NO-GO *twin .*spring: delay 18.1 ms, but 20.3 ms was measured"
delayed 22.5ms
says "^NO-GO *twin .*spring: delay 22.5 ms, but 20.3 ms was measured"
"$IFD_PROGRAM" preflight storey.yaml --set 'specimen.0.spring.stiffness=740 kN/m' >out 2>err
says '^ok *twin .*as characterised'
"$IFD_PROGRAM" preflight storey.yaml --set 'specimen.0.spring.stiffness=440 kN/m' >out 2>err
says "^NO-GO *twin .*spring: stiffness 440 kN/m, but 600 kN/m was measured"
"$IFD_PROGRAM" preflight storey.yaml --set 'specimen.0.spring.stiffness=760 kN/m' >out 2>err
says "^NO-GO *twin .*spring: stiffness 760 kN/m, but 600 kN/m was measured"

# Older than 30 days: caution. Of another rig: it does not count.
old=$(date -u -d '-31 days' +%Y-%m-%dT%H:%M:%S)
sed "s/\"date\": \"[^\"]*\"/\"date\": \"$old.000000Z\"/" storey.characterisation.json >old.json
cp storey.characterisation.json new.json
cp old.json storey.characterisation.json
"$IFD_PROGRAM" preflight storey.yaml >out 2>err
says "^CAUTION *twin .*31 days ago.*: characterise again"
cp new.json storey.characterisation.json
"$IFD_PROGRAM" preflight storey.yaml --set test.rig.udp.timeout=50s >out 2>err
says "^ok *twin  *the case describes the rig$"

# What was found at other settings of a rig stays beside what is found now; the newest one of the settings of the case counts.
/usr/bin/python3 - <<'END1'
import json
with open("new.json") as file:
    found = json.load(file)
other = json.loads(json.dumps(found["characterisations"][0]))
other["settings"] = "00000000000000ff"
other["specimens"][0]["delay"] = 0.05
found["characterisations"].insert(0, other)
with open("storey.characterisation.json", "w") as file:
    json.dump(found, file)
END1
"$IFD_PROGRAM" preflight storey.yaml >out 2>err
says "^ok *twin .*as characterised .* 0 days ago"

# A rig that answers irregularly has no twin and no inverse; preflight knows it.
switch_on delay=0.03 scatter=0.03
try 1 characterise storey.yaml --as-fast-as-possible -o irregular.yaml
complains 'spring: poor fit ([0-9]* %): the rig answers irregularly'
grep -q '^twin' irregular.yaml && fail 'a twin of an irregular rig'
grep -q 'inverse-[23]' irregular.yaml && fail 'an inverse of an irregular rig'
"$IFD_PROGRAM" preflight storey.yaml >out 2>err
says '^NO-GO *twin .*poor fit.*: repair it, then characterise again'
is characterisations/1/settings 00000000000000ff storey.characterisation.json
is characterisations/1/specimens/0/delay 0.05 storey.characterisation.json
at characterisations/2 storey.characterisation.json >/dev/null 2>&1 && fail 'an older record of the same settings stays'
verdict "a rig is judged as it was measured"
