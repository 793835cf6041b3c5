#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 55 s
# A characterisation of a real rig with a clock, with its burst, by typed orders; judged by the log of that rig: clocked.py. Sees IFD_PROGRAM,
# IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
case_with storey.yaml '    estimate: {stiffness: 600 kN/m}'
sed -i 's/step: 2 ms/step: 8 ms/' storey.yaml # a tick of 4 ms, for busy machines
sed 's/peak: 0.1 g/peak: 0.03 g/' storey.yaml >soft.yaml
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/clocked.py" "$@" >out 2>err || fail "orders of a characterisation: $(tail -c 3000 err)"
cat out
verdict 'a characterisation moves by orders, its burst by new ones'
