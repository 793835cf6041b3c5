#!/bin/sh
# SPDX-License-Identifier: MIT
# Reports and comparisons: the page holds what it should, nothing of the case can break out of it, and the norms are those of a
# hand calculation.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python=/usr/bin/python3
[ -x $python ] || python=python3
fail() { echo "test_report: $*" >&2; exit 1; }

# A title that tries to be a script, in a run with parts and in a hybrid test.
for name in pg-alpha hybrid; do
    sed -e 's/^title:.*/title: "<script>alert(1)<\/script> \& \\"quoted\\""/' -e 's/end: 20 s/end: 2 s/' \
        "$IFD_SOURCE_DIR/cases/bridge/$name.yaml" >$name.yaml
done
cp "$IFD_SOURCE_DIR/cases/bridge/bridge.model.yaml" .
"$IFD_PROGRAM" run pg-alpha.yaml --set time.end=1.5s --out run --quiet
"$IFD_PROGRAM" test hybrid.yaml --as-fast-as-possible --out test --quiet
"$IFD_PROGRAM" run hybrid.yaml --out ideal --quiet
# A test begins with ramps on the wall clock; beside a run it stands over simulated time. The rig's own error is below 1 %.
"$IFD_PROGRAM" compare ideal test --columns 'd6.y displacement' --tolerance 0.02 --quiet || fail 'a test is not compared over simulated time'
mv bridge.model.yaml kept # a result needs none of the files it was made of
"$IFD_PROGRAM" report run --quiet
"$IFD_PROGRAM" report test --out page.html --quiet
[ -s run/report.html ] || fail 'no page of the run'

cat >look.py <<'END'
import base64, html.parser, json, re, struct, sys
VOID = {"meta", "br", "link", "img"}
LOOSE = {"td", "tr", "th", "p", "li"}       # may be left open in HTML
class Look(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tags, self.charts, self.programs, self.chart, self.text = [], [], {}, [], [], None, ""
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag == "section": self.ids.append(a["id"])
        if tag == "script" and a.get("type") == "application/json": self.chart = ""
        elif tag == "script": self.programs.append(a)
        for name in ("src", "href", "data", "action"):
            assert name not in a, (tag, a)
        assert not any(n.startswith("on") for n in a), (tag, a)
        if tag not in VOID | LOOSE: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): self.handle_starttag(tag, attributes); self.open and self.open[-1] == tag and self.open.pop()
    def handle_endtag(self, tag):
        if tag in LOOSE: return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
        if tag == "script" and self.chart is not None:
            self.charts.append(json.loads(self.chart))
            self.chart = None
    def handle_data(self, data):
        if self.chart is None: self.text += data
        else: self.chart += data
def numbers(packed):
    data = base64.b64decode(packed["data"])
    for (k,) in struct.iter_unpack("<H", data):
        if k != 65535: yield packed["from"] + packed["step"] * k
page, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
text = open(page, encoding="utf-8").read()
look = Look(); look.feed(text)
assert not look.open, look.open
# One program, which the page admits by a number that no text of a result can know; everything else that looks like one is data.
assert "iframe" not in look.tags and len(look.programs) == 1, (look.tags, look.programs)
nonce = look.programs[0]["nonce"]
assert re.fullmatch("[0-9a-f]{32}", nonce) and f"script-src 'nonce-{nonce}'\"" in text and text.count(nonce) == 2, nonce
assert "default-src 'none'" in text and "url(" not in text and "@import" not in text and not re.search(r"^(import|export) ", text, re.M)
assert "<noscript><p>The plots need JavaScript. Their numbers are in result.h5" in text
for section in wanted: assert section in look.ids, (section, look.ids)
assert len(set(look.ids)) == len(look.ids)
for chart in look.charts:
    for c in chart["curves"]:
        x, y = list(numbers(c["x"])), list(numbers(c["y"]))
        assert x and y and len(c["x"]["data"]) == len(c["y"]["data"]), ("an empty curve", chart["title"], c["name"])
        assert not c["rising"] or x == sorted(x), chart["title"]
assert len(text) < 1500000
summary = json.load(open(folder + "/summary.json"))
assert summary["title"] in look.text
if "bearing1" in summary.get("rig", {}):
    force = summary["rig"]["bearing1"]["force"]
    assert ("%.3g kN" % (force / 1e3)) in look.text, force
