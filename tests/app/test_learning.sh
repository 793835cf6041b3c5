#!/bin/sh
# SPDX-License-Identifier: MIT
# Copies that learn from a specimen, through the program: the recorded filter is recomputed by another implementation, a replay gives the same bits, a checkpoint
# keeps what was learned, and orders switch the updates. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

try 0 test bridge/learning --set time.end=3s --as-fast-as-possible --without-preflight --out learned
/usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/ukf.py" learned >out 2>err || fail "another filter finds other parameters: $(cat out err)"
try 0 replay learned
says 'identical'
try 0 replay learned --parameters recorded
says 'identical'
try 0 replay learned --parameters computed
try 2 replay learned --parameters guessed
complains "expected recorded or computed"

# stopped at 2 s and continued: the same parameters as in one piece, within what the noise of another hold changes
try 0 test bridge/learning --set time.end=3s --as-fast-as-possible --without-preflight --until 2s --out evening
try 0 test bridge/learning --set time.end=3s --as-fast-as-possible --without-preflight --continue evening --out morning
try 0 replay morning
says 'identical'
cat >compare.py <<END
import h5py
at = lambda folder, i: h5py.File(folder + "/result.h5")["identified/bearing1.stiffness/in_use"][i]
one, two, held = at("learned", -1), at("morning", -1), at("evening", -1)
print(one, two, held)
assert abs(one - 1.25) < 0.01 and abs(two - 1.25) < 0.01 and abs(held - 1.25) < 0.02
END
/usr/bin/python3 compare.py >out 2>err || fail "a continued test has not kept what it learned: $(cat out err)"

# the same with two rigs
copies=$IFD_SOURCE_DIR/tests/several/copies.yaml
try 0 test "$copies" --set time.end=2s --as-fast-as-possible --without-preflight --until 1s --out two-evening
try 0 test "$copies" --set time.end=2s --as-fast-as-possible --without-preflight --continue two-evening --out two-morning
try 0 replay two-morning
says 'identical'
cat >compare.py <<END
import h5py
at = lambda folder, name, i: h5py.File(folder + "/result.h5")["identified/" + name + ".stiffness/in_use"][i]
for name, due in ("lower", 1.25), ("upper", 1 / 1.2):
    held, first, last = at("two-evening", name, -1), at("two-morning", name, 0), at("two-morning", name, -1)
    print(name, held, first, last)
    assert first == 1.0 and abs(held - due) < 0.01 and abs(last - due) < 0.01
END
/usr/bin/python3 compare.py >out 2>err || fail "a continued test with two rigs has not kept what it learned: $(cat out err)"

# an order; without the key it is refused
echo update-off | "$IFD_PROGRAM" test bridge/learning --set time.end=0.5s --set test.ramp-in=0.1s --set test.late-for=1000s --without-preflight --out off >out 2>err || fail "a test with an order: $(cat err)"
grep -q 'order update-off' off/events.log || fail "the order is not in the event log: $(cat off/events.log)"
try 0 replay off
says 'identical'
echo update-off | "$IFD_PROGRAM" test bridge/hybrid --set time.end=0.1s --set test.ramp-in=0.1s --set test.late-for=1000s --without-preflight --out none >out 2>err || fail "a test without identify: $(cat err)"
grep -q 'order update-off refused' none/events.log || fail "an order without an effect is not refused: $(cat none/events.log)"
try 2 replay none --parameters recorded
complains "has no 'identify'"
exit $((failures > 0))
