#!/bin/sh
# SPDX-License-Identifier: MIT
# The tick of a whole test, seen from outside: from its first sleep to its last the thread that asked for exact timers makes
# no system call but clock_nanosleep; nor does it when ten browsers watch the live page and one of them does not read.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR.
set -u
if ! strace -o /dev/null true 2>/dev/null; then
    echo "strace is absent or may not trace here: skipped"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-calls-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# OpenBLAS starts threads before main, which would wait actively beside the ticks: all of them have ended before
# the program says its first word.
env -u OPENBLAS_NUM_THREADS strace -f -o "$work/blas.trace" "$IFD_PROGRAM" --version >/dev/null
awk '/ clone3?\(/ { begun++ } / exit\(0\)/ { ended++ }
    / write\(1,/ { printf "%d threads of BLAS began, %d ended\n", begun, ended; said = 1; exit begun != ended }
    END { if (!said) exit 1 }' "$work/blas.trace" || exit 1

# Traced ticks are late; that is not the question here. STATUS NAME SETTINGS...
traced() {
    wanted=$1
    name=$2
    shift 2
    strace -f -o "$work/$name.trace" "$IFD_PROGRAM" test "$IFD_SOURCE_DIR/cases/bridge/hybrid.yaml" --out "$work/$name" \
        --quiet --set test.ramp-in=0.3s --set test.overrun=extrapolate --set test.late-for=1000s "$@" </dev/null
    status=$?
    [ $status = "$wanted" ] || echo "FAILED: the test ended with status $status, expected $wanted"
    [ $status = "$wanted" ]
}

only_sleeps() {
    awk '
    /PR_SET_TIMERSLACK/ && sleeps < 500 { tick = $1; sleeps = waiting = bad = 0; first = "" }   # the supervisor is the first to ask
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
    }' "$work/$1.trace"
}

traced 0 alone --set time.end=0.5s && only_sleeps alone || exit 1

# It goes on until each of them has seen enough, and is stopped then. It stays where it is: an unloading that trips at that instant
# would wait for an order.
traced 1 watched --set test.leave=stay --set time.end=1000s --live 0 2>"$work/address" &
pid=$!
PYTHONPATH=$IFD_SOURCE_DIR/tests/app timeout 300 /usr/bin/python3 - "$work/address" <<'END' || { cat "$work/address"; exit 1; }
import http.client, re, sys, threading, time
from live_client import Listener

class Place:
    port = 0

while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", open(sys.argv[1]).read())):
    time.sleep(0.02)
Place.port = int(found.group(1))
lazy, seen = Listener(Place, buffer=2048), []
def read():
    count = [0]
    def enough(frame):
        count[0] += 1
        return count[0] >= 60
    Listener(Place).begin().until(enough)
    seen.append(count[0])
threads = [threading.Thread(target=read) for _ in range(9)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
connection = http.client.HTTPConnection("127.0.0.1", Place.port, timeout=100)
connection.request("POST", "/order/stop")
assert connection.getresponse().status == 200 and len(seen) == 9, seen
END
wait $pid || exit 1
only_sleeps watched || exit 1
echo "ten browsers watched, nine of them saw 60 frames, one did not read"
