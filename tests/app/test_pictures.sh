#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# Results beside each other: the differences that compare prints are those of awk on exported text, in per cent of the reference it
# names; pictures hold the curves, names and units that were asked for; what cannot be drawn or compared is said.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# An oscillator of 0.5 Hz, coarse and fine: most instants of the one fall between rows of the other.
cat >swing.yaml <<'END'
title: A swing
time: {step: 70 ms, end: 4.2 s}
method: newmark
model: {dofs: [x, y], mass: [1 kg, 1 kg], stiffness: [[10 N/m, 0 N/m], [0 N/m, 25 N/m]]}
initial: {displacement: {x: 30 mm}}
END
try 0 run swing.yaml --out one --quiet
try 0 run swing.yaml --set time.step=30ms --set time.end=3.9s --out two --quiet
for r in one two; do try 0 export $r --csv --quiet; done

cat >apart.awk <<'END'
# Two exported texts, NAME: rms and peak of the difference in per cent of the first, its largest value and when that was, by linear
# interpolation of the second.
BEGIN { FS = "," }
FNR == 1 { file++; for (i = 1; i <= NF; i++) if ($i == NAME) column = i; next }
file == 1 { n++; t[n] = $1; x[n] = $column }
file == 2 { m++; s[m] = $1; y[m] = $column }
END {
    for (i = 1; i <= n; i++) {
        if (t[i] > s[m]) continue
        for (k = 1; k < m - 1 && s[k + 1] <= t[i]; k++) continue
        d = y[k] + (t[i] - s[k]) / (s[k + 1] - s[k]) * (y[k + 1] - y[k]) - x[i]
        squares += d * d; whole += x[i] * x[i]; rows++
        if ((x[i] < 0 ? -x[i] : x[i]) > peak) peak = x[i] < 0 ? -x[i] : x[i]
        if ((d < 0 ? -d : d) > most) { most = d < 0 ? -d : d; at = t[i] }
    }
    printf "%.12g %.12g %.12g %.12g %d\n", 100 * sqrt(squares / whole), 100 * most / peak, most, at, rows
}
END
for name in 'x displacement' 'x velocity'; do
    unit=m; [ "$name" = 'x displacement' ] || unit=m/s
    set -- $(awk -v NAME="$name [$unit]" -f apart.awk one/csv/columns.csv two/csv/columns.csv)
    try 0 compare one two --columns "$name" --json
    set -- "$@" "$(at /others/0/columns/0/rms_percent)" "$(at /others/0/columns/0/peak_percent)" "$(at /others/0/columns/0/largest)" \
        "$(at /others/0/columns/0/time)" "$(at /others/0/instants)"
    echo "$@" | awk 'function apart(a, b) { return (a - b) * (a - b) > 1e-18 * a * a }
        NF != 10 || $1 < 0.1 || apart($1, $6) || apart($2, $7) || apart($3, $8) || apart($4, $9) || $5 != $10 { exit 1 }' ||
        fail "$name: awk and interfield: $*"
    is /reference one
    is /others/0/interpolated true
done

# The text: the reference, what is common of their times, and the worst column.
try 0 compare one two
says '^reference: one'
says 'at 56 times of the reference, 0 s to 3.85 s of 4.2 s, where this result ends; this result is interpolated linearly'
says 'x displacement  *[0-9.]*  *[0-9.]*   [0-9.]* mm at [0-9.]* s, peak 30 mm'
says 'y displacement .*identical' # at rest in both
says '^worst    energy stored in two: rms [0-9.]* %, peak [0-9.]* % of the reference' # twice the error of a displacement
try 0 compare one one --json
is /worst_rms 0
is /others/0/interpolated false
try 0 compare one one
says 'this result has a row at each of them'
says 'all columns are identical'
try 1 compare one two --tolerance '1 %'
try 0 compare one two --tolerance 0.5
# Of nothing there is no per cent.
try 0 run swing.yaml --set 'initial.displacement.y=1 mm' --out moved --quiet
try 0 compare one moved --columns 'y displacement' --json
is /others/0/columns/0/rms_percent null
try 0 compare one moved --columns 'y displacement'
says 'y displacement .* -  *-   1 mm at 0 s, peak 0 '

