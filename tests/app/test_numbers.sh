#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 31 of the first, not with sanitizers, unless every test is asked for
# A number from outside is read whole or refused: every option of every command that wants one, as its help says. Sees IFD_PROGRAM,
# IFD_SOURCE_DIR, IFD_BUILD_DIR.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cases=$IFD_SOURCE_DIR/cases
"$IFD_PROGRAM" run "$cases/oscillator/free.yaml" --quiet --out result || fail "no result to look at"

# words COMMAND: what stands before the options, so that only the number is wrong
words() {
    case $1 in
    benchmark) echo rths ;;
    characterise | preflight | rig | test | zero) echo "$cases/two-dof/hybrid.yaml" ;;
    compare) echo result result ;;
    converge | matrices | modes | static) echo "$cases/oscillator/free.yaml" ;;
    extrapolator) echo lagrange ;;
    fmu) echo none.fmu ;;
    join) echo none.fmu none.fmu ;;
    plot) echo result ;;
    reproduce) echo 000-fig1 ;;
    rig-check) echo "$IFD_BUILD_DIR/tests/plugins/plugin_rig_example.so" ;;
    serve) echo opensees "$cases/opensees/sdof.yaml" ;;
    spectrum) [ "$2" = --rho ] && echo mg-alpha || echo lsrt2 ;;
    *) fail "the command $1 wants a number for $2; say here how it is called" ;;
    esac
}

count=0
for command in $("$IFD_PROGRAM" help | awk '/^    [a-z]/ { print $1 }' | sort -u); do
    for option in $("$IFD_PROGRAM" help "$command" 2>/dev/null | awk '/^    --/ && $2 ~ /^\[?([A-Z][A-Z]?|PORT)\]?$/ { print $1 }'); do
        case $command$option in
        extrapolator--signal | join--memory | matrices--tangent) continue ;; # terms, a name, a name
        esac
        for value in 1x 0,25 x nan; do
            count=$((count + 1))
            # shellcheck disable=SC2046 # several words
            try 2 "$command" $(words "$command" "$option") "$option" "$value"
            grep -q -e "$option" -e "${option#--}:" -e "'${option#--}'" -e "'$value'" err || fail "$command $option $value: the option is not named"
        done
    done
done
[ $count -ge 150 ] || fail "only $count numbers were tried"

# the forms of --param and --set
try 2 spectrum newmark --param beta=0,25
complains "beta: found '0,25', expected a decimal point, not a comma"
try 2 benchmark rths --case 1 --set look-ahead=0.488xs
complains "look-ahead: unknown unit 'xs'"
try 2 rig-check "$IFD_BUILD_DIR/tests/plugins/plugin_rig_example.so" --param stiffness=1x
complains "stiffness"

# units are understood
try 0 spectrum mg-alpha --rho 80% --omega 1 --json
cp out percent
try 0 spectrum mg-alpha --rho 0.8 --omega 1 --json
cmp -s out percent || fail "80 % is not 0.8"
try 0 static "$cases/oscillator/free.yaml" --time 500ms --json
cp out milli
try 0 static "$cases/oscillator/free.yaml" --time 0.5 --json
cmp -s out milli || fail "500 ms is not 0.5 s"

[ $failures = 0 ] || echo "$failures failures"
exit $failures
