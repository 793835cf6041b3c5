#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 8 s
# The recorder's disk stands still from a second after the beginning to the end of a test with a clock: the ticks that found no room are counted,
# and whoever reads the record says that it is incomplete, with exit status 1. Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

# Writes to the journal behind so many bytes wait for as long as the file `gate` is there.
cat >gate.c <<'END_OF_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static void pass(int file, off_t at)
{
    char name[64], path[4096] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (at < 400000 || readlink(name, path, sizeof path - 1) < 0 || !strstr(path, "result.journal"))
        return;
    while (access("gate", F_OK) == 0)
        usleep(1000);
}
ssize_t pwrite(int file, const void *p, size_t bytes, off_t at)
{
    static ssize_t (*next)(int, const void *, size_t, off_t);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pwrite");
    pass(file, at);
    return next(file, p, bytes, at);
}
ssize_t pwrite64(int file, const void *p, size_t bytes, off64_t at) { return pwrite(file, p, bytes, (off_t)at); }
END_OF_C
${CC:-cc} -shared -fPIC -o gate.so gate.c -ldl || exit 1

cat >spring.yaml <<'END_OF_CASE'
title: A spring on the rig
time: {step: 2 ms, end: 6 s}
method: lsrt2
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}
test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s}
END_OF_CASE
touch gate
LD_PRELOAD=$PWD/gate.so "$IFD_PROGRAM" test spring.yaml --out stalled --priority 0 >out 2>err </dev/null &
program=$!
until_says 'state run' stalled/events.log
threads=$(ls /proc/$program/task | wc -l)
tries=0
while [ "$(ls /proc/$program/task | wc -l)" = "$threads" ] && [ $tries -lt 3000 ]; do # the tick's thread goes when the test is over
    tries=$((tries + 1))
    sleep 0.04
done
rm gate
wait $program
[ $? = 1 ] || fail "a test without its last ticks does not end with 1"
complains 'the record is incomplete'
is outcome incomplete stalled/summary.json
is /record/state incomplete stalled/summary.json
made=$(at /record/made stalled/summary.json)
kept=$(at /record/ticks stalled/summary.json)
dropped=$(at /record/dropped stalled/summary.json)
[ "$dropped" -gt 0 ] && [ $((kept + dropped)) = "$made" ] || fail "of $made ticks $kept were kept and $dropped were lost"
try 1 replay stalled
complains "incomplete\|missing\|gap"
try 1 recover stalled --out again
is outcome incomplete again/summary.json
is /record/dropped "$dropped" again/summary.json
for folder in stalled again; do
    try 1 report $folder
    complains 'is incomplete'
    try 1 export $folder --csv
    complains 'is incomplete'
done
verdict "of $made ticks $dropped found no room at the end of the record, and every reader says so"
