#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# A tower of 4,992 dofs as one model: result.csv, with every digit of its numbers, is the same with one thread and with two, and the
# program says when a case asks for more threads than there are cores.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

cp "$IFD_SOURCE_DIR/cases/frame-3d/tower.model.yaml" .
cat >tower.yaml <<'END'
time: {step: 2 ms, end: 0.1 s}
method: {lsrt2: {gamma: plus}}
ground: {signal: {sine: {amplitude: 0.3 g, frequency: 2 Hz}}}
model: {include: tower.model.yaml}
record: [displacement, velocity, energy]
END
for threads in 1 2; do
    try 0 run tower.yaml --set time.threads=$threads --csv --out by-$threads
done
columns=$(head -1 by-1/result.csv | tr ',' '\n' | wc -l)
[ "$columns" -ge 9985 ] || fail "result.csv has $columns columns"
[ "$(wc -l <by-1/result.csv)" = 52 ] || fail "result.csv has $(wc -l <by-1/result.csv) lines"
cmp by-1/result.csv by-2/result.csv >out || fail "two threads give other numbers"

cores=$(nproc)
if [ "$cores" -lt 64 ]; then
    try 0 run tower.yaml --set time.threads=64 --set time.end=4ms --set "record=[s1x1y1.x]" --out many
    cat out err >all
    grep -q "'threads' is 64; $cores are used" all || fail "nothing is said about more threads than cores"
fi

# A long set-up says so on a terminal. The program is ended as soon as it has.
if on_terminal 'the set-up on a terminal'; then
    sed 's/3 x 6 m, bays-y: 3 x 6 m, storeys: 52/22 x 6 m, bays-y: 22 x 6 m, storeys: 31/' tower.model.yaml >large.model.yaml
    sed -e s/tower.model/large.model/ -e 's/^record:.*/record: [s1x1y1.x]/' tower.yaml >large.yaml
    script -qefc "exec '$IFD_PROGRAM' run large.yaml --out large" /dev/null >shown 2>&1 </dev/null &
    running=$!
    until_says 'set-up: 98394 dofs, 0 elements   1 s' shown
    kill "$running"
    wait "$running" 2>/dev/null
fi
verdict "The same numbers with one thread and with two."
