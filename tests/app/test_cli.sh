#!/bin/sh
# SPDX-License-Identifier: MIT
# The program as a person meets it: every command, exit status, --json, --quiet, errors, interrupt, full and forbidden
# places.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
unset NO_COLOR

silent_out() { [ ! -s out ] || fail "stdout should be empty: $*"; }
silent_err() { [ ! -s err ] || fail "stderr should be empty: $*"; }
json() { ./json_ok <out >/dev/null || fail "stdout is not one JSON object: $*"; }
rows() { h5ls "$1/result.h5/time" | sed 's/.*{\([0-9]*\).*/\1/'; }

cat >two.yaml <<'END'
title: Two storeys
time: {step: 2 ms, end: 4 s}
method: lsrt2
ground: {motion: kanai-tajimi, seed: 7, peak: 0.30 g}
model:
  dofs: [x1, x2]
  mass: [1.5, 1.5]
  stiffness: [[4000, -4000], [-4000, 4000]]
  elements:
    - bouc-wen: {between: [ground, x1], stiffness: 4000 N/m, beta: 100, gamma: 100}
      name: storey1
END
cat >linear.yaml <<'END'
title: Oscillator
time: {step: 10 ms, end: 1 s}
method: newmark
model: {dofs: [x], mass: [4], damping: [2], stiffness: [400]}
loads: [{at: x, force: {cosine: {amplitude: 8 N, frequency: 1 Hz}}}]
END
cat >wrong.yaml <<'END'
title: Wrong
time: {step: -1 ms, end: 4 s}
methode: lsrt2
model: {dofs: [x], mass: [4], stiffness: [400 kg]}
END

# run
try 0 run two.yaml --out a
says 'model .*2 dofs, 1 element'
says '^completed .*4 s in'
says '^peaks .*x2 '
says '^checks .*energy balance'
says '^files .*a/'
silent_err run
[ "$(rows a)" = 2001 ] || fail "a/result.h5 holds $(rows a) rows, expected 2001"
[ -s a/summary.json ] || fail "no summary.json"
[ ! -e a/result.csv ] || fail "a CSV file that nobody asked for"
try 0 run two.yaml --out b --csv --quiet
silent_out quiet
silent_err quiet
[ "$(wc -l <b/result.csv)" = 2002 ] || fail "b/result.csv holds $(wc -l <b/result.csv) lines, expected 2002"
try 0 run two.yaml --out c --json --set time.end=1s --set method=mg-alpha
json run
silent_err run --json
cmp -s out c/summary.json || fail "--json and summary.json differ"
[ "$(at /outcome)" = completed ] || fail "outcome is $(at /outcome)"
[ "$(at /rows)" = 501 ] || fail "rows is $(at /rows)"
[ "$(at /method/name)" = mg-alpha ] || fail "method is $(at /method/name)"
try 0 run two.yaml
try 0 run two.yaml
[ -s runs/two-001/result.h5 ] && [ -s runs/two-002/result.h5 ] ||
    fail "runs/two-001 and -002 were expected: $(ls runs)"

# drift of the storeys of a shear building: the first is that of its floor
cat >shear.yaml <<'END'
time: {step: 5 ms, end: 1 s}
method: lsrt2
ground: {signal: {sine: {amplitude: 1 m/s2, frequency: 1 Hz}}}
model: {shear-building: {mass: [2 t, 1 t], stiffness: [2 MN/m, 1 MN/m]}}
END
try 0 run shear.yaml --out s --json
[ "$(at /drift/storey1/value)" = "$(at '/peaks/"floor1 displacement"/value')" ] || fail "drift of storey 1"
at /drift/storey2/value >/dev/null || fail "no drift of storey 2"