# Of a curve over time its peak is in the page, within half of one of 65,534 steps and three digits of summary.json.
if "peaks" in summary:
    shown = {f"{c['name']} displacement": max(map(abs, numbers(c["y"]))) * 1e-3 for chart in look.charts if chart["title"] == "displacement"
             for c in chart["curves"] if "[mm]" in chart["y"]["label"] and c["line"] is None}
    for name, peak in shown.items():
        if "rig" not in summary: assert abs(peak / summary["peaks"][name]["value"] - 1) < 1e-3, (name, peak, summary["peaks"][name])
print(page, len(look.ids), "sections", len(look.charts), "charts")
END
$python look.py run/report.html run results,scheme,histories,loops,joints,spectra,energy,case,versions
$python look.py page.html test results,scheme,histories,loops,tracking,spectra,energy,punctuality,case,versions

mv kept bridge.model.yaml
# What was known before the test is in the page, and why a test tripped, and what drives what.
status=0; "$IFD_PROGRAM" preflight hybrid.yaml --set time.end=0.5s --quiet >/dev/null || status=$?
[ "$status" = 0 ] || [ "$status" = 3 ] || { echo "preflight: exit status $status"; exit 1; }
"$IFD_PROGRAM" test hybrid.yaml --set time.end=0.5s --as-fast-as-possible --out known --quiet
"$IFD_PROGRAM" report known/ --out known.html | grep -q 'known.html$' || fail 'no page is named'
$python look.py known.html known results,scheme,certificate,punctuality
grep -q "$(sed -n 's/.*"certificate": "\(.*\)",/\1/p' known/certificate.json)" known.html || fail 'the number of the certificate is not in the page'
if "$IFD_PROGRAM" test hybrid.yaml --set specimen.0.limits.force=1kN --as-fast-as-possible --out tripped --quiet 2>said; then fail 'no trip'; fi
grep -q 'limit 1000 N' said || fail 'the limit that tripped has no unit'
"$IFD_PROGRAM" report tripped --quiet
grep -q '<b>FORCE</b> at .* on bearing1: a measured force exceeds its limit (.* limit 1000 N)' tripped/report.html || fail 'why it tripped'
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/rts-building/figure-17.yaml" --set time.end=0.2s --out rts --quiet
"$IFD_PROGRAM" report rts --quiet
grep -q '2 links</text>' rts/report.html && grep -q 'class=tip' rts/report.html || fail 'who leads whom is not drawn'

# The error against the ideal run is the number of compare, and the first table has it. A test without a clock says so; one with a clock is
# judged. What cannot be compared is said.
"$IFD_PROGRAM" compare ideal test --columns 'd6.y displacement' --json >against.json
"$IFD_PROGRAM" export test --csv -o exported --quiet
$python - <<'END'
import csv, json, re
rms = json.load(open("against.json"))["others"][0]["columns"][0]["rms"]
page = open("page.html", encoding="utf-8").read()
row = re.search(r"<tr><td>d6\.y displacement<td>([^<]*)<td>([^<]*)<td>[^<]*<td>([^<]*)<td>([^<]*)", page)
assert row, "no row of the largest displacement"
rows = list(csv.DictReader(open("exported/columns.csv")))
most = max((float(r["d6.y displacement [m]"]) for r in rows), key=abs)
assert (row.group(1)[0] == "-") == (most < 0), (row.group(1), most)
assert row.group(4).strip() == f"{100 * rms:.3g} %", (row.group(4), rms)
assert page.index("id=results") < page.index("id=scheme") < page.index("id=histories"), "the results are not first"
assert 0 < float(row.group(2).split()[0]) <= 2, f"not simulated time: {row.group(2)}"
END
grep -q 'Deadlines: not tested</b>. The test was free-running' page.html || fail 'a verdict on deadlines without a clock'
grep -A2 '"name": "target"' page.html | grep -q '"line": "dashed"' || fail 'the target is not dashed'
"$IFD_PROGRAM" test hybrid.yaml --set time.end=0.1s --set test.ramp-in=0.05s --set test.settle=0.01s --out clocked --quiet
"$IFD_PROGRAM" report clocked --no-ideal --quiet
grep -Eq 'Deadlines: (met|missed, within the permitted number)</b>: [0-9 ]+ of [0-9 ]+ ticks were late' clocked/report.html || fail 'no verdict on deadlines'
grep -q 'No error against the ideal run: not requested' clocked/report.html || fail 'an ideal run that was not asked for'

