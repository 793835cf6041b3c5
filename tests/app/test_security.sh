#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a case or a result names runs only where it must: a constructor that writes a file goes through every command.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
plugin=$IFD_BUILD_DIR/tests/plugins/plugin_marker.so
export IFD_MARKER="$work/marker"

mkdir case
cp "$plugin" case/mine.so
chmod 755 case/mine.so
cat >mark.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void)
{
    FILE *out = fopen(getenv("IFD_MARKER"), "w");
    if (out)
        fclose(out);
}
END
${CC:-cc} -shared -fPIC -O1 -w -DFAULT=0 -o spring.so mark.c "$IFD_SOURCE_DIR/tests/fmi/fmus/spring.c" -lm || exit 1
$python "$IFD_SOURCE_DIR/tests/fmi/pack_fmu.py" fine spring.so case/spring.fmu || exit 1
chmod 644 case/spring.fmu
limits='limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 5 kN, tracking: 20 mm}'
cat >case/element.yaml <<'END'
time: {step: 10 ms, end: 0.2 s}
model:
  dofs: [x]
  mass: [1 kg]
  elements:
    - {plugin: ./mine.so, element: {at: x}}
initial: {displacement: {x: 1 mm}}
END
cat case/element.yaml - >case/tested.yaml <<END
specimen:
  - {name: s, spring: {between: [ground, x], stiffness: 1 kN/m}, $limits}
test: {lambda: 1}
END
cat >case/rig.yaml <<END
time: {step: 10 ms, end: 0.2 s}
model: {dofs: [x], mass: [1 kg], stiffness: [100 N/m]}
specimen:
  - {name: s, spring: {between: [ground, x], stiffness: 1 kN/m}, $limits}
test: {rig: {plugin: {file: ./mine.so}}}
END
cat >case/fmu.yaml <<'END'
time: {step: 10 ms, end: 0.2 s}
model: {dofs: [x], mass: 2 kg, damping: 1.2 N s/m, stiffness: 50 N/m}
initial: {displacement: {x: 10 mm}}
specimen:
  - {name: s, fmu: {between: [ground, x], file: spring.fmu, input: u, velocity: w, output: "y"}}
END
cat >case/joined.yaml <<'END'
time: {step: 10 ms, end: 0.2 s}
coupling: fmu
substructures:
  a: {fmu: spring.fmu}
  b: {model: {dofs: [x], mass: 2 kg, stiffness: 50 N/m}}
joints: ['b.x = a.y/u']
END
cat >case/study.yaml <<'END'
case: element.yaml
vary: {mass: {key: model.mass, list: [1 kg, 2 kg]}}
keep: {peak: {peak: x displacement}}
END
# code STATUS YES|NO WORDS...: the exit status, - for any, and whether code was loaded
code() {
    wanted=$1
    loads=$2
    shift 2
    rm -f marker
    timeout 120 "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    got=$?
    [ "$wanted" = - ] || [ "$got" = "$wanted" ] || fail "interfield $*: exit status $got, expected $wanted"
    [ "$got" -lt 124 ] || fail "interfield $*: ended by $got"
    [ "$loads" = NO ] || [ -e marker ] || fail "interfield $*: the code was not loaded"
    [ "$loads" = YES ] || [ ! -e marker ] || fail "interfield $*: the code was loaded"
}

# Results that name code, made where it may run.
code 0 YES run case/element.yaml --out element
code 0 YES run case/fmu.yaml --out foreign
code 0 YES test case/tested.yaml --as-fast-as-possible --without-preflight --out tested
cp -r element element2
code 0 YES study case/study.yaml --out studied
code 0 NO study status studied
code 0 NO study merge studied --out joined

