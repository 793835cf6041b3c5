#!/bin/sh
# SPDX-License-Identifier: MIT
# interfield motions: table, spectra, processing, files and picture.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

near() { # PATH VALUE: to 1e-8
    awk -v a="$(at "$1")" -v b="$2" 'BEGIN {exit !((a - b) * (a - b) <= 1e-16 * b * b)}' || fail "$1 is $(at "$1"), expected $2"
}

# The displacement of an uncorrected record is its drift: a constant 0.05 m/s2 in 10 s, v = 0.5 m/s, and d = 2.5 m besides that of the sine.
awk 'BEGIN {for (i = 0; i <= 1000; i++) printf "%g,%.9g\n", i * 0.01, sin(6.283185307 * i * 0.01) + 0.05}' >drift.csv
try 0 motions drift.csv
says 'its velocity ends at 0.5 m/s and its displacement at 4.09 m: PGD contains the drift'
awk 'BEGIN {for (i = 0; i <= 1000; i++) printf "%g,%.9g\n", i * 0.01, cos(6.283185307 * i * 0.01)}' >still.csv
try 0 motions still.csv
! grep -q 'contains the drift' out || fail "a record that ends at rest has the remark of drift"

# A generated motion depends on its seed only, and its files are read again.
try 0 motions --generate 3 --seed 5 --param peak=0.3g --out made --json --periods 0,1
is motions/0/name kanai-tajimi-5
is motions/0/pga 2.941995
is motions/2/factor 1
first=$(at motions/0/spectrum/1/psa)
is motions/0/spectrum/0/psa 2.941995
try 0 motions made/kanai-tajimi-5.csv --json --periods 1
is motions/0/samples 4001
near motions/0/spectrum/0/psa "$first"

# Scaling: to a peak, to an ordinate of the spectrum, to a target, by a factor.
try 0 motions made/kanai-tajimi-5.csv --pga 0.1g --json
near motions/0/pga 0.980665
try 0 motions made/kanai-tajimi-5.csv --sa 1s 2m/s2 --json --periods 1
near motions/0/spectrum/0/psa 2
printf 'period [s],acceleration [g]\n0.1,0.5\n0.5,0.5\n2,0.125\n' >target.csv
try 0 motions made/*.csv --target target.csv --from 0.2 --to 1.5s --plot spectra.svg
says 'rms of ln(PSA / target)'
says 'picture *spectra.svg'
grep -q '<svg' spectra.svg || fail 'no picture'
try 0 motions made/kanai-tajimi-5.csv --target target.csv --match --from 0.2 --to 1.5s --tolerance 0.08 --out matched --json
awk -v a="$(at motions/0/worst)" -v n="$(at motions/0/steps)" 'BEGIN {exit !(a > 0 && a <= 0.08 && n > 0)}' || fail 'not matched'
matched=$(at motions/0/misfit)
# The same by numpy alone, with the drift at the end.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    /usr/bin/python3 "$IFD_SOURCE_DIR/tests/app/matched.py" made/kanai-tajimi-5.csv matched/kanai-tajimi-5.csv target.csv 0.2 1.5 0.08 \
        "$(at motions/0/factor)" >numpy 2>&1 || fail "numpy: $(cat numpy)"
    awk -v a="$(at motions/0/worst)" 'END {exit !((a - $2) * (a - $2) < 1e-6)}' numpy || fail "numpy: $(cat numpy), program $(at motions/0/worst)"
fi
try 0 motions matched/kanai-tajimi-5.csv --target target.csv --from 0.2 --to 1.5s --json
awk -v a="$(at motions/0/misfit)" -v b="$matched" 'BEGIN {exit !(a < b + 0.01)}' || fail 'the written motion is not the matched one'
try 1 motions made/kanai-tajimi-5.csv --target target.csv --match --from 0.2 --to 1.5s --tolerance 1e-6 --steps 1
says 'largest .* after 1 steps'
complains '1 of 1 motions are not within 1e-06'
try 0 motions made/kanai-tajimi-6.csv --baseline 1 --high-pass 0.1Hz --low-pass 20Hz --order 3 --step 0.01 --format at2 --out processed
says processed/kanai-tajimi-6.AT2
try 0 motions processed/kanai-tajimi-6.AT2 --json
is motions/0/dt 0.01
is motions/0/samples 2001

# Records of the project, where they are installed.
data=${INTERFIELD_DATA:-$IFD_SOURCE_DIR/../shared/data}
if [ -r "$data/elcentro_1940_ns.csv" ]; then
    try 0 motions "$data/elcentro_1940_ns.csv" --periods 0.2,1,3
    says '0.00787396128 *7.77128829 *7.82739551'
    says '3.13493 *0.375537'
    try 0 motions "$data/elcentro_1940_ns.csv" --baseline 2 --json
    awk -v d="$(at motions/0/pgd)" 'BEGIN {exit !(d < 0.5)}' || fail 'the baseline does not remove the drift'
else
    echo "the folder of records is not here (INTERFIELD_DATA)"
fi

# Mistakes.
try 2 motions
complains 'name a file'
try 2 motions made/kanai-tajimi-5.csv --pga 1 --scale 2
complains 'use one of'
try 2 motions made/kanai-tajimi-5.csv --damping 1
try 2 motions made/kanai-tajimi-5.csv --periods 1,x
complains 'expected up to'
try 2 motions made/kanai-tajimi-5.csv --format wav
try 2 motions made/kanai-tajimi-5.csv --low-pass 1000Hz
complains 'half of the sampling rate'
try 2 motions made/kanai-tajimi-5.csv --target target.csv --to 9
complains 'the target spectrum has periods'
try 2 motions made/kanai-tajimi-5.csv --match
complains 'needs a target spectrum'
try 2 motions made/kanai-tajimi-5.csv --target target.csv --tolerance 0.1
complains 'needs --match'
try 2 motions made/kanai-tajimi-5.csv --target target.csv --match --tolerance 0
complains 'expected a fraction'
try 2 motions made/kanai-tajimi-5.csv --step 0.05 --target target.csv --match
complains 'too long to match'
complains 'at most 0.01 s'
try 2 motions nowhere.csv
try 2 motions --generate 2 --param depth=3
complains "no parameter 'depth'"
try 1 motions made/kanai-tajimi-5.csv --plot nowhere/x.png
verdict 'motions: measures, spectra, scaling, correction, files and picture'