# A member of fibres has the loops of its sections.
"$IFD_PROGRAM" run rc-frame/column --set 'record=[elements, sections]' --out fibres --quiet
"$IFD_PROGRAM" report fibres --quiet
grep -q 'Curvature \[1/m\]' fibres/report.html || fail 'no moment over curvature'
grep -Eq '<b>computed</b>: [0-9]+ dofs?, 1 element,' fibres/report.html || fail 'a plural for one element'

# The same with the end of its record cut off: late ticks are counted again, what only the end holds is said to be missing, events are kept.
mkdir torn
head -c -20000 clocked/result.journal >torn/result.journal
cp clocked/events.log torn
"$IFD_PROGRAM" recover torn --quiet
"$IFD_PROGRAM" report torn-recovered --no-ideal --quiet
PYTHONPATH="$IFD_SOURCE_DIR/python" $python - <<'END'
import json
import interfield
result, clock = interfield.read("torn-recovered"), json.load(open("torn-recovered/summary.json"))["clock"]
late = result["late"]
counted = int((late > 0.5 * clock["period"]).sum())
assert (result.attributes["outcome"], clock["late_ticks"], clock["granted"]) == ("incomplete", counted, None), (clock, counted)
assert clock["late_max"] == max(late) and 0 < clock["late_p50"] <= clock["late_p999"] <= max(late) * 1.01, clock
page = open("torn-recovered/report.html", encoding="utf-8").read()
assert ("Deadlines: met" in page) == (counted == 0) and "Granted rights: not recorded" in page and "id=events" in page
assert "unknown: the record is truncated" in page, "its preflight"
END

# Velocity and acceleration of the command are those of the summary: differences over a tick, which its own columns confirm here.
PYTHONPATH="$IFD_SOURCE_DIR/python" $python - <<'END'
import json, re
import interfield
result, summary = interfield.read("clocked"), json.load(open("clocked/summary.json"))
period, rig = summary["clock"]["period"], summary["rig"]["bearing1"]
command, commanded = list(result["bearing1 command"]), list(result["commanded"])
step = [b - a if q and p else None for a, b, p, q in zip(command, command[1:], commanded, commanded[1:])]
velocity = max(abs(s) for s in step if s is not None) / period
acceleration = max(abs(b - a) for a, b in zip(step, step[1:]) if a is not None and b is not None) / period**2
assert abs(rig["velocity"] / velocity - 1) < 1e-9 and abs(rig["acceleration"] / acceleration - 1) < 1e-6, (rig, velocity, acceleration)
page = open("clocked/report.html", encoding="utf-8").read()
shown = {name: re.search(f"<td>command {name}<td>([^<]*)<td>", page).group(1).split() for name in ("velocity", "acceleration")}
for name, (number, unit) in shown.items():
    assert abs(float(number) * (1e-3 if unit.startswith("mm") else 1) / rig[name] - 1) < 6e-3, (name, number, unit, rig[name])
END
# The structure as it stands: a frame in the tones of its parts, floors with the specimen in its storey, a bridge with its bearing.
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/cut-frame-10/pg-alpha.yaml" --set time.end=0.05s --out cut --quiet
"$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/steel-frame/rig.yaml" --set time.end=0.5s --as-fast-as-possible --out storeys --quiet
for name in cut storeys; do "$IFD_PROGRAM" report $name --quiet; done
$python - <<'END'
import re
def drawn(page): return re.search(r'<svg class="scheme structure".*?</svg>', open(page, encoding="utf-8").read(), re.S).group()
def members(text, tone): return len(re.search(rf'class="member{tone}" d="([^"]*)"', text).group(1).split("M")) - 1
cut = drawn("cut/report.html")      # 3 bays, 10 storeys, cut at storey 7: 4 columns and 3 beams each, those of storey 7 on the cut
assert (members(cut, " p0"), members(cut, " p1"), members(cut, " shared")) == (7 * 4 + 6 * 3, 3 * 4 + 3 * 3, 3), cut[:200]
assert cut.count('class="support"') == 4, "four columns stand on the ground"
storeys = drawn("storeys/report.html")
assert members(storeys, "") == 2 * 3 and re.search('<g class="specimen"[^>]*><title>brace 1<', storeys), storeys
bridge = drawn("page.html")
assert members(bridge, "") == 15 and ">bearing1</text>" in bridge and ">p1</text>" in bridge, bridge
END

