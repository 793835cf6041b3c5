#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command with --json prints one object on stdout and nothing else, whether it succeeds or fails. The list of commands is that of
# `interfield help`: one that is not tried here fails the test. Sees IFD_PROGRAM, IFD_SOURCE_DIR, IFD_BUILD_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
cases=$IFD_SOURCE_DIR/cases
tried=" "

# one WORDS...: whatever the exit status, one object
one() {
    tried="$tried$1 "
    "$IFD_PROGRAM" "$@" --json >out 2>err </dev/null
    ./json_ok <out || fail "interfield $*: stdout is not one JSON object"
}
# until_killed WORDS...: a command that serves until it is stopped says its object before
until_killed() {
    tried="$tried$1 "
    : >out
    "$IFD_PROGRAM" "$@" --json >out 2>err </dev/null &
    served=$!
    until_says '^}'
    kill -TERM $served
    wait $served
    ./json_ok <out || fail "interfield $*: stdout is not one JSON object"
}

one run "$cases/oscillator/free.yaml" --out ran
one run "$cases/oscillator/free.yaml" --out ran
one run missing.yaml
one run
one run --no-such-option
one test "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --out tested --set time.end=0.2s
one test "$cases/two-dof-rig/rig.yaml" --as-fast-as-possible --out tripped --set specimen.0.limits.tracking=1um
one characterise "$cases/oscillator/free.yaml"
one compensate "$cases/oscillator/free.yaml"
one preflight "$cases/oscillator/free.yaml"
one check "$cases/oscillator/free.yaml"
one check "$IFD_SOURCE_DIR/tests/cases-bad/step-nan.yaml"
one list elements
one list nothing
one spectrum lsrt2
one motions --generate 1
one study missing.yaml
one study status missing
one motions missing.at2
one draw "$cases/oscillator/free.yaml"
one modes "$cases/oscillator/free.yaml"
one matrices "$cases/oscillator/free.yaml"
one static "$cases/oscillator/free.yaml"
one converge "$cases/oscillator/free.yaml" --levels 2
one reduce "$cases/oscillator/free.yaml"
one stability "$cases/oscillator/free.yaml"
one stability "$cases/split-mass/staggered.yaml" --critical
one extrapolator lagrange
one replay tested
one recover tested
one plot ran
one report tested
one compare ran ran
one compare ran tested
one energy ran
one energy tested
one export ran --csv
one export-fmu "$cases/two-dof/hybrid.yaml" -o part.fmu
one fmu missing.fmu
one join missing.yaml
one serve opensees missing.yaml
one rig missing.yaml
one rig-check missing.so
one channels "$cases/two-dof-rig/rig.yaml"
one zero "$cases/two-dof-rig/rig.yaml"
one benchmark nothing
one reproduce nothing
one doctor --measure 0
one key secret.key
one docs
one docs tutorial
one docs nothing
one help
one help run
one help nothing
one no-such-command
until_killed live tested 0

"$IFD_PROGRAM" help >out 2>err
for command in $(awk '/^    [a-z][a-z-]* / && !/^    interfield/ { print $1 }' out | sort -u); do
    case $tried in
    *" $command "*) ;;
    *) fail "interfield $command --json was not tried" ;;
    esac
done
verdict "one object of every command"
