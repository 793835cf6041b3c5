#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# Outcomes and exit statuses: every command has its row in `interfield help exit`, which is docs/reference/exit.md, and ends as the row says.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

try 0 help exit
cmp -s out "$IFD_SOURCE_DIR/docs/reference/exit.md" || fail 'docs/reference/exit.md is out of date: write it again with `interfield help exit > docs/reference/exit.md`'
cp out table
commands=$("$IFD_PROGRAM" help | sed -n '/^    interfield/d; s/^    \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 25 ] || fail "few commands: $commands"

# row_has COMMAND STATUS WORD: whether that outcome has that status, and the row of the command has it; three are those of every command
row_has() {
    grep -q "^| $2 | $3 |" table || fail "help exit: '$3' has not the status $2"
    cell="completed, failed, bad input,$(awk -F '|' -v name=" $1 " '$2 == name { print $3; exit }' table)"
    case $cell in *"$3"*) ;; *) fail "help exit: no '$3' in the row of '$1': '$cell'" ;; esac
}
for command in $commands; do
    row_has "$command" 1 failed
    try 2 "$command" --no-such-option
    try 0 "$command" --help
    says '^Exit status'
done

# Machines that run tests are busy: late ticks are none of the business of most of this file.
cat >spring.yaml <<'END'
title: A spring on the rig
time: {step: 2 ms, end: 0.4 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END

# comes_to COMMAND STATUS WORD WORDS...: what the program says and ends with, and the row of the command
comes_to() {
    command=$1 status=$2 word=$3
    shift 3
    try "$status" "$command" "$@"
    row_has "$command" "$status" "$word"
}
comes_to run 0 completed spring.yaml --out ran
says '^completed '
comes_to run 1 failed spring.yaml --out diverged --set 'method=central-difference' --set 'time.step=0.2 s' --set 'time.end=200 s'
comes_to check 0 completed spring.yaml
comes_to stability 0 completed spring.yaml
comes_to stability 1 failed spring.yaml --set 'method=central-difference' --set 'time.step=0.2 s'
comes_to test 0 completed spring.yaml --as-fast-as-possible --out tested
says '^completed '
is outcome completed tested/summary.json
comes_to test 0 parked spring.yaml --as-fast-as-possible --until 0.2 --out half
says '^parked '
comes_to test 1 tripped spring.yaml --as-fast-as-possible --set specimen.0.limits.force=1kN --out tripped
says '^tripped '
complains 'a measured force exceeds its limit'
grep -q 'end: tripped: a measured force exceeds its limit' tripped/events.log || fail 'the log does not say which fault ended the test'
comes_to preflight 1 NO-GO spring.yaml --set specimen.0.limits.force=1kN --out refused
says '^NO-GO'
comes_to preflight 3 'GO WITH CAUTION' spring.yaml --set specimen.0.limits.velocity=0.25 --out careful
says '^GO WITH CAUTION'
comes_to replay 0 completed tested
cp -r tested damaged
dd if=/dev/zero of=damaged/result.journal bs=1 count=64 seek=$(($(wc -c <damaged/result.journal) / 2)) conv=notrunc 2>/dev/null
comes_to replay 1 incomplete damaged
comes_to compare 0 completed ran ran --tolerance 1e-9
comes_to compare 1 failed ran tested --columns 'x displacement' --tolerance 1e-15
comes_to report 0 completed tested
comes_to export 0 completed ran --csv -o plain
comes_to modes 0 completed spring.yaml
comes_to list 0 completed cases
comes_to spectrum 0 completed lsrt2

# a certificate with a caution is accepted, shown and recorded
try 0 test spring.yaml --as-fast-as-possible --set specimen.0.limits.velocity=0.25 --certificate careful/spring.certificate.json --out cautious
says '^preflight GO WITH CAUTION, certificate'
says '^caution  velocity: '
is /preflight/verdict 'GO WITH CAUTION' cautious/summary.json
grep -q 'preflight GO WITH CAUTION, velocity: ' cautious/events.log || fail 'the log does not say what the certificate warns of'

# begin FOLDER WORDS...: a test in the background, until it moves
begin() {
    folder=$1
    shift
    "$IFD_PROGRAM" test spring.yaml --out "$folder" "$@" >out 2>err <orders &
    pid=$!
    until_says 'state run' "$folder/events.log"
}
# ends STATUS WORD: of that test
ends() {
    wait $pid
    got=$?
    [ $got = "$1" ] || fail "exit status $got, expected $1"
    row_has test "$1" "$2"
}
: >orders
begin stopped --set time.end=1000s
kill -INT $pid
ends 1 aborted
says '^aborted  *by the operator in state run '
is outcome aborted stopped/summary.json
is aborted_in run stopped/summary.json

rm orders
mkfifo orders
begin left --set time.end=1000s & # opening a fifo waits for the other end
exec 3>orders
until_says 'state run' left/events.log
echo ramp-out >&3
until_says '  end: ' left/events.log
until_says '"checksum"' left/summary.json
exec 3>&-
wait
is outcome aborted left/summary.json
is aborted_in run left/summary.json
grep -q 'end: aborted by the operator in state run' left/events.log || fail 'the log does not say who ended the test'
try 0 report left
grep -q 'An order or a signal ended the test early, in state run' left/report.html || fail 'the report does not say who ended the test'
try 0 recover left
is outcome aborted left-recovered/summary.json

# more late ticks than the case allows: a tick of 10 us is late on every machine that this runs on
comes_to test 3 'completed with caution' spring.yaml --set time.step=40us --set time.end=40ms --set test.ticks-per-stage=2 --set test.missed-deadlines=0 \
    --out late
says '^completed with caution '
is outcome 'completed with caution' late/summary.json
complains 'ticks were late; test: {missed-deadlines: 0} permits fewer'
verdict 'every command ends as its row says'
