#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# The shipped studies in reduced forms: computed, answered, reported and drawn.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
cases=$IFD_SOURCE_DIR/cases

# Incremental dynamic analysis: three motions, coarse.
try 0 study "$cases/shear-pendulum/ida.study.yaml" --out ida --set 'vary.seed.range={from: 1, to: 3, count: 3}' \
    --set 'set={time.step: 4 ms}' --set analysis.ida.fill=1 --set analysis.ida.resolution=0.1
says '3 of 3 motions collapse'
says 'Collapse capacity (peak ground acceleration): median [345]'
is values/motions 3 ida/answer.json
is analysis ida ida/answer.json
try 0 report ida
grep -q 'Probability of collapse' ida/report.html || fail 'no chart of the fragility in the report'
grep -q '"kind": "thin"' ida/report.html || fail 'no curves in the report'
try 0 plot ida --out ida.svg
grep -q '<svg' ida.svg || fail 'no picture'

# Fragility of the stroke: ten motions, four stripes, half of the duration.
try 0 study "$cases/bridge/stroke.study.yaml" --out stroke --set 'vary.seed.range={from: 1, to: 10, count: 10}' \
    --set 'vary.peak ground acceleration.list=[0.35 g, 0.5 g, 0.65 g, 0.8 g]' --set 'set={time.step: 5 ms}' \
    --set analysis.stripes.bootstrap=20
says 'Fragility of stroke above 200 mm: median 0\.[56]'
is values/limits/0/motions/0 10 stroke/answer.json
try 0 report stroke
grep -q '<td>stroke \[m\]</td>' stroke/report.html || fail 'a scalar has no unit in the report'
grep -q 'bootstrap' stroke/report.html || fail 'no band of the bootstrap in the report'

# Preflight by virtual tests: twelve tests, whose errors agree with the published ones of the case.
try 0 study "$cases/bridge/preflight.study.yaml" --out tests --set sample.members=12 --set 'set={time.end: 8 s}'
says 'Probability of a trip'
says 'Error below 5 % in .* % of 12 virtual tests'
is values/tests 12 tests/answer.json
awk -F, 'NR > 1 && $11 == "" && $10 == "completed" {exit !($13 > 0.001 && $13 < 0.2)}' tests/study.csv ||
    fail 'the error of the pier is not of the expected size'

# The reduction error of one test agrees with interfield compare of the same test and run, which omits the last step.
printf 'case: %s\ncompute: test\nset: {time.end: 3 s}\nvary: {peak: {key: ground.peak, list: [0.5 g]}}\nkeep: {p1: {error: p1 displacement}}\n' \
    "$cases/bridge/hybrid.yaml" >one.yaml
try 0 study one.yaml --out one
try 0 run bridge/hybrid --set time.end=3s --out ideal
try 0 test bridge/hybrid --as-fast-as-possible --set time.end=3s --out tested
try 0 compare ideal tested --json
is others/0/columns/0/column 'p1 displacement'
awk -F, -v rms="$(at others/0/columns/0/rms)" 'NR == 2 {exit !(rms > 0.001 && $6 > 0.98 * rms && $6 < 1.02 * rms)}' one/study.csv ||
    fail "error of the study and of compare differ: $(tail -1 one/study.csv)"

# A summary without analysis; a folder of a study is no result of a run.
printf 'case: %s\nvary: {peak: {key: ground.peak, list: [0.1 g, 0.2 g]}}\nkeep: {top: {peak: x2 displacement}}\n' \
    "$cases/shear-pendulum/bouc-wen-both.yaml" >plain.yaml
try 0 study plain.yaml --set 'set={time.end: 2 s}'
is analysis summary runs/plain/answer.json
try 0 report runs/plain
try 1 plot runs/plain
complains 'has no charts'
verdict 'study answers: incremental dynamic analysis, fragility, virtual tests, summary, report and picture'