# Beside the structure the page shows its largest displacement, at the time of that peak; a result that records few points has none.
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/rc-frame/frame.yaml" --set time.end=0.5s --csv --out sway --quiet
"$IFD_PROGRAM" report sway --quiet
$python - <<'END'
import csv, math, re
rows = list(csv.reader(open("sway/result.csv")))
of = {}
for k, name in enumerate(rows[0]):
    if re.search(r"[.][xy] displacement", name): of.setdefault(name.split(".")[0], []).append(k)
peak, time = max((math.hypot(*(float(r[k]) for k in columns)), float(r[0])) for r in rows[1:] for columns in of.values())
page = open("sway/report.html", encoding="utf-8").read()
shown = re.search(r"t = ([0-9.]+) s; displacements x [0-9.]+, largest ([0-9.]+) mm at s2c", page)
assert page.count('class="member moved"') == 1 and math.isclose(float(shown.group(1)), time, rel_tol=1e-3), (shown, time)
assert math.isclose(float(shown.group(2)), 1e3 * peak, rel_tol=5e-3), (shown, peak)
assert 'class="member moved"' not in open("page.html", encoding="utf-8").read()
END

# A record that was recovered, and one that was cut.
"$IFD_PROGRAM" recover test --out found --quiet
"$IFD_PROGRAM" report found --quiet
$python look.py found/report.html found results,scheme,histories,loops,tracking,punctuality,case
mkdir killed
head -c -5000 test/result.journal >killed/result.journal
"$IFD_PROGRAM" recover killed --out cut-short --quiet
"$IFD_PROGRAM" report cut-short --quiet
grep -q 'recovered from its journal' cut-short/report.html || fail 'a record that was cut does not say so'
grep -q 'Deadlines: ' cut-short/report.html || fail 'no word on deadlines of a record that was cut'

# A test that is stopped has a hold, here without a bound.
"$IFD_PROGRAM" test hybrid.yaml --until 0.5 --as-fast-as-possible --out paused --quiet
"$IFD_PROGRAM" report paused --quiet
$python look.py paused/report.html paused results,holds
grep -q '<td>bearing1<td>.*<td>none<td>stopped' paused/report.html || fail 'no hold of a test that was stopped'

# A test at rest has no empty rows and no empty plots, and no heading without content.
cat >rest.yaml <<'END'
title: A spring at rest
time: {step: 2 ms, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [1000], stiffness: [4.0e+5]}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
test: {rig: virtual}
END
"$IFD_PROGRAM" test rest.yaml --as-fast-as-possible --without-preflight --out rest --quiet
"$IFD_PROGRAM" report rest --quiet
$python look.py rest/report.html rest results,punctuality,case
$python - <<'END'
import re
page = open("rest/report.html", encoding="utf-8").read()
assert "Nothing moved, and no force was measured." in page and "class=\"peaks" not in page
assert not re.search(r"id=(histories|tracking|energy|spectra)\b", page), "a section of a test at rest is empty"
titles = re.findall(r'"title": "([^"]*)"', page)
assert titles == ["fraction of ticks with a longer duration"], titles
assert "<td>100 m/s²<td" in page and "m/s2<" not in page
# Spectra: up to ten times the frequency of the largest amplitude.
import base64, json, struct
page = open("page.html", encoding="utf-8").read()
chart = next(c for c in map(json.loads, re.findall(r"<script type=application/json>(.*?)</script>", page, re.S)) if c["title"].startswith("amplitude"))
def numbers(p): return [p["from"] + p["step"] * k for (k,) in struct.iter_unpack("<H", base64.b64decode(p["data"]))]
x, y = numbers(chart["curves"][0]["x"]), numbers(chart["curves"][0]["y"])
assert abs(x[-1] / x[y.index(max(y))] - 10) < 0.01 or len(x) == 16, (x[-1], x[y.index(max(y))])
END

