#!/bin/sh
# SPDX-License-Identifier: MIT
# Records of journal schema 1, made by interfield 0.1.0 before the schema rose: recover, report, export and compare read them for ever, to the
# digit; replay and --continue refuse them and say why. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
gzip -dc "$IFD_SOURCE_DIR/tests/record/old-records/schema-1.tar.gz" | tar x || exit 1
cd schema-1 || exit 1
ln -s ../json_ok json_ok

# A table of schema 1 as schema 2 has it: simulated time in front, wall-clock time behind it.
cat >now.py <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1])))
at = rows[0].index("simulated time [s]")
for row in rows:
    row[:] = [row[at], row[0], *row[1:at], *row[at + 1:]]
rows[0] = ["time [s]", "wall time [s]", *(name.replace(" wanted ", " target ") for name in rows[0][2:])]
csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
END
for name in done killed; do
    /usr/bin/python3 now.py $name.csv >$name-now.csv
    try 0 recover $name --out "$name-again"
    try 0 export "$name-again" --csv
    cmp -s "$name-now.csv" "$name-again/csv/channels.csv" || fail "$name: the recovered numbers are others than they were"
    try 2 replay $name
    complains 'recorded by interfield 0.1.0 with journal schema 1'
done
is outcome incomplete killed-again/summary.json
is outcome completed done-again/summary.json
is /record/made 71 done-again/summary.json
is /record/dropped 0 done-again/summary.json

for name in 'done' run done-again killed-again; do
    try 0 report $name
    try 0 export $name --csv -o "$name-csv"
    try 0 plot $name --format svg
done
cmp -s done-now.csv done-csv/channels.csv || fail "the exported numbers are others than they were"
try 0 compare 'done' done-again
try 2 report killed
complains 'interfield recover'
try 0 replay run

# Keys in ticks are refused today.
sed -i 's/late-limit: 1000000/late-for: 1000 s/' spring.yaml
try 2 test spring.yaml --out continued --as-fast-as-possible --continue paused --set time.end=2s
complains 'schema 1; this version of interfield reads schema 3'
# Its certificate is read, and found to be of another case, that with the old key; one that was edited is distinguished from it.
try 0 test spring.yaml --out certified --as-fast-as-possible
says "'spring.certificate.json' is not valid: the case, one of its source files or an override has changed"
grep -q "is not valid: the case, one of its source files or an override has changed" certified/summary.json || fail 'summary.json lacks a note that was said at set-up'
h5dump -a setup_notes certified/result.h5 | grep -q 'is not valid: the case, one of its source files or an override has changed' || fail 'result.h5 lacks a note that was said at set-up'
sed -i 's/"verdict": "GO"/"verdict": "NO-GO"/' spring.certificate.json
try 0 test spring.yaml --out changed --as-fast-as-possible
says "'spring.certificate.json' is not valid: the file is damaged or was edited"

# Journals of schema 2, made before measurements had stamps: read. They are not replayed: no version was released, and the state of a tick has
# other members since.
cd .. || exit 1
gzip -dc "$IFD_SOURCE_DIR/tests/record/old-records/schema-2.tar.gz" | tar x || exit 1
cd schema-2 || exit 1
ln -s ../json_ok json_ok
try 0 recover 'done' --out again
try 0 export again --csv
cmp -s done.csv again/csv/channels.csv || fail "schema 2: the recovered numbers are others than they were"
verdict "records of schemas 1 and 2 can be read"
