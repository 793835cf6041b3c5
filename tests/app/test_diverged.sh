#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that diverges is called so, with exit status 1, also where it ends before its numbers are absurd.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Central difference beyond its limit of 2/omega = 0.2 s: in 12 s the amplitude grows by 1e6, to some kilometres.
cat >explicit.yaml <<'END'
time: {step: 202 ms, end: 12 s}
method: central-difference
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {x: 10 mm}}
END
try 1 run explicit.yaml --out explicit
says '^failed '
complains "the run diverged at .*dof 'x'"
complains 'try half the step'
grep -q '"outcome": *"failed"' explicit/summary.json || fail 'the summary has another outcome'
try 0 report explicit --quiet
grep -q 'most of the energy\. the time-integration' explicit/report.html || fail 'the report joins the fault and the caution'
grep -q '"name": *"DIVERGED"' explicit/summary.json || fail 'the summary has no fault'
try 0 run explicit.yaml --set time.step=198ms --out stable
says '^completed '

# Fibres that reverse, with one solution per step: what works is named, and works.
four=$IFD_SOURCE_DIR/cases/fibre-column/four.yaml
for method in mg-alpha lsrt2; do
    try 1 run "$four" --set "method=$method" --out "four-$method"
    complains 'the run diverged at'
    complains "$method solves each step once, which fails where fibres reverse: use hht, generalized-alpha or bathe, one element"
    complains "per member with 'formulation: force', or steps 10 to 100 times smaller"
done
for method in hht '{generalized-alpha: {rho: 0.2}}' bathe; do
    rm -rf four
    try 0 run "$four" --set "method=$method" --out four
    says '^completed '
done

# The states of fibres are recorded on request only: 9 of each element, 2 shares of its load and, at 3 points, 5 and 9 for each of 10 layers.
states() { try 0 plot "$1" --list; grep -c "^  first state [0-9]" out; }
! states four || fail 'states of fibres are recorded without a request'
sed '/^record/d' "$four" >plain.yaml
try 0 run plain.yaml --set time.end=20ms --out plain
! states plain || fail 'states of fibres are recorded by default'
grep -q '^  first force 6 ' out || fail 'forces of the elements are missing'
for record in '[states]' all; do
    rm -rf asked
    try 0 run plain.yaml --set "record=$record" --set time.end=20ms --out asked
    [ "$(states asked)" = $((9 + 2 + 3 * (5 + 10 * 9))) ] || fail "record: $record has not every state of the fibres"
done

rm -rf four
try 0 run "$four" --set method=mg-alpha --set time.step=0.1ms --set time.end=0.5 --out four # beyond the first reversal
try 1 run "$four" --set method=mg-alpha --set time.step=1ms --set time.end=0.6 --out four-short

# Motion that grows by itself, because the structure feeds it, has not diverged.
cat >active.yaml <<'END'
time: {step: 5 ms, end: 4 s}
method: newmark
model: {dofs: [x], mass: 1 kg, stiffness: 100 N/m, damping: -1 N s/m}
initial: {displacement: {x: 10 mm}}
END
try 0 run active.yaml --out active
says '^completed '
verdict 'runs that diverge are called so'
