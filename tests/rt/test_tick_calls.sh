#!/bin/sh
# SPDX-License-Identifier: MIT
# The tick of a whole test, seen from outside: from its first sleep to its last the thread that asked for exact timers makes
# no system call but clock_nanosleep. Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
if ! strace -o /dev/null true 2>/dev/null; then
    echo "strace is absent or may not trace here: skipped"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-calls-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# Traced ticks are late; that is not the question here.
strace -f -o "$work/trace" "$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/bridge/hybrid.yaml" --out "$work/run" --quiet \
    --set time.end=0.5s --set test.ramp-in=0.3s --set test.overrun=extrapolate --set test.late-limit=1000000 </dev/null
status=$?
if [ $status != 0 ]; then
    echo "FAILED: the test ended with status $status"
    exit 1
fi
awk '
    /PR_SET_TIMERSLACK/ && !tick { tick = $1 }
    tick && $1 == tick && /clock_nanosleep\(CLOCK_MONOTONIC, TIMER_ABSTIME/ {
        if (waiting && !first) first = text
        bad += waiting; waiting = 0; sleeps++; next
    }
    tick && $1 == tick && /<\.\.\. clock_nanosleep resumed>/ { next }
    tick && $1 == tick && sleeps { if (!waiting) text = $0; waiting++ }     # counts only when another sleep follows
    END {
        if (!sleeps) { print "FAILED: no tick thread in the trace"; exit 1 }
        if (bad) { printf "FAILED: %d other system calls between sleeps, the first: %s\n", bad, first; exit 1 }
        if (sleeps < 500) { printf "FAILED: only %d sleeps\n", sleeps; exit 1 }
        printf "%d sleeps and no other system call between them\n", sleeps
    }' "$work/trace"