runs='run test preflight compensate characterise serve rig rig-check converge stability modes reduce study export-fmu fmu join'
"$IFD_PROGRAM" help | sed -n 's/^    \([a-z][a-z-]*\) .*   .*/\1/p' | grep -v '^interfield$' >commands
[ "$(wc -l <commands)" -ge 30 ] || fail "only $(wc -l <commands) commands were found"
while read -r name; do
    case " $runs " in *" $name "*) continue ;; esac
    case $name in
    report | compare | energy | export | plot | recover | replay)
        for result in element foreign tested; do
            set -- "$name" "$result"
            [ "$name" != compare ] || set -- "$@" element2
            [ "$name" != replay ] || [ "$result" = tested ] || { code 2 NO "$@"; complains 'allow-plugin'; continue; }
            rm -rf "$result-recovered"
            code - NO "$@"
        done ;;
    live)
        rm -f marker
        "$IFD_PROGRAM" live tested 0 >out 2>err </dev/null &
        pid=$!
        until_says 'http://'
        kill -INT $pid
        wait $pid
        [ ! -e marker ] || fail 'interfield live loaded code' ;;
    check)
        for c in element rig fmu joined tested; do
            code 0 NO check case/$c.yaml
            says 'not examined'
        done ;;
    draw)
        for c in element rig fmu tested; do
            code 0 NO draw case/$c.yaml --out $c.svg
            says '^skipped .*not loaded; what depends on it is not drawn'
            grep -q '</svg>' $c.svg || fail "no picture of $c"
        done
        grep -q 'structure of code that is not loaded' element.svg || fail 'a structure without its code'
        code 0 YES draw case/element.yaml --load --out element.svg
        grep -q '>x</text>' element.svg || fail 'a structure with its code'
        code 2 NO draw case/joined.yaml
        complains 'needs their models'
        for result in element tested; do
            code 2 NO draw "$result"
            complains "is not known: its case names native code, '.*mine.so'"
        done
        code 0 NO draw foreign
        says '^skipped .*spring.fmu' ;;
    static | matrices | channels | zero)
        for c in element rig fmu joined tested; do
            code 2 NO "$name" case/$c.yaml
        done ;;
    list) code 0 NO list cases ;;
    spectrum) code 0 NO spectrum lsrt2 ;;
    doctor) code - NO doctor --measure 0 ;;
    motions) code 0 NO motions --generate 1 ;;
    extrapolator) code 0 NO extrapolator lagrange ;;
    benchmark) code 2 NO benchmark case/element.yaml ;;
    reproduce) code 0 NO reproduce --list ;;
    help) code 0 NO help ;;
    key) code 0 NO key key.file ;;
    docs) code 0 NO docs ;;
    *) fail "command '$name' is not among those that were tried: may it load code?" ;;
    esac
done <commands

# What must run it does.
code 0 YES modes case/element.yaml
code 0 YES check --load case/element.yaml
code 0 YES check --load case/fmu.yaml
code 0 YES static --load case/element.yaml
code 0 YES matrices --load case/element.yaml -o matrices
code 0 YES converge case/element.yaml --levels 2
code 0 YES stability case/element.yaml
code - YES rig-check case/mine.so
code 1 YES test case/rig.yaml --start --without-preflight --out rigged
code - YES fmu case/spring.fmu --steps 10
# By a path of the case's folder, wherever one stands.
(cd / && IFD_MARKER="$work/marker2" "$IFD_PROGRAM" modes "$work/case/element.yaml") >out 2>err || fail 'from another folder'
cp case/mine.so mine.so
mv case/mine.so case/hidden.so
code 2 NO modes case/element.yaml
complains 'cannot be loaded'
mv case/hidden.so case/mine.so

# A record's code: by name and hash.
code 0 YES replay element --allow-plugin case/mine.so
code 0 YES replay element --allow-plugin mine.so
code 0 YES replay foreign --allow-plugin case/spring.fmu
code 2 NO replay element --allow-plugin case/spring.fmu
complains 'hash differs'
cp case/mine.so other.so
printf x >>other.so
code 2 NO replay element --allow-plugin other.so
complains 'hash differs'

# Files that others could have changed.
for mode in 775 757 777; do
    chmod $mode case/mine.so
    code 2 NO modes case/element.yaml
    complains 'others may write to it'
    code 2 NO check case/element.yaml
done
chmod 755 case/mine.so
chmod 775 case/spring.fmu
code - NO run case/fmu.yaml --out refused
complains 'others may write to it'
chmod 644 case/spring.fmu
chmod 777 case
code 2 NO modes case/element.yaml
complains 'may be written to by others'
chmod 1777 case # sticky: what stands there stays
code 0 YES modes case/element.yaml
chmod 755 case
if [ "$(id -u)" = 0 ]; then
    chown 12345 case/mine.so
    code 2 NO modes case/element.yaml
    complains 'belongs to another user'
    chown 0 case/mine.so
fi
mkfifo case/pipe.so
sed 's/mine.so/pipe.so/' case/element.yaml >case/pipe.yaml
code 2 NO modes case/pipe.yaml
complains 'not a regular file'
verdict 'native code is loaded where it must run, and nowhere else'
