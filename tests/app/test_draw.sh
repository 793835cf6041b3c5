#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# Pictures of structures: every shipped case has one, which an XML parser reads; nodes lie where their coordinates are, and where a
# result has moved them; releases, loads, supports and specimens are in it; names are escaped. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cat >svg.py <<'END'
import sys, csv, math, re, xml.etree.ElementTree as tree
class Picture:
    """tags: name and attributes; titles: the element of each title; words: the texts that are shown."""
    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        each = [(e.tag.rsplit('}', 1)[1], e) for e in self.root.iter()]
        self.tags = [(name, e.attrib) for name, e in each]
        self.text = ''.join(self.root.itertext())
        self.words = [e.text for name, e in each if name == 'text']
        self.titles = {c.text: e for name, e in each for c in e if c.tag.endswith('}title')}
    def titled(self, kind, title):
        e = self.titles[title]
        assert e.get('class') == kind, (title, e.attrib)
        return e.attrib
    def inside(self, title):
        return ''.join(e.get('d', '') for e in self.titles[title])
    def at(self, node):
        return float(self.titles[node].get('cx')), float(self.titles[node].get('cy'))
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

# Ties, weights, forces, chords, names. The roller of e leans by atan 0.57735, which is 30 degrees.
cat >tied.yaml <<'END'
time: {step: 1 ms, end: 0.1 s}
loads: [{at: c.x, force: {sine: {amplitude: 3 kN, frequency: 2 Hz}}}, {at: m.rz, force: {sine: {amplitude: 3 kN m, frequency: 2 Hz}}}]
model:
  masses: {b: 10 t, m: 4 t, c: 10 t}
  frame:
    material: {young: 210 GPa, density: 7850 kg/m3}
    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}
    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], m: [2.5 m, 3 m], c: [5 m, 3 m], d: [5 m, 0 m], g: [5.6 m, 3 m], k: [0 m, 5 m], l: [5 m, 5 m], e: [8 m, 1 m], f: [6 m, 1 m]}
    members: [[a, b, column], {from: b, to: m, section: beam, load: 20 kN/m}, [m, c, beam], [d, c, column], [b, k, column], [k, l, beam], [c, l, column], [f, e, beam], [g, f, column]]
    supports: {a: fixed, d: pinned, f: [y]}
    gravity-loads: {k: 50 kN}
  ties:
    - rigid: {name: floor1, nodes: [b, m], in: floor, at: [1 m, 3 m], mass: 6 t}
    - rigid: {master: c, nodes: [g]}
    - "e.y = 0.57735 * e.x"
    - "k.x = l.x"
  elements:
    - {name: damper, power-dashpot: {between: [a, c], coefficient: 1.5e+5, exponent: 0.4}}
    - {name: anchor, spring: {between: [[2 m, 0 m], k], stiffness: 5 MN/m}}
END
try 0 draw tied.yaml --out tied.svg
try 0 draw braced-frame/rig --out brace.svg
cat >check.py <<'END'
from svg import *
p = Picture('tied.svg')
scale = (p.at('c')[0] - p.at('a')[0]) / 5
def ends(p, kind, title):
    """Both ends of a symbol from its origin, turn and length."""
    a = p.titled(kind, title)
    x, y, turn = (float(n) for n in re.findall('[-0-9.]+', a['transform']))
    length = float(re.findall('H([-0-9.]+)', p.inside(title))[-1])
    return (x, y), (x + length * math.cos(math.radians(turn)), y + length * math.sin(math.radians(turn)))
def near(at, x, y):
    return math.dist(at, (p.at('a')[0] + scale * x, p.at('a')[1] - scale * y)) < 0.3
for title, one, two in (('damper', (0, 0), (5, 3)), ('anchor', (2, 0), (0, 5))):
    at = ends(p, 'element', title)
    assert near(at[0], *one) and near(at[1], *two), (title, at)
b = Picture('brace.svg')
at = ends(b, 'specimen', 'brace')
assert math.dist(at[0], b.at('a')) < 0.2 and math.dist(at[1], b.at('c')) < 0.3 and 'brace' in b.words, at
assert near(p.at('floor1'), 1, 3) and len(p.all('circle', 'master')) == 1
def corners(title):
    return [[float(n) for n in pair.split()] for pair in re.findall('[ML]([-0-9. ]+)', p.inside(title))]
for title, nodes in (('rigid floor1', [(0, 3), (2.5, 3)]), ('rigid c', [(5, 3), (5.6, 3)])):
    for x, y in nodes:
        assert any(near(at, x, y) for at in corners(title)), (title, x, y)
assert abs(float(re.findall('rotate[(]([-0-9.]+)', p.titled('slope', 'e.y = 0.57735 * e.x')['transform'])[0]) + 30) < 0.01
assert p.titled('tie equal', 'k.x = l.x') and len(p.all('path', 'load weight')) == 1 and len(p.all('path', 'load')) == 3
assert p.titled('force', 'c.x') and p.titled('force', 'm.rz')
for word in '50 kN', '20 kN/m', 'damper', 'anchor', 'floor1', *'abcdefgklm':
    assert word in p.words, word
END
/usr/bin/python3 check.py >out 2>err || fail 'ties and loads'

# Soil beside and below a pile, at each of its nodes; a floor in space is the area between its nodes; a specimen is at the node of the
# case, not at its master.
try 0 draw pile/pile --out pile.svg
try 0 draw rigid-floors/hybrid --out floors.svg
cat >check.py <<'END'
from svg import *
p = Picture('pile.svg')
soil = [t for t in p.titles if re.search('(p-y|t-z|q-z)-[xy]$', t)]
assert len(soil) == 25 + 24 + 1 and p.words.count('head') == 1 and 'shaft.3' not in p.words, len(soil)
for n in range(1, 24):
    assert p.titled('soil', f'shaft.{n}.p-y-x')['transform'].startswith('translate(%.1f %.1f)' % p.at(f'shaft.{n}'))
p = Picture('floors.svg')
area = [tuple(float(n) for n in pair.split()) for pair in re.findall('[ML]([-0-9. ]+)', p.inside('rigid floor2'))]
assert sorted(area) == sorted(p.at('s2x%dy%d' % (i, j)) for i in (1, 2) for j in (1, 2)), area
assert p.titled('specimen', 'brace')['transform'].startswith('translate(%.1f %.1f)' % p.at('s1x1y1'))
END
/usr/bin/python3 check.py >out 2>err || fail 'soil and floors'

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