# The dof of an undivided structure is that of the substructure that alone has it.
cat >whole.yaml <<'END'
time: {step: 2 ms, end: 0.5 s}
ground: {motion: kanai-tajimi, peak: 0.2 g}
model: {shear-building: {storeys: [{mass: 1 t, stiffness: 1 MN/m, name: first}, {mass: 1 t, stiffness: 1 MN/m, name: roof}]}}
END
sed 's/^time/cut: {parts: {lower: first, upper: first to roof}}\n&/' whole.yaml >cut.yaml
try 0 run whole.yaml --out whole --quiet
try 0 run cut.yaml --out cut --quiet
try 0 compare whole cut --columns 'roof displacement' --tolerance 0.01
try 0 compare cut whole --columns 'roof displacement' --tolerance 0.01
try 2 compare whole cut --columns 'first displacement'
complains "'lower.first displacement', 'upper.first displacement' are similar"

# A test beside a run: what the specimen did on the rig is compared with what was computed of it.
cat >brace.yaml <<'END'
title: A brace on the rig
time: {step: 2 ms, end: 1 s}
model: {dofs: [x], mass: [2 t], stiffness: [[200 kN/m]]}
initial: {velocity: {x: 0.1 m/s}}
specimen:
  - name: brace
    bilinear: {between: [ground, x], stiffness: 300 kN/m, ratio: 0.05, yield: 4 mm}
    actuator: {first-order: {time-constant: 4 ms}}
    limits: {stroke: 60 mm, velocity: 1 m/s, acceleration: 50 m/s2, force: 200 kN, tracking: 20 mm}
test: {rig: virtual}
END
try 0 run brace.yaml --out ran --quiet
try 0 test brace.yaml --as-fast-as-possible --out tested --quiet
try 0 compare ran tested --columns 'brace*' --json
is /others/0/columns/0/column 'brace deformation'
is /others/0/columns/1/column 'brace force'
at /others/0/columns/1/rms_percent | awk '{ exit !($1 > 0 && $1 < 60) }' || fail 'force of the test beside that of the run'
try 0 compare tested ran --columns 'brace deformation'
says '^  brace deformation '

# Energies of a test and of a run are different quantities; those of two runs, or of two tests, are the same.
try 0 compare ran tested
says '^  not compared: energy input, energy kinetic, .*: the energies of a test contain the measured work on its specimens'
! grep -q '^  energy ' out || fail 'an energy of a test is compared with that of a run'
! grep -q '^worst    energy' out || fail 'an energy of a test is judged'
try 0 compare tested ran --json
/usr/bin/python3 -c 'import json
other = json.load(open("out"))["others"][0]
names = [c["column"] for c in other["not_compared"]]
assert "energy stored" in names and "energy specimens" in names, names
assert not [c for c in other["columns"] if c["column"].startswith("energy ")], other["columns"]
assert all("tracking error" in c["reason"] for c in other["not_compared"])' || fail 'the energies in the JSON'
try 2 compare ran tested --columns 'energy stored'
complains "nothing of 'tested' can be compared with 'ran': the energies of a test contain"
try 0 compare tested tested
says '^  energy stored .*identical'
! grep -q 'not compared' out || fail 'energies of two tests are not compared'

# The moment at the free end of a deck is rounding: shown, and judged only when it is named.
hinge="$IFD_SOURCE_DIR/cases/bridge/hybrid.yaml"
try 0 run "$hinge" --set time.end=1s --out coarse --quiet
try 0 run "$hinge" --set time.end=1s --set time.step=1ms --out fine --quiet
try 0 compare coarse fine --tolerance 0.2
says 'd15-d16 force 6  *- *-  .* N m: rounding$'
says '^worst    [a-z]'
! grep -q '^worst    d15-d16 force 6' out || fail 'rounding is the worst'
try 1 compare coarse fine --columns 'd15-d16 force 6' --tolerance 0.2
try 0 compare coarse fine --json
/usr/bin/python3 -c 'import json, sys
row = [c for c in json.load(open("out"))["others"][0]["columns"] if c["column"] == "d15-d16 force 6"][0]
assert row["rms_percent"] is None and row["judged"] is False and row["largest"] > 0, row' || fail 'rounding in the JSON'

