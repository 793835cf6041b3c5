#!/bin/sh
# SPDX-License-Identifier: MIT
# The picture of a characterisation: what reaches gnuplot, against the numbers of characterisation.json. Gain and lag with a bar of three standard
# errors at each frequency, and the coherence. On a rig with noise in a process of its own (late_rig.py). Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
. "$IFD_SOURCE_DIR/tests/app/late_rig.sh"
case_with storey.yaml '    estimate: {stiffness: 600 kN/m}'
mkdir bin
printf '#!/bin/sh\ncat "$1" >"%s/drawn"\n' "$work" >bin/gnuplot
chmod +x bin/gnuplot
cat >judge.py <<'END'
import json, math, re
found = json.load(open("result/characterisation.json"))["spring"]
text = open("drawn").read()
data = {}
for name, block in re.findall(r"^\$(d\d_\d) << EOD\n(.*?)^EOD$", text, re.M | re.S):
    data[name] = [[float(x) for x in line.split()] if line.strip() else None for line in block.split("\n")[:-1]]
f, n = found["frequency"], len(found["frequency"])
assert n == 10 and sorted(data) == ["d0_0", "d0_1", "d1_0", "d1_1", "d2_0"], (n, sorted(data))


def near(x, y):
    return math.isfinite(x) and abs(x - y) <= 1e-5 * abs(y) + 1e-12


def curve(rows, values):
    points = [r for r in rows if r and all(map(math.isfinite, r))]
    assert len(points) == n, (len(points), n)
    assert all(near(p[0], f[i]) and near(p[1], values[i]) for i, p in enumerate(points)), (points, values)


def bars(rows, values, errors):
    """Each from below to above, and a gap before the next one."""
    assert len(rows) == 3 * n, (len(rows), n)
    for i in range(n):
        low, high, gap = rows[3 * i:3 * i + 3]
        assert near(low[0], f[i]) and near(high[0], f[i]) and errors[i] > 0
        assert near(low[1], values[i] - errors[i]) and near(high[1], values[i] + errors[i]), (low, high, values[i], errors[i])
        assert gap is None or not math.isfinite(gap[1]), gap


e = [3 * x for x in found["error_at"]]
curve(data["d0_0"], found["gain_at"])
bars(data["d0_1"], found["gain_at"], [x * g for x, g in zip(e, found["gain_at"])])
lag = [1e3 * x for x in found["lag_at"]]
curve(data["d1_0"], lag)
bars(data["d1_1"], lag, [1e3 * x / (2 * math.pi * w) for x, w in zip(e, f)])
curve(data["d2_0"], found["coherence_at"])
assert all(0 < c <= 1 for c in found["coherence_at"]) and min(found["coherence_at"]) < 1
plots = re.findall(r"^plot (.*)$", text, re.M)
assert len(plots) == 3 and all(w in plots[0] + plots[1] for w in ("$d0_1", "$d1_1", "3 standard errors")) and "$d2_0" in plots[2], plots
for label in ("Gain", "Lag [ms]", "Coherence", "Frequency [Hz]"):
    assert label in text, label
END
switch_on frequency=15 noise=20e-6
PATH=$work/bin:$PATH
try 0 characterise storey.yaml --as-fast-as-possible --out result
says '^picture  result/spring.png'
/usr/bin/python3 judge.py >judged 2>&1 || fail "the picture: $(tail -n 2 judged); $(head -c 600 drawn)"
verdict 'bars of three standard errors and the coherence are drawn'
