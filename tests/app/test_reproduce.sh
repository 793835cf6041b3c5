#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# interfield reproduce: cheap figures, what they leave behind, and what is refused. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
holds() { grep -q -- "$2" "$1" || fail "$1 lacks '$2'"; }

# An unknown figure is refused, with the list; the list itself has all that the papers compute.
try 2 reproduce 004-fig99
complains "there is no figure '004-fig99'"
complains "004-fig9"
try 2 reproduce nothing
complains "000-fig1, "
[ ! -e runs ] || fail "a refused call left 'runs' behind"
try 0 reproduce --list
[ "$(wc -l <out)" = 39 ] || fail "the list has $(wc -l <out) figures, expected 39"
for id in 000-fig1 000-fig15 001-fig8 001-fig9 002-fig11 003-fig9 004-fig16 004-fig23; do says "^$id "; done
try 0 reproduce --list --json
is /figures/0/id 000-fig1
for k in $(seq 0 38); do
    [ -n "$(at "/figures/$k/sentences/0" 2>/dev/null)" ] || fail "figure $k of the list has no sentence of its paper"
done

# fmax and fmin hide a number that is none: what is judged uses larger and smaller.
! grep -l 'fm[ai][xn](' "$IFD_SOURCE_DIR"/reproduce/*.c | grep -v '/plot.c$' || fail "fmax or fmin in a figure"

# Three cheap ones. 000-fig1: the closed form at Omega = 0.01, 1000; 004-fig17: the step as printed does not reach the paper's error,
# and the verdict names the one that does.
try 0 reproduce 000-fig1 003-fig5 004-fig17 --json --jobs 2
is /reproduced 2
is /reproduced_with_a_different_setting 1
is /not_reproduced 0
is /figures/0/id 000-fig1
is /figures/0/verdict reproduced
is /figures/2/claims/1/key error
is /figures/2/claims/1/holds false
is /figures/2/claims/1/other_settings/1/holds true
is /figures/2/verdict_line 'reproduced with a different setting: h = 2.5 ms'
for id in 000-fig1 003-fig5 004-fig17; do
    for file in check.json figure.gp; do
        [ -s runs/reproduce/$id/$file ] || fail "runs/reproduce/$id/$file is missing"
    done
    if command -v gnuplot >/dev/null; then
        head -c 300 runs/reproduce/$id/figure.svg | grep -q '<svg' || fail "$id has no SVG"
        [ "$(head -c 4 runs/reproduce/$id/figure.png | tail -c 3)" = PNG ] || fail "$id has no PNG"
    fi
done
[ "$(head -1 runs/reproduce/000-fig1/radius.csv)" = \
    '"Omega","LSRT2, gamma minus","LSRT2, gamma plus","generalized-alpha, rho 0.8","generalized-alpha, rho 0.5","Chang"' ] ||
    fail "the columns of radius.csv"
[ "$(wc -l <runs/reproduce/000-fig1/radius.csv)" = 162 ] || fail "the rows of radius.csv"
holds runs/reproduce/003-fig5/loop-100mm.csv '"t \[s\]","bearing deformation \[m\]","bearing force \[N\]"'
# Energy of a cycle, 49079.7 J in closed form, taken from the CSV: trapezes between 0.1 s and 0.5 s.
awk -F, 'NR > 2 && $1 > 0.1 + 1e-9 && $1 <= 0.5 + 1e-9 {e += 0.5 * ($3 + f) * ($2 - u)} {u = $2; f = $3}
    END {exit !(e > 49075 && e < 49085)}' runs/reproduce/003-fig5/loop-100mm.csv || fail "the energy of the loop in the CSV"

# One figure for people, and the page.
try 0 reproduce 000-fig1 --out here --scoreboard page.md
says 'paper .*"L-stability"'
says "found .*stable: .*spectral radius"
says "1 reproduced, 0 with a different setting, 0 not reproduced"
holds page.md '^## Jia, Li, Liu, Yang, Wu (2012)$'
holds page.md '^\[Figure 1\](page-000.md#000-fig1): spectral radii .* \*\*reproduced\*\*\.$'
holds page-000.md '^# Reproduction: Jia, Li, Liu, Yang, Wu (2012)$'
holds page-000.md '^\*\*Reproduced\.\*\*$'
holds page-000.md '^| claim | paper | computed quantity | bound | result | |$'
holds page-000.md ' | holds |$'
[ ! -e page-001.md ] || fail "a paper without a figure has a page"
if command -v gnuplot >/dev/null; then
    holds page.md '](images/reproduction/000-fig1.svg)\](page-000.md#000-fig1)$'
    holds page-000.md '](images/reproduction/000-fig1.svg)$'
    [ -s images/reproduction/000-fig1.svg ] || fail "the picture of the page is missing"
fi

# A record is taken from the folder; another component than the printed one, or a generated motion, is a different setting.
mkdir motions others
awk 'BEGIN {for (i = 0; i <= 400; i++) printf "%.2f,%.6f\n", 0.05 * i, sin(0.6 * i)}' >"motions/Kobe_EW.csv"
(echo '# N-S component'; cat motions/Kobe_EW.csv) >others/kobe.csv
try 0 reproduce 000-fig5 --records motions
says "chosen .*the record 'Kobe_EW.csv' scaled to 1 g"
! grep -q '^changed' out || fail "the printed component counts as a change"
try 0 reproduce 000-fig1 000-fig5 --records motions --scoreboard recorded.md
holds recorded-000.md 'Command: `interfield reproduce 000-fig5 --records DIR`\.$'
holds recorded.md '`interfield reproduce all --records DIR --scoreboard '
# The pages of the documentation: exactly the figures with a recorded motion name the folder.
for page in "$IFD_SOURCE_DIR"/docs/evidence/reproduction-00*.md; do
    awk '/^## / {check(); id = $2; named = used = 0}
        /Command:/ {named = /--records DIR`/}
        /the record \047/ {used = 1}
        function check() {if (named != used) {print id; wrong = 1}}
        END {check(); exit wrong}' "$page" >out || fail "$page: --records in the command of $(cat out)"
done
# What they say of a whole paper, before its figures, is what the program writes.
try 0 reproduce 000-fig1 001-fig2 002-fig8 003-fig5 004-fig17 --scoreboard written.md
for paper in 000 001 002 003 004; do
    for page in written-$paper.md "$IFD_SOURCE_DIR/docs/evidence/reproduction-$paper.md"; do sed '/^## /q' "$page" | grep '^\*\*' >"$(basename "$page").notes"; done
    diff written-$paper.md.notes reproduction-$paper.md.notes >out || fail "docs/evidence/reproduction-$paper.md: $(cat out)"
done
try 0 reproduce 000-fig5 --records others
says "changed .*the record 'kobe.csv' (component NS) in place of the E-W component of the Kobe earthquake"
try 0 reproduce 000-fig5
says "changed .*a generated ground motion in place of the Kobe earthquake (component EW)"

# The picture shows the numbers of the paper and the computed ones; a plot of roots names the principal ones.
holds runs/reproduce/000-fig5/figure.gp 'title "paper: K0/(beta + gamma) = 500 N"'
holds runs/reproduce/000-fig5/figure.gp '"numbers given in the paper" at screen'
holds runs/reproduce/000-fig5/figure.gp '"at most 500" at screen'
try 0 reproduce 002-fig8
for name in 'principal roots' 'spurious, equal to one' 'spurious, or principal with Omega > pi'; do
    holds runs/reproduce/002-fig8/figure.gp "title \"$name\""
done
[ "$(head -1 runs/reproduce/002-fig8/plus.csv | cut -d, -f1-5)" = '"Omega","principal 1","principal 2","equal to one","spurious 1"' ] ||
    fail "the columns of plus.csv"
# At Omega = 0.01 the principal pair of the split mass is that of the mass: of modulus one, less an error of higher order.
awk -F, 'NR == 2 {exit !($2 > 0.9999 && $2 <= 1.000001 && $3 == $2 && $4 > 0.999999 && $4 < 1.000001)}' runs/reproduce/002-fig8/plus.csv ||
    fail "the principal roots at low frequency"

try 2 reproduce 000-fig5 --records nowhere
complains "'nowhere' is not a folder"

# A folder that cannot be made is an error of that figure.
: >file
try 1 reproduce 000-fig1 --out file
complains "000-fig1 could not be computed"

verdict "reproduce from outside: fine"