# What cannot be compared.
cat >other.yaml <<'END'
time: {step: 70 ms, end: 4.2 s}
model: {dofs: [q], mass: [1 kg], stiffness: [[10 N/m]]}
initial: {displacement: {q: 30 mm}}
record: [displacement, q]
END
try 0 run other.yaml --out other --quiet
try 0 run swing.yaml --set 'record=[displacement, x]' --out lean --quiet
try 2 compare lean other
complains "'lean' and 'other' have no column in common: the first has x displacement"
try 2 compare one two --columns 'x displacment'
complains "no column 'x displacment'"
complains "did you mean 'x displacement'"
try 2 compare one two --columns 'displacement y' # the same words in another order
complains "did you mean 'y displacement'"
try 2 compare one two --columns 'no_disp'
! grep -q 'did you mean' err || fail 'a name with other words was suggested'
try 2 compare one two --out picture.gif
complains 'ends in .png, .svg, .pdf or .html'
try 2 compare one
complains 'needs RESULT RESULT'

command -v gnuplot >/dev/null || { verdict 'without gnuplot: compared only'; exit 0; }

# Overlays, loops, formats.
has() { grep -q -- "$2" "$1" || fail "$1 lacks '$2'"; }
try 0 plot one two --columns 'x displacement' --out both.svg
for text in '>one<' '>two<' '>x displacement \[mm\]<' '>Time \[s\]<' '>A swing<'; do has both.svg "$text"; done
try 0 plot tested --columns 'brace target,brace deformation,brace force' --out pair.svg
for text in '>target<' '>deformation<' '>brace displacement \[mm\]<' '>Force \[kN\]<'; do has pair.svg "$text"; done
dashed() { grep -c 'stroke-dasharray' "$1"; }
[ "$(dashed pair.svg)" -gt "$(dashed both.svg)" ] || fail 'the target is not dashed'
try 0 plot tested --xy 'brace deformation' 'brace force' --out loop.svg
for text in '>Deformation \[mm\]<' '>Force \[kN\]<' '>brace<'; do has loop.svg "$text"; done
try 0 plot ran tested --xy 'brace deformation' 'brace force' --out loops.svg --json
is /file loops.svg
for text in '>ran<' '>tested<' '>brace deformation \[mm\]<' '>brace force \[kN\]<'; do has loops.svg "$text"; done
try 0 plot tested --out tested.pdf
[ "$(head -c 5 tested.pdf)" = '%PDF-' ] || fail 'tested.pdf is not a PDF'
try 0 plot tested --format pdf
[ -s tested/plot.pdf ] || fail 'no tested/plot.pdf'
try 0 plot ran --out whole.svg
for text in 'Displacement \[mm\]' 'Absolute acceleration\|Energy \[' 'Deformation \[mm\]'; do has whole.svg "$text"; done
try 0 plot tested --wall --columns 'brace deformation' --out wall.svg
has wall.svg '>Wall-clock time \[s\]<'
try 0 plot ran tested
try 0 plot ran --list
says '^  brace deformation  *m  *specimen'
try 0 compare one two --columns 'x displacement' --out differ.svg --quiet
for text in '>x displacement \[mm\]<' '>Difference \[mm\]<' '>two<'; do has differ.svg "$text"; done

