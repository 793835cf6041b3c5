#!/bin/sh
# SPDX-License-Identifier: MIT
# Results of schema 1, made by the program before the schema rose: the readers for C, Python, MATLAB and Octave give them the names, words and times
# of schema 2, and every command does with them what it did. `held` was held, resumed, and led out by a fault, at two ticks per stage and time
# scale 2, and an instant was skipped; `tripped` tripped in ramp-in; `cut` was recovered from a record without an end. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
gzip -dc "$IFD_SOURCE_DIR/tests/record/old-records/results-1.tar.gz" | tar x || exit 1
cd results-1 || exit 1
ln -s ../json_ok json_ok

# What the file holds, in the order and with the times of schema 2, as text of 17 digits.
cat >expected.py <<'END'
import csv, sys
import h5py
f = h5py.File(sys.argv[1] + "/result.h5")
assert f.attrs["schema"] == 1
kept = {}
f.visititems(lambda path, d: kept.update({path: d}) if isinstance(d, h5py.Dataset) and "index" in d.attrs else None)
columns = sorted((d.attrs["index"], d.attrs["name"], d.attrs["unit"], d[()]) for path, d in kept.items() if path not in ("time", "test/simulated_time"))
test = "test/simulated_time" in f
columns = [(0, "time", "s", f["test/simulated_time" if test else "time"][()])] + ([(0, "wall time", "s", f["time"][()])] if test else []) + columns
def today(name):
    for then, now in (("wanted", "target"), ("total-acceleration", "absolute acceleration"), ("stretch", "deformation")):
        name = name[:-len(then)] + now if name.endswith(" " + then) else name
    return name
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(f"{today(name)} [{unit or 1}]" for _, name, unit, _ in columns)
out.writerows(zip(*(["%.17g" % x for x in values] for *_, values in columns)))
END
cat >read.py <<'END'
import csv, sys
import numpy
import interfield
name, outcome, reason = sys.argv[1:]
rows = list(csv.reader(open(name + "-expected.csv")))
for backend in ("h5py", "ctypes"):
    r = interfield.read(name, backend=backend)
    table = numpy.array(rows[1:], float)
    assert [f"{c} [{r.units[c] or 1}]" for c in r.channels] == rows[0][1:], (r.channels, rows[0])
    assert numpy.array_equal(r.time, table[:, 0]) and all(numpy.array_equal(r[c], table[:, i + 1]) for i, c in enumerate(r.channels))
    assert (r.wall_time is None) == (name == "run") and (name == "run" or numpy.array_equal(r.wall_time, table[:, 1]))
    assert numpy.array_equal(r["simulated time"], r.time) and numpy.array_equal(r["test/simulated_time"], r.time)  # as scripts of then have it
    assert (r.attributes["outcome"], r.attributes["outcome_reason"]) == (outcome, reason), r.attributes
paths = {name: path for path, name in r._paths.items()}
with open(name + "-columns.txt", "w") as f:  # for the reader of Octave
    f.writelines(f"{c}|{r.units[c]}|{r.groups[c]}|/{paths[c]}\n" for c in r.channels)
END
while IFS='|' read -r name outcome reason; do
    /usr/bin/python3 expected.py $name >$name-expected.csv || fail "$name cannot be looked at with h5py"
    try 0 export $name --csv -o $name-csv
    cmp -s $name-expected.csv $name-csv/channels.csv || fail "$name: ifd_table_read gives $(diff $name-expected.csv $name-csv/channels.csv | head -n 4 | cut -c1-200)"
    grep -q "^outcome  *$outcome\$" $name-csv/README.txt || fail "$name: $(grep '^outcome' $name-csv/README.txt)"
    PYTHONPATH="$IFD_SOURCE_DIR/python" /usr/bin/python3 read.py $name "$outcome" "$reason" 2>said || fail "$name: Python: $(tail -n 2 said)"
    try 0 report $name
    try 0 plot $name --format svg
    try 0 compare $name $name --tolerance 0
done <<'END'
run|completed|
held|fault|
tripped|tripped|
cut|incomplete|the program ended before it could close the record
END

# One that ended because of a late tick missed its deadlines, however many late ticks the case allows.
grep -q 'Deadlines: missed</b>: .*; this ended the test' held/report.html || fail "$(grep -o 'Deadlines: .*' held/report.html | cut -c1-200)"

# A summary tells the times of peaks as they were written, by their name.
PYTHONPATH="$IFD_SOURCE_DIR/python" /usr/bin/python3 - <<'END' || fail "summary.json of schema 1"
import json
peak = json.load(open("held/summary.json"))["peaks"]["spring measured"]
page = open("held/report.html").read()
assert "NaN" not in page and "nan" not in page.lower().replace("nano", ""), "a number that is none in the report"
END

# The journal of then gives the numbers of then; recovered, it has schema 2. A test of then is not replayed: no version was released, the state of a
# tick has other members since, and a ramp-in follows its path without the lag it had.
try 0 recover held --out again
is outcome fault again/summary.json
is schema 2 again/summary.json
try 0 compare held again --tolerance 0
try 0 replay run

if command -v octave-cli >/dev/null; then
    cat >check.m <<'M'
outcomes = struct('run', 'completed', 'held', 'fault', 'tripped', 'tripped', 'cut', 'incomplete');
for kind = {'run', 'held', 'tripped', 'cut'}
    r = interfield_read(kind{1});
    csv = dlmread([kind{1} '-expected.csv'], ',', 1, 0);
    assert(isequal(csv, [r.time, r.data]), 'other numbers');
    columns = strsplit(strtrim(fileread([kind{1} '-columns.txt'])), "\n");
    assert(numel(columns) == numel(r.names), 'other columns than in Python');
    for k = 1:numel(r.names)
        assert(strjoin({r.names{k}, r.units{k}, r.groups{k}, r.paths{k}}, '|'), columns{k});
    end
    if strcmp(kind{1}, 'run')
        assert(isempty(r.wall_time), 'a run has wall-clock time');
    else
        assert(isequal(r.wall_time, csv(:, 2)), 'wall-clock time');
    end
    assert(r.summary.outcome, outcomes.(kind{1}));
end
disp('Octave reads schema 1');
M
    timeout 300 octave-cli --quiet --path "$IFD_SOURCE_DIR/matlab" check.m >said 2>&1 || true
    grep -q 'Octave reads' said || fail "$(cat said)"
else
    echo 'Octave is not installed: its reader was not tried'
fi
verdict "results of schema 1 can be read"