# an existing result is not overwritten
before=$(cksum <a/result.h5)
try 2 run two.yaml --out a
complains "'a' already contains a result"
complains '--out a-2'
[ "$before" = "$(cksum <a/result.h5)" ] || fail "a/result.h5 was changed"
try 0 run two.yaml --out=a --force --set=time.end=1s
[ "$(rows a)" = 501 ] || fail "--force left $(rows a) rows"

# bad input: all errors at once, nothing written
try 2 run wrong.yaml --out w
silent_out run wrong
complains 'wrong.yaml:2:'
complains 'wrong.yaml:3:1:'
complains "did you mean 'method'"
complains 'wrong.yaml:4:'
[ ! -e w ] || fail "something was written for a wrong case"
try 2 check wrong.yaml --json
json check wrong
[ "$(at /outcome)" = 'bad input' ] || fail "outcome is $(at /outcome)"
[ "$(at /findings/0/line)" -gt 0 ] || fail "no line in the JSON finding"
try 2 check two.yaml --explain
complains "shows the parts of a test, and 'two.yaml' has no section 'test'"
try 2 run missing.yaml
complains "the file 'missing.yaml' does not exist"
complains 'case files in that folder: .*two.yaml'
try 2 run tow.yaml
complains "did you mean 'two.yaml'"
try 2 run .
complains 'is a folder, expected a case file'
mkdir hollow
try 2 run hollow
complains 'interfield list cases'
try 2 report two.yaml
complains 'interfield run two.yaml computes its result'
for command in report plot replay compare live recover; do
    try 2 $command hollow $([ $command = compare ] && echo hollow)
    complains 'the folder of a run or a test'
done
: >nothing.yaml
try 2 check nothing.yaml
complains 'interfield help case'
printf 'time: {step: 1 ms, end: 1 s\nmethod: newmark\n' >open.yaml
try 2 check open.yaml
complains 'is not closed'
try 2 run no/such-case
complains "'no/such-case' is neither a case file nor a shipped case"
try 2 run two.yaml --set time.stepp=1ms
complains 'stepp'

# the command line
try 2 rum two.yaml
complains "did you mean 'run'"
try 2 run two.yaml --outt x
complains "did you mean '--out'"
try 2 run
complains 'needs CASE'
try 2 run two.yaml three.yaml
try 2 run two.yaml --out
complains '--out needs a value'
try 2 run --json
json bad command line
try 2
says 'interfield run'
try 0 --help
says 'interfield run shear-pendulum'
try 0 --version
says '^interfield [0-9]'
try 0 --version --json
json version
for command in $("$IFD_PROGRAM" help | sed -n '/^    interfield/d; s/^    \([a-z-]*\) .*/\1/p'); do
    try 0 help "$command"
    says "^interfield $command"
    try 0 "$command" --help
    says "^interfield $command"
done
# The plainest example comes first, before the keys.
for topic in case specimen; do
    try 0 help $topic
    sed '/^  [a-z]/,$d' out >before
    grep -q '^Example:$' before || fail "help $topic has no example before its keys"
    [ "$topic" != case ] || grep -q '^    time: ' before || fail 'the first example of help case has no time'
    ! grep -q '^    set:' before || fail "the first example of help $topic has set"
    says '^Further examples:$'
done
try 0 help case
says time
try 0 help case --json
json help
try 2 help bouc-wenn
complains "did you mean 'bouc-wen'"

# check
try 0 check two.yaml
says '2 dofs, 1 element'
try 0 check two.yaml --json
json check
[ "$(at /dofs)" = 2 ] || fail "check says $(at /dofs) dofs"
[ "$(at /linear)" = false ] || fail "check says linear"
try 0 check two.yaml --quiet
silent_out check

# list
for list in methods couplings extrapolators elements signals actuators compensators rigs states faults errors topics cases studies papers; do
    try 0 list $list
    silent_err list
    try 0 list $list --json
    json list $list
    try 0 list $list --quiet
    silent_out list
