#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# Pictures of structures: every shipped case has one, which an XML parser reads; nodes lie where their coordinates are, and where a
# result has moved them; releases, loads, supports and specimens are in it; names are escaped. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >svg.py <<'END'
import sys, csv, xml.parsers.expat
class Picture:
    def __init__(self, path):
        self.tags, self.text, self.stack = [], [], []
        p = xml.parsers.expat.ParserCreate()
        p.StartElementHandler = lambda name, a: self.tags.append((name, a))
        p.CharacterDataHandler = self.text.append
        p.Parse(open(path, 'rb').read(), True)
        self.text = ''.join(self.text)
    def all(self, name, kind):
        return [a for n, a in self.tags if n == name and a.get('class', '') == kind]
END

cat >portal.yaml <<'END'
title: A portal & its <beam>
time: {step: 2 ms, end: 0.5 s}
ground: {signal: {sine: {amplitude: 3 m/s2, frequency: 2 Hz}}}
model:
  masses: {"b<&": 10 t, c: 10 t}
  frame:
    material: {young: 210 GPa, density: 7850 kg/m3}
    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}
    nodes: {a: [0 m, 0 m], "b<&": [0 m, 3 m], c: [5 m, 3 m], d: [5 m, -1 m]}
    members: [[a, "b<&", column], {from: "b<&", to: c, section: beam, release: end, load: 20 kN/m}, [d, c, column]]
    supports: {a: fixed, d: pinned}
  elements: [{name: brace, spring: {between: [ground, c.x], stiffness: 2 MN/m}}]
END
try 0 draw portal.yaml --out portal.svg
cat >check.py <<'END'
from svg import *
p = Picture('portal.svg')
node = {n: None for n in ('a', 'b', 'c', 'd')}
at = [(float(a['cx']), float(a['cy'])) for a in p.all('circle', 'node')]
want = [(0, 0), (0, 3), (5, 3), (5, -1)]
scale = (at[2][0] - at[0][0]) / 5
assert scale > 50, scale
for (x, y), (X, Y) in zip(at, want): # within the rounding of the file
    assert abs(x - at[0][0] - scale * X) < 0.11 and abs(at[0][1] - y - scale * Y) < 0.11, (x, y)
assert len(at) == 4
assert len(p.all('circle', 'release')) == 1
assert abs(float(p.all('circle', 'release')[0]['cx']) - at[2][0]) < 12, 'beside node c'
assert len(p.all('path', 'load')) == 1 and '20 kN/m' in p.text
assert len(p.all('path', 'support')) == 2 and len(p.all('g', 'element')) == 1
assert 'b<&' in p.text and 'A portal & its <beam>' in p.text and 'brace' in p.text
END
/usr/bin/python3 check.py >out 2>err || fail 'the picture of the portal'

# Displaced: node b moves by the factor times its displacement in the result, and so does the curve of the members.
try 0 run portal.yaml --out swing --csv --quiet
try 0 draw swing --at 0.3s --factor 40 --out swing.svg
cat >check.py <<'END'
from svg import *
import re
p = Picture('swing.svg')
rows = list(csv.reader(open('swing/result.csv')))
row = min(rows[1:], key=lambda r: abs(float(r[0]) - 0.3))
def moved(dof):
    return float(row[[i for i, h in enumerate(rows[0]) if h.startswith(dof + ' displacement')][0]])
at = [(float(a['cx']), float(a['cy'])) for a in p.all('circle', 'node')]
scale = (at[2][0] - at[0][0]) / 5
curve = [[float(x) for x in pair.split()] for pair in re.findall('[ML]([-0-9. ]+)', p.all('path', 'member moved')[0]['d'])]
want = (at[1][0] + 40 * scale * moved('b<&.x'), at[1][1] - 40 * scale * moved('b<&.y'))
assert abs(40 * scale * moved('b<&.x')) > 10, 'it moves'
assert min(abs(x - want[0]) + abs(y - want[1]) for x, y in curve) < 0.3, want
assert 't = 0.3 s' in p.text and 'x 40' in p.text
END
/usr/bin/python3 check.py >out 2>err || fail 'the displaced portal'
try 0 draw swing --out largest.svg # at the largest displacement
try 2 draw portal.yaml --at 1s
complains 'no result'
try 2 draw swing --at soon

# Modes beside each other.
try 0 modes portal.yaml --count 4 --draw
cat >check.py <<'END'
from svg import *
p = Picture('portal-modes.svg')
assert len(p.all('path', 'member moved')) == 4 and 'mode 4, ' in p.text
END
/usr/bin/python3 check.py >out 2>err || fail 'the modes of the portal'

# Every shipped case; those of frames have a circle for each node.
"$IFD_PROGRAM" list cases | awk '{ print $1 }' >names
for name in $(cat names); do
    try 0 draw "$name" --out case.svg
    /usr/bin/python3 -c 'from svg import *; p = Picture("case.svg"); assert len(p.tags) > 4' >out 2>err || fail "the picture of $name"
done
verdict "$(grep -c . names) pictures"
