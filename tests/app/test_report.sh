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
"$IFD_PROGRAM" compare ideal test --channels 'd6.y displacement' --tolerance 0.02 --quiet || fail 'a test is not compared over simulated time'
mv bridge.model.yaml kept # a result needs none of the files it was made of
"$IFD_PROGRAM" report run --quiet
"$IFD_PROGRAM" report test --out page.html --quiet
[ -s run/report.html ] || fail 'no page of the run'

cat >look.py <<'END'
import html.parser, json, re, sys
VOID = {"meta", "br", "link", "img"}
LOOSE = {"td", "tr", "th", "p"}       # may be left open in HTML
class Look(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tags, self.points, self.text = [], [], {}, [], ""
    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag == "section": self.ids.append(a["id"])
        if tag == "polyline": self.points.append(a["points"].split())
        for name in ("src", "href", "data", "action"):
            assert name not in a, (tag, a)
        assert not any(n.startswith("on") for n in a), (tag, a)
        if tag not in VOID | LOOSE: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): self.handle_starttag(tag, attributes); self.open and self.open[-1] == tag and self.open.pop()
    def handle_endtag(self, tag):
        if tag in LOOSE: return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
    def handle_data(self, data): self.text += data
page, folder, wanted = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
text = open(page, encoding="utf-8").read()
look = Look(); look.feed(text)
assert not look.open, look.open
assert "script" not in look.tags and "iframe" not in look.tags, look.tags
assert "url(" not in text and "@import" not in text
for section in wanted: assert section in look.ids, (section, look.ids)
assert len(set(look.ids)) == len(look.ids)
for p in look.points:
    assert p, "an empty curve"
    for pair in p:
        x, y = map(float, pair.split(","))
        assert -1 <= x <= 461 and -1 <= y <= 241, pair
assert len(text) < 1500000
summary = json.load(open(folder + "/summary.json"))
assert summary["title"] in look.text
if "rig" in summary:
    force = summary["rig"]["bearing1"]["force"]
    assert ("%.3g kN" % (force / 1e3)) in look.text, force
print(page, len(look.ids), "sections", len(look.points), "curves")
END
$python look.py run/report.html run scheme,histories,loops,joints,spectra,energy,case,versions
$python look.py page.html test scheme,limits,histories,loops,tracking,spectra,energy,punctuality,case,versions

mv kept bridge.model.yaml
# What was known before the test is in the page, and why a test tripped, and what drives what.
status=0; "$IFD_PROGRAM" preflight hybrid.yaml --set time.end=0.5s --quiet >/dev/null || status=$?
[ "$status" = 0 ] || [ "$status" = 3 ] || { echo "preflight: exit status $status"; exit 1; }
"$IFD_PROGRAM" test hybrid.yaml --set time.end=0.5s --as-fast-as-possible --out known --quiet
"$IFD_PROGRAM" report known/ --out known.html | grep -q 'known.html$' || fail 'no page is named'
$python look.py known.html known scheme,limits,certificate,punctuality
grep -q "$(sed -n 's/.*"certificate": "\(.*\)",/\1/p' known/certificate.json)" known.html || fail 'the number of the certificate is not in the page'
if "$IFD_PROGRAM" test hybrid.yaml --set specimen.0.limits.force=1kN --as-fast-as-possible --out tripped --quiet 2>said; then fail 'no trip'; fi
grep -q 'limit 1000 N' said || fail 'the limit that tripped has no unit'
"$IFD_PROGRAM" report tripped --quiet
grep -q '<b>FORCE</b> at .* on bearing1: a measured force exceeds its limit (.* limit 1000 N)' tripped/report.html || fail 'why it tripped'
"$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/rts-building/figure-17.yaml" --set time.end=0.2s --out rts --quiet
"$IFD_PROGRAM" report rts --quiet
grep -q '2 links</text>' rts/report.html && grep -q 'class=tip' rts/report.html || fail 'who leads whom is not drawn'

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
"$IFD_PROGRAM" compare one two --channels 'x displacement' --json >pair.json
$python - <<'END'
import json
d = json.load(open("pair.json"))["others"][0]["channels"][0]
assert abs(d["rms"] - 1) < 1e-12 and abs(d["peak"] - 1) < 1e-12, d    # u = t against u = 2 t
assert abs(d["largest"] - 1) < 1e-12 and abs(d["time"] - 1) < 1e-12, d
END
"$IFD_PROGRAM" compare one fine --channels 'x displacement' --tolerance 1e-12 --quiet || fail 'a straight line differs from itself'
"$IFD_PROGRAM" compare one one --channels 'x displacement' | grep -q identical || fail 'a result is not identical to itself'
"$IFD_PROGRAM" compare one two --channels 'x displacement' --out both.svg --quiet
grep -q 'x displacement \[m\]' both.svg && grep -q 'less the first \[m' both.svg || fail 'the comparison is not drawn'
if "$IFD_PROGRAM" compare one two --tolerance 0.5 --quiet; then fail 'the tolerance was not heeded'; fi
if "$IFD_PROGRAM" compare one two --channels nobody --quiet 2>said; then fail 'a channel of nobody was compared'; fi
grep -q 'no channel is in both' said || fail 'a channel of nobody was not named'
if "$IFD_PROGRAM" report nowhere 2>said; then fail 'a missing result was reported on'; fi
grep -q 'nowhere' said || fail 'a missing result was not named'
echo fine