# A run without a free dof shows its element over time, not an empty section.
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/bearing/cyclic.yaml" --out cyclic --quiet
"$IFD_PROGRAM" report cyclic --quiet
$python look.py cyclic/report.html cyclic results,histories,loops
grep -q 'Deformation \[mm\]' cyclic/report.html || fail 'no deformation over time of a prescribed element'

# Names beside the floors: a mass with two elements on the roof, a specimen on it.
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/amd-frame/controlled.yaml" --out roof --quiet
"$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/carried-damper/rig.yaml" --as-fast-as-possible --out carried --quiet
for name in roof carried; do "$IFD_PROGRAM" report "$name" --quiet; done
for name in centring rail; do grep -q ">$name</text>" roof/report.html || fail 'elements between the same points are not named'; done

# In a real browser: every text can be read, and a test of one specimen is a short page.
"$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/two-dof-rig/rig.yaml" --as-fast-as-possible --out rig --quiet
"$IFD_PROGRAM" report rig --quiet
grep -Eq '<td>turn deformation<td>[^<]*<td>[^<]*<td>[^<]*<td>[0-9.]+ deg<td>[0-9.]+ %' rig/report.html || fail 'no ideal run beside a specimen that turns'
if [ ! -e "$IFD_BUILD_DIR/fmu_runtime2.so" ]; then
    echo 'a build with sanitizers: the pages are the same in a browser'
elif [ "${IFD_SKIP_SETUP-}" ] && ! command -v chromedriver >/dev/null; then
    echo 'no chromedriver here: the pages were not tried in a browser'
elif ! getent hosts localhost >/dev/null; then
    echo 'no host is called localhost here, which chromedriver needs: the pages were not tried in a browser'
else
    timeout 800 /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/report_browser.py" page.html:2500 rig/report.html:2500 cut/report.html paused/report.html roof/report.html carried/report.html sway/report.html || fail 'a page in a browser'
fi

# A rotation is told in degrees and moments.
"$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/three-actuators/block.yaml" --set time.end=0.2s --as-fast-as-possible --out turning --quiet
"$IFD_PROGRAM" report turning --quiet
grep -q '57.3 deg' turning/report.html && grep -q '200 kN m' turning/report.html || fail 'a rotation in metres'

# Norms against a hand calculation: x'' = 0 from v0 = 1 and from v0 = 2 over 1 s.
cat >free.yaml <<'END'
time: {step: 0.1 s, end: 1 s}
method: newmark
model: {dofs: [x], mass: [1 kg], stiffness: [[0 N/m]]}
initial: {velocity: {x: 1 m/s}}
END
"$IFD_PROGRAM" run free.yaml --out one --quiet
"$IFD_PROGRAM" run free.yaml --set 'initial.velocity.x=2 m/s' --out two --quiet
"$IFD_PROGRAM" run free.yaml --set 'time.step=0.05 s' --out fine --quiet
"$IFD_PROGRAM" compare one two --columns 'x displacement' --json >pair.json
$python - <<'END'
import json
d = json.load(open("pair.json"))["others"][0]["columns"][0]
assert abs(d["rms"] - 1) < 1e-12 and abs(d["peak"] - 1) < 1e-12, d    # u = t against u = 2 t
assert abs(d["largest"] - 1) < 1e-12 and abs(d["time"] - 1) < 1e-12, d
END
"$IFD_PROGRAM" compare one fine --columns 'x displacement' --tolerance 1e-12 --quiet || fail 'a straight line differs from itself'
"$IFD_PROGRAM" compare one one --columns 'x displacement' | grep -q identical || fail 'a result is not identical to itself'
if "$IFD_PROGRAM" compare one two --tolerance 0.5 --quiet; then fail 'the tolerance was not heeded'; fi
if "$IFD_PROGRAM" compare one two --columns nobody --quiet 2>said; then fail 'a column of nobody was compared'; fi
grep -q "no column 'nobody'" said || fail 'a column of nobody was not named'
if "$IFD_PROGRAM" report nowhere 2>said; then fail 'a missing result was reported on'; fi
grep -q 'nowhere' said || fail 'a missing result was not named'
echo fine
