#!/bin/sh
# SPDX-License-Identifier: MIT
# What a data repository asks for: title, authors, licence, units of every column and calibration of the sensors stand in
# datapackage.json and README.txt of an export, from the case or from the command line; what is missing or written wrongly is said.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3

cat >day.yaml <<'END'
title: "A bearing, \"calibrated\""
time: {step: 4 ms, end: 0.4 s}
model: {dofs: [x], mass: [2 t], stiffness: [[200 kN/m]]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: bearing
    spring: {at: x, stiffness: 100 kN/m}
    limits: {stroke: 100 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 20 kN, tracking: 5 mm}
channels:
  stroke: {input: position 1, measures: position of bearing, unit: mm, sensitivity: 25, range: [-120, 120]}
  cell: {input: aux 3, measures: force of bearing, unit: kN, sensitivity: 10, sign: -1, offset: 0.25}
  top: {input: aux 1, unit: g, sensitivity: 0.5, calibrated: 2026-09-01, twin: acceleration of bearing}
test: {operator: Ada, specimen-id: LRB 7}
publication:
  authors:
    - {name: Ada Lovelace, affiliation: University of Trento, orcid: 0000-0002-1825-0097}
    - Grace Hopper
  licence: CC-BY-4.0
  keywords: [hybrid simulation, bearing]
  description: One bearing.
END
try 0 test day.yaml --as-fast-as-possible --out tested --quiet
try 0 run day.yaml --set 'publication={}' --out ran --quiet
try 0 export tested --csv --json
is /metadata datapackage.json
is /sensors 3
is /missing/0 ''
try 0 export tested --mat --quiet
try 0 export tested --csv --mat -o both --json
is /exports/0/folder both/csv
is /exports/1/file result.mat
[ -f both/csv/columns.csv ] && [ -f both/mat/result.mat ] || fail 'not both formats'
try 0 export ran --csv
says 'no authors and no licence: data repositories require this'

# By a program that knows JSON and CSV, and nothing of ours.
cat >look.py <<'END'
import csv, json, os, re
package = json.load(open("tested/csv/datapackage.json"))
assert package["profile"] == "tabular-data-package" and re.fullmatch("[a-z0-9._-]+", package["name"]), package["name"]
assert package["title"] == 'A bearing, "calibrated"' and package["description"] == "One bearing."
assert package["licenses"] == [{"name": "CC-BY-4.0", "title": "Creative Commons Attribution 4.0", "path": "https://creativecommons.org/licenses/by/4.0/"}]
assert package["contributors"] == [
    {"title": "Ada Lovelace", "role": "author", "organization": "University of Trento", "path": "https://orcid.org/0000-0002-1825-0097"},
    {"title": "Grace Hopper", "role": "author"}], package["contributors"]
assert package["keywords"] == ["hybrid simulation", "bearing"]
assert package["operator"] == "Ada" and package["specimen"] == "LRB 7" and package["kind"] == "hybrid test"
assert re.match(r"\d{4}-\d\d-\d\dT", package["created"])
resource, = package["resources"]
path = "tested/csv/" + resource["path"]
assert resource["bytes"] == os.path.getsize(path)
rows = list(csv.reader(open(path)))
fields = resource["schema"]["fields"]
assert [f["name"] for f in fields] == rows[0]
assert all(f["name"] == f["title"] + " [" + f["unit"] + "]" and f["type"] == "number" for f in fields)
assert fields[0]["description"].startswith("simulated time")
assert all(f.get("description") for f in fields if f["group"] != "output"), [f["name"] for f in fields if not f.get("description")]
codes, = [f["codes"] for f in fields if f["title"] == "state"]
assert codes["3"] == "run", codes
wall, = [i for i, f in enumerate(fields) if f.get("description", "").startswith("wall-clock time")]
time = [(float(r[0]), float(r[wall])) for r in rows[1:]]
assert abs(max(t for t, w in time) - 0.4) < 0.005, "simulated time ends with the motion"
assert all(b[1] > a[1] and b[0] >= a[0] for a, b in zip(time, time[1:])) and time[-1][1] > 0.4, "wall-clock time goes on"
sensors = {s["name"]: s for s in package["sensors"]}
assert sensors["stroke"] == {"name": "stroke", "input": "position", "input_number": 1, "measures": "position", "actuator": 1, "unit": "mm",
                             "sensitivity": 25, "sign": 1, "offset": 0, "zero": 0, "range": [-120, 120]}, sensors["stroke"]
assert sensors["cell"]["sign"] == -1 and sensors["cell"]["offset"] == 0.25 and "range" not in sensors["cell"]
assert sensors["top"]["calibrated"] == "2026-09-01" and "measures" not in sensors["top"]
mat = json.load(open("tested/mat/datapackage.json"))
assert [v["name"] for v in mat["resources"][0]["variables"]][:2] == ["time", "wall_time"], mat["resources"][0]["variables"][:2]
bare = json.load(open("ran/csv/datapackage.json"))
assert not {"licenses", "contributors", "keywords", "sensors"} & set(bare) and bare["kind"] == "numerical simulation"
END
$python look.py || fail 'datapackage.json'
for text in 'Ada Lovelace, University of Trento' 'licence    CC-BY-4.0, https' 'cell  *aux  *3  kN  *10  *-1  *0.25' 'calibrated' 'wall-clock time' 'Codes of column `state`' ' 3  run'; do
    grep -q -- "$text" tested/csv/README.txt || fail "README.txt lacks '$text'"
done
grep -q 'licence    not given' ran/csv/README.txt || fail 'README.txt does not say that there is no licence'

# The command line takes the place of the case.
try 0 export tested --csv -o other --author 'Charles Babbage; Cambridge' --licence CC0-1.0 --keyword one --keyword two --json
is /missing/0 ''
grep -q '"title": "Charles Babbage"' other/datapackage.json && ! grep -q Lovelace other/datapackage.json || fail 'the author of the command line'
grep -q '"name": "CC0-1.0"' other/datapackage.json || fail 'the licence of the command line'
try 0 export ran --csv -o one --licence CC-BY-4.0
says 'no authors: data repositories'
try 0 export ran --csv -o unusual --author A --licence GPL-3.0-or-later
says "licence 'GPL-3.0-or-later' is not among the usual data licences"

# What is written wrongly.
try 2 export ran --csv -o no --licence 'CC BY 4.0'
complains "did you mean 'CC-BY-4.0'"
try 2 export ran --csv -o no --author 'Ada; Trento; 0000-0002-1825-0098'
complains "orcid '0000-0002-1825-0098': expected 16 digits"
try 2 export ran --csv -o no --author ' ; Trento'
[ ! -e no ] || fail 'files were written nevertheless'
try 2 export ran --csv
complains 'already exists'
try 2 export ran --license MIT
complains "did you mean '--licence'"

verdict 'exports say who made the data, in which units, by which sensors, and on which terms'