# Plots over the same time share its axis; axes end on a mark beyond the data; width, title and font are options.
[ "$(grep -o '>Time \[s\]<' pair.svg | wc -l)" = 1 ] || fail 'two plots over the same time do not share its axis'
[ "$(grep -o '>Time \[s\]<' whole.svg | wc -l)" -le 2 ] || fail 'plots over the same time do not share its axis'
try 0 plot one --columns 'x velocity' --out speed.svg # its peak is no mark
/usr/bin/python3 - <<'END' || fail 'an axis ends before the data'
import csv, re
rows = list(csv.reader(open("one/csv/columns.csv")))
x = [float(r[rows[0].index("x velocity [m/s]")]) for r in rows[1:]]
words = re.findall(r"<tspan[^>]*>\s*([-0-9.]+)\s*<|>\s*([-0-9.]+)\s*</text>", open("speed.svg").read())
marks = [float(a or b) for a, b in words]
assert marks and max(marks) >= max(x) and min(marks) <= min(x), (marks, max(x), min(x))
END
try 0 plot one --columns 'x displacement' --size 84mm --title 'Swing at rest' --font 'DejaVu Serif,9' --out narrow.svg
has narrow.svg 'viewBox="0 0 317 ' # 84 mm at 96 to the inch
has narrow.svg 'DejaVu Serif'
has narrow.svg '>Swing at rest<'
! grep -q '>A swing<' narrow.svg || fail 'a title beside the one that was given'
try 0 plot one --title '' --out untitled.svg
! grep -q '>A swing<' untitled.svg || fail 'a title that was not wanted'
for size in 84 2mm 3m; do try 2 plot one --size $size; complains '--size'; done
for font in ',9' 'A,x' "A' B" 'A,99'; do try 2 plot one --font "$font"; complains "expected a name and a size in points"; done

# A page: one file with the data of the same plots.
try 0 plot tested --html
says '^picture  tested/plot.html'
for text in '"label": "Displacement \[mm\]"' '"label": "Time \[s\]"' '"open": true' 'The plots need JavaScript'; do has tested/plot.html "$text"; done
try 0 plot one two --columns 'x displacement' --out both.html
for text in '"name": "one"' '"name": "two"' '"label": "x displacement \[mm\]"'; do has both.html "$text"; done
try 0 compare one two --columns 'x displacement' --out differ.html --quiet
has differ.html '"label": "Difference \[mm\]"'
try 2 plot one --html --out page.png
complains 'use one of them'

# A long name is cut in its middle, so that what is shown and its unit stay; small values have small units.
sed -e 's/x, y/north-abutment.bearing-line-1.longitudinal, y/' -e 's/x: 30 mm/north-abutment.bearing-line-1.longitudinal: 3 um/' swing.yaml >long.yaml
try 0 run long.yaml --out long --quiet
try 0 plot long --xy 'y displacement' 'north-abutment.bearing-line-1.longitudinal displacement' --out long.svg
has long.svg '>north-abutment.bearin….*displacement \[µm\]<'

# A column that stays zero is a line, without a warning.
try 0 plot one --columns 'y displacement' --out zero.svg
[ ! -s err ] || fail 'gnuplot warns of a constant'

# What cannot be drawn.
try 2 plot one --columns 'x displacment'
complains "no column 'x displacment'"
complains "did you mean 'x displacement'"
complains 'known: x displacement, y displacement'
try 2 plot one --xy 'x displacement' 'no force'
complains "no column 'no force'"
try 2 plot one --xy 'x displacement'
complains 'xy needs two values'
try 2 plot one --wall
complains 'a run has no wall-clock time'
try 2 plot one --out picture.gif
complains "found the ending '.gif', expected .png, .svg, .pdf or .html"
try 2 plot one --out picture.pdf --format png
complains 'use one of them'
try 1 plot one --out nowhere/picture.png
complains "'nowhere/picture.png' cannot be written: No such file"
try 2 plot one --from 9
complains 'too few rows'
try 2 plot one one one one one one one one one
complains 'found 9 results, plot draws at most 8'
try 2 plot one other --xy 'x displacement' 'q displacement'
complains 'no result contains both'
try 2 plot lean other
complains 'no common columns'

verdict 'results are compared and drawn beside each other'