done
# Every list alone, with its number of entries.
try 0 list
cp out lists
[ "$(wc -l <lists)" = 15 ] || fail "there are $(wc -l <lists) lists"
while read -r list entries _; do
    try 0 list "$list"
    [ "$list" != papers ] || sed -i '/^00[0-4] /d' out
    [ "$(wc -l <out)" = "$entries" ] || fail "list $list has $(wc -l <out) entries, list says $entries"
done <lists
try 0 list --json
json list
is /lists/0/name cases
try 0 list --quiet
silent_out list
try 0 list studies
for study in $(cd "$IFD_SOURCE_DIR/cases" && ls */*.study.yaml); do
    says "^${study%.study.yaml}  *$(sed -n 's/^title: *//p' "$IFD_SOURCE_DIR/cases/$study" | head -n 1)\$"
done
try 0 list papers
says '^004  *Sajeeb, Roy, Manohar (2007)$'
says '^004-fig17  *three storeys with two light subsystems, 35 rad/s (rts-building/figure-17)$'
cut -d' ' -f1 out | grep -e - | sort >listed
"$IFD_PROGRAM" reproduce --list | cut -d' ' -f1 | sort | cmp -s - listed || fail 'list papers has other figures than reproduce --list'
for case in $(sed -n 's/.* (\([a-z0-9-]*\/[a-z0-9-]*\))$/\1/p' out); do
    [ -f "$IFD_SOURCE_DIR/cases/$case.yaml" ] || fail "list papers: there is no case $case"
    grep -q "\"${case%/*}/" "$IFD_SOURCE_DIR"/reproduce/*.c || fail "list papers: reproduce has nothing of $case"
done
try 0 list papers --json
is /papers/1/case shear-pendulum/free
is /papers/1/command 'interfield reproduce 000-fig3'
try 0 list methods
for method in lsrt1 lsrt2 mg-alpha newmark hht generalized-alpha central-difference chang reference; do
    says "^$method "
done
try 2 list method
complains "did you mean 'methods'"

# spectrum: values of the literature, LSRT2 with both gammas and LSRT1 at Omega = 2
try 0 spectrum lsrt2 --omega 2 --json
json spectrum
case $(at /rows/0/radius) in 0.96681456*) ;; *) fail "radius $(at /rows/0/radius), expected 0.96681456" ;; esac
try 0 spectrum lsrt2 --gamma plus --omega 1,2 --json
case $(at /rows/1/radius) in 0.38958284*) ;; *) fail "radius $(at /rows/1/radius), expected 0.38958284" ;; esac
try 0 spectrum lsrt1 --omega 2
says '0.447213595'
try 0 spectrum mg-alpha --rho 0.5 --damping 0.05
says '   100 '
try 0 spectrum central-difference --omega 3
says unstable
try 2 spectrum lsrt2 --rho 0.5
complains "no parameter 'rho'"
try 2 spectrum lsrt3
complains "did you mean 'lsrt"
try 2 spectrum lsrt2 --omega 1,x
try 2 spectrum lsrt2 --damping 2
try 2 spectrum lsrt2 --param gamma
try 0 spectrum newmark --param beta=0.25 --quiet
silent_out spectrum

# modes, static: closed forms of the oscillator, sqrt(400/4)/(2 pi) Hz and 8/400 m
try 0 modes linear.yaml
says '1.5915494'
# round-off is no participation, and no peak
try 0 modes "$IFD_SOURCE_DIR/cases/four-dof-rig/ground.yaml"
! grep -q 'e-1[0-9]' out || fail "round-off in the table of modes"
try 0 run "$IFD_SOURCE_DIR/cases/p-delta/member.yaml" --force --out tiny
says 'head.rz 0.0021 deg at 0 s'
! grep -q head.y out || fail "round-off among the peaks"
try 0 modes linear.yaml --json
json modes
case $(at /modes/0/frequency) in 1.591549430918*) ;; *) fail "frequency $(at /modes/0/frequency)" ;; esac
case $(at /modes/0/shape/0) in
0.5* | -0.5*) ;;
*) fail "shape $(at /modes/0/shape/0), expected 1/sqrt(m) = 0.5" ;;
esac
try 2 modes linear.yaml --count 0
try 0 static linear.yaml
says '0.02 m'
try 0 static linear.yaml --json
json static
case $(at /displacement/x) in
0.02 | 0.0200000000000000* | 0.0199999999999999*) ;;
*) fail "displacement $(at /displacement/x), expected 0.02" ;;
esac
try 2 static linear.yaml --time soon

# converge
try 0 converge linear.yaml --levels 4
says '^order .*: order 2'
try 0 converge linear.yaml --levels 4 --json
json converge
case $(at /fitted_order/0) in 1.9[5-9]* | 2 | 2.0[0-4]*) ;; *) fail "order $(at /fitted_order/0), expected 2" ;; esac
try 2 converge linear.yaml --levels 1

# a run that diverges keeps what was before and names time and dof
try 1 run linear.yaml --out d --set method=central-difference --set time.step=0.5s --set time.end=1000s
complains 'diverged at [0-9.]* s'
complains "dof 'x'"
[ "$(rows d)" -gt 3 ] || fail "the diverged run kept $(rows d) rows"
try 1 run linear.yaml --out d2 --json --quiet --set method=central-difference --set time.step=0.5s \
    --set time.end=1000s
json diverged
[ "$(at /outcome)" = failed ] || fail "outcome is $(at /outcome)"
[ "$(at /fault/dof)" = x ] || fail "fault dof is $(at /fault/dof)"

# an interrupt keeps what was computed
"$IFD_PROGRAM" run two.yaml --out i --json --set time.end=1e6s --set time.record-every=100 >out 2>err </dev/null &
child=$!
# Until it has computed for a quarter of a second of its own, however busy the machine is.
tries=0
while [ "$(awk '{ sub(/.*\) /, ""); print ($12 + 0 >= 25) }' /proc/$child/stat 2>/dev/null)" = 0 ] && [ $tries -lt 1200 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT $child
wait $child
got=$?
[ $got = 1 ] || fail "an interrupted run: exit status $got, expected 1"
complains 'aborted at'
json interrupted
[ "$(at /outcome)" = aborted ] || fail "outcome is $(at /outcome)"
[ "$(rows i)" = "$(at /rows)" ] && [ "$(rows i)" -gt 10 ] ||
    fail "the interrupted run kept $(rows i) rows, the summary says $(at /rows)"

# places that cannot be written
try 1 run two.yaml --out two.yaml/x
complains 'Not a directory'
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 500 locked
    try 1 run two.yaml --out locked/x
    complains 'Permission denied'
    chmod 700 locked
fi
(
    ulimit -f 200
    "$IFD_PROGRAM" run two.yaml --out full --quiet >out 2>err
)
got=$?
[ $got = 1 ] || fail "a file at its limit: exit status $got, expected 1"
complains 'could not be written'
h5ls full/result.h5 >/dev/null 2>&1 || fail "full/result.h5 cannot be opened"

# plot
if command -v gnuplot >/dev/null; then
    try 0 plot b
    says 'b/plot.png'
    [ "$(head -c 4 b/plot.png | tail -c 3)" = PNG ] || fail "b/plot.png is not a PNG"
    try 0 plot b --format svg --json --columns 'x1 displacement,x2 displacement,storey1 force' --from 1 --to 3
    json plot
    [ "$(at /file)" = b/plot.svg ] || fail "file is $(at /file)"
    grep -q '<svg' b/plot.svg || fail "b/plot.svg is not an SVG"
    try 0 plot b/result.h5 --terminal
    says 'Time \[s\]'
    says 'Displacement \[mm\]'
    try 2 plot b --columns 'x3 displacement'
    complains "no column 'x3 displacement'"
fi
try 2 plot nowhere
complains nowhere
try 2 plot b --format jpeg
mkdir empty
PATH=$work/empty "$IFD_PROGRAM" plot b >out 2>err
got=$?
[ $got = 1 ] || fail "plot without gnuplot: exit status $got, expected 1"
complains 'apt-get install gnuplot-nox'

# extrapolator: published numbers of the reproducing kernel, and the signal of Sajeeb, Roy and Manohar's figure 7
try 0 extrapolator reproducing-kernel --past 10 --ahead 3 --degree 4 --dilation 16 --json
json extrapolator
case $(at /matrix/2/0) in 3.49329345*) ;; *) fail "entry $(at /matrix/2/0), expected 3.493293458" ;; esac
case $(at /added_mass_limit) in 0.0979460* | 0.0979459*) ;; *) fail "limit $(at /added_mass_limit)" ;; esac
try 0 extrapolator reproducing-kernel --degree 3 --dilation 3.8 --errors all
says 0.260232
try 2 extrapolator reproducing-kernel --errors some
complains "past, all"
try 0 extrapolator lagrange --past 10 --ahead 3 --degree 9 --signal '10*sin(70),5*cos(10)'
says '^   3 .* 220$'
says 'rms with hold'
seq 1 40 >ramp.txt
try 0 extrapolator least-squares --degree 1 --signal ramp.txt --json
[ "$(at /signal/2/true)" = 40 ] || fail "the last sample is $(at /signal/2/true)"
try 0 extrapolator hold --quiet
silent_out extrapolator
try 2 extrapolator lagrang
complains "did you mean 'lagrange'"
try 2 extrapolator lagrange --dilation 3
complains 'has no parameter dilation'
try 2 extrapolator lagrange --past 3
complains 'needs 4 past values'
try 2 extrapolator hold --signal no-such-file
complains 'no-such-file'

# colours and the bar belong to a terminal
escape=$(printf '\033')
for words in 'run two.yaml --out e1' 'list methods' 'check wrong.yaml'; do
    # shellcheck disable=SC2086 # words
    "$IFD_PROGRAM" $words >out 2>&1
    ! grep -q "$escape" out || fail "colours in a pipe: $words"
done
if on_terminal 'colours and the bar'; then
    TERM=xterm script -qec "'$IFD_PROGRAM' list methods" /dev/null >out 2>err </dev/null
    grep -q "$escape\[1m" out || fail "no colours on a terminal"
    NO_COLOR=1 TERM=xterm script -qec "'$IFD_PROGRAM' list methods" /dev/null >out 2>err </dev/null
    ! grep -q "$escape\[1m" out || fail "colours in spite of NO_COLOR"
    long="run two.yaml --out p --set time.end=1e6s --set time.record-every=100000"
    : >out
    TERM=xterm script -qefc "exec '$IFD_PROGRAM' $long" /dev/null >out 2>err </dev/null &
    child=$!
    until_says '\[#*-*\]  .* / 1e+06 s   left' || echo "no progress bar on a terminal"
    kill -INT "$(cat /proc/$child/task/$child/children)"
    wait $child
fi

# shipped cases by name
case_name=$("$IFD_PROGRAM" list cases | awk 'NR == 1 { print $1 }')
if [ "$case_name" ]; then
    try 0 check "$case_name"
    says '^valid '
fi
try 0 list cases BRACE
says '^braced-frame/rig '
! grep -q '^oscillator/free' out || fail 'list cases BRACE lists other cases'
try 2 list cases xyzzy
complains "the list cases has no entry with 'xyzzy'"

# the tick of a test: lsrt2 has two stages per step
try 0 check bridge/hybrid
says 'tick of the test 1 ms$'

# the folder of a study without its end
mkdir -p runs/sweep.study
try 2 report runs/sweep
complains 'did you mean the study runs/sweep.study?'

verdict "all of the program's commands behave"
