#!/bin/sh
# SPDX-License-Identifier: MIT
# events.log is a chain of hashes: verified by a program of its own, and by replay, report and recover, which find an edited line. Sees IFD_PROGRAM.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=${IFD_PYTHON:-/usr/bin/python3}

# Only the functions in use are linked.
${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -ffunction-sections -I "$IFD_SOURCE_DIR/include" -I "$IFD_SOURCE_DIR/app" -I "$IFD_SOURCE_DIR/app/session" \
    -o events_ok "$IFD_SOURCE_DIR/tests/app/events_ok.c" -Wl,--gc-sections -lpthread || exit 1
mkdir last && (cd last && ../events_ok) >out 2>err || fail 'the last line and another one'

cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 0.5 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s}
END

# Prints the last hash of a log, or the first line that is wrong.
cat >chain.py <<'END'
import hashlib
import sys

h = bytes(32)
for n, line in enumerate(open(sys.argv[1], "rb").read().split(b"\n")[:-1], 1):
    text, mark = line[:-19], line[-19:]
    h = hashlib.sha256(h + text).digest()
    if mark != b"  #" + h.hex()[:16].encode():
        sys.exit(f"line {n}: {line}")
print(h.hex())
END

# A name with a line end would begin a line of its own.
try 0 test spring.yaml --as-fast-as-possible --operator "A. Smith
2026-11-18T09:00:00.000Z  tick 0  t 0 s  order arm" --out done
$python chain.py done/events.log >chain || fail "another program finds another chain"
grep -q "\"events_chain\": \"$(cat chain)\"" done/summary.json || fail "summary.json: $(grep events_chain done/summary.json)"
tail -n 1 done/events.log | grep -q '  end: completed, .*  #[0-9a-f]\{16\}$' || fail "the last line: $(tail -n 1 done/events.log)"
grep -q 'operator A. Smith 2026-11-18T09:00:00.000Z  tick 0' done/events.log || fail "a name with a line end: $(head -n 1 done/events.log)"
$python - <<'END' || fail "result.h5 has another chain"
import h5py
assert h5py.File("done/result.h5").attrs["events_chain"] in (open("chain").read().strip(), open("chain").read().strip().encode())
END
try 0 replay done
says '^events  *[0-9]* lines as written$'
try 0 report done --no-ideal
grep -q 'lines, as written\.' done/report.html || fail "the report does not state that the log is as written"
grep -q 'state run$' done/report.html || fail "the report has other events: $(grep 'state run' done/report.html)"
try 2 test spring.yaml --as-fast-as-possible --out done

# edited COMMAND...: a copy whose log was edited by sed
edited() {
    rm -rf edited edited-recovered
    cp -r done edited
    sed "$@" done/events.log >edited/events.log
    ! cmp -s done/events.log edited/events.log || fail "nothing was edited: $*"
}
find_it() {
    try 1 replay edited
    grep -q "$1" err || fail "replay does not find: $1"
    try 1 report edited --no-ideal
    grep -q "$1" err || fail "report does not find: $1"
    grep -q "$1" edited/report.html || fail "the page does not state: $1"
    try 1 recover edited
    grep -q "$1" err || fail "recover does not find: $1"
    grep -q '"events_chain": null' edited-recovered/summary.json || fail 'recover vouches for an edited log'
}
at=$(grep -n 'state run' done/events.log | cut -d: -f1)
edited 's/state run/state hold/'
find_it "events.log: line $at was changed"
edited '/state run/d'
find_it "events.log: line $at was changed"
edited '$d'
find_it 'events.log: lines after line [0-9]* were removed, or summary.json was changed'
edited 's/  #[0-9a-f]*$//'
find_it 'events.log: line 1 was changed'
rm -rf edited edited-recovered && cp -r done edited && rm edited/events.log
try 1 replay edited
grep -q 'events.log is missing' err || fail 'replay does not miss the log'

# The hash in summary.json was changed with the log: that of result.h5 differs.
edited '$d'
sed -i "s/$(cat chain)/$($python chain.py edited/events.log)/; /checksum/d; s/\"events_chain\": \"\([0-9a-f]*\)\",/\"events_chain\": \"\1\",/" edited/summary.json
$python - <<'END'
import re
text = open("edited/summary.json").read()
open("edited/summary.json", "w").write(re.sub(r",\s*}\s*$", "\n}\n", text))
END
try 1 replay edited
grep -q 'summary.json and result.h5 contain different values of events_chain' err || fail 'the hash of result.h5 is not compared'

# A killed program leaves no hash of the whole log, and perhaps half a line: no forgery, and recover adds the hash.
rm -rf killed killed-recovered
mkdir killed
cp done/result.journal killed
head -c -30 done/events.log >killed/events.log
try 0 replay killed
says '^events  *[0-9]* lines as written; the log is truncated there$'
try 0 recover killed
grep -v '  end: ' done/events.log >whole
grep -q "\"events_chain\": \"$($python chain.py whole)\"" killed-recovered/summary.json || fail 'the chain of a recovered log'
try 0 report killed-recovered --no-ideal

# The characterisation of a rig and a continued test have logs of their own.
try 0 test spring.yaml --as-fast-as-possible --until 0.3 --out part
try 0 test spring.yaml --as-fast-as-possible --continue part --out rest
for folder in part rest; do
    $python chain.py $folder/events.log >/dev/null || fail "the log of $folder"
    try 0 replay $folder
done

exit $((failures > 0))
