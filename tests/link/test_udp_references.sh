#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: waits 40 s
# The references of docs/reference/udp-wire.md, in Python, C and, where Octave is installed, MATLAB: the conversation with a client of its own
# (udp_references.py) and a real test of each; what is said of refused messages; the port from which a test sends; rig-check of a built-in rig.
# Sees IFD_PROGRAM, IFD_SOURCE_DIR, CC.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"

examples=$IFD_SOURCE_DIR/examples client=$IFD_SOURCE_DIR/tests/link/udp_references.py
[ "$(wc -l <"$examples/udp_rig.py")" -le 40 ] || fail "udp_rig.py has more than 40 lines"
[ "$(wc -l <"$examples/udp_rig.c")" -le 120 ] || fail "udp_rig.c has more than 120 lines"
[ "$(wc -l <"$IFD_SOURCE_DIR/matlab/interfield_wire.m")" -le 60 ] || fail "interfield_wire.m has more than 60 lines"
${CC:-cc} -O2 -Wall -Werror -o udp_rig "$examples/udp_rig.c" -lm || fail "udp_rig.c does not compile"

# A spring on the rig; machines that run tests may stand still for seconds.
case_of() { # STEP MASS DAMPING
    cat <<END
title: A spring on the rig
time: {step: $1, end: 1 s}
method: lsrt2
model: {dofs: [x], mass: [$2], damping: [$3], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 40 mm}
test: {ramp-in: 0.2 s, settle: 0.05 s, overrun: extrapolate, late-for: 1000 s, stale-for: 60 s, stale-share: 1, frozen-for: 2000 s}
END
}
case_of '8 ms' 1000 8000 >spring.yaml
case_of '100 ms' 20000 80000 >slow.yaml

free_port() { /usr/bin/python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
peer=
trap 'kill $peer 2>/dev/null; rm -rf "$work"' EXIT
begin() { # COMMAND...: a rig at $port
    "$@" >rig 2>&1 </dev/null &
    peer=$!
    tries=0
    until grep -q ":$(printf %04X "$port") " /proc/net/udp; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || { fail "no rig: $(cat rig)"; return; }
        sleep 0.02
    done
}
finish() {
    kill "$peer" 2>/dev/null
    wait "$peer" 2>/dev/null
}
converses() { # TICK SIMULATED
    /usr/bin/python3 "$client" "$port" "$1" 1 "$2" >out 2>err || fail "the conversation"
    finish
}
links() { at "/links/0/$1" "$2/summary.json"; }
completed() { # FOLDER
    is /outcome completed "$1/summary.json"
    is /links/0/first_refused null "$1/summary.json"
    try 0 replay "$1"
    finish
}

port=$(free_port)
begin /usr/bin/python3 "$examples/udp_rig.py" "$port" 0.004 1
converses 0.004 1
begin ./udp_rig "$port" 0.004 1
converses 0.004 0

# The simulated one is started by the program, the real one by a person.
begin /usr/bin/python3 "$examples/udp_rig.py" "$port" 0.004 60
try 0 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out python
completed python
begin ./udp_rig "$port" 0.004 60
try 2 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out refused
complains 'this rig moves by orders of a person'
operate 0 test spring.yaml --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out c
completed c

if command -v octave-cli >/dev/null; then
    begin /usr/bin/python3 "$client" --bridge "$port" 0.05 1 octave-cli
    converses 0.05 0
    begin /usr/bin/python3 "$client" --bridge "$port" 0.05 60 octave-cli
    operate 0 test slow.yaml --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out octave
    completed octave
else
    echo "skipped: interfield_wire.m: octave-cli is not installed"
fi

# One calm attempt of four: the rig and its check have a clock each.
for times in '0.004 0.2 1' '0.01 1 2' '0.05 4 6' '0.1 8 10'; do
    set -- $times
    begin /usr/bin/python3 "$examples/udp_rig.py" "$port" "$1" "$2"
    "$IFD_PROGRAM" rig-check udp --param host=127.0.0.1 --param "port=$port" --param timeout=60 --tick "$1" --watchdog "$3" --move 0.01 --duration 1 >out 2>err
    got=$?
    finish
    [ $got != 0 ] || break
done
says '^passed  *1[56] of 17 requirements'
says 'sense and command allocate no memory  *0 bytes by this side of the link\|not measurable'
try 1 rig-check shm --param name=nobody
says "^failed   opens .*'interfield-nobody' does not exist"
try 2 rig-check virtual
complains 'its rig is virtual'
try 2 rig-check nonsense
complains "no rig 'nonsense' is installed"

# What is wrong with the messages of a rig, and nothing else of it.
wrong() { # SED PATTERN
    sed "$1" "$examples/udp_rig.py" >wrong.py
    ! cmp -s wrong.py "$examples/udp_rig.py" || fail "nothing was changed by $1"
    begin /usr/bin/python3 wrong.py "$port" 0.004 60
    try 1 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, timeout: 1.5 s}}" --out wrong
    complains "^127.0.0.1:$port answers, but its messages are refused: $2\$"
    finish
}
wrong 's/zlib.crc32(m)), to)/zlib.crc32(m) ^ 1), to)/' 'a wrong checksum (0x[0-9a-f]\{8\}, computed 0x[0-9a-f]\{8\})'
wrong 's/ + struct.pack("<I", zlib.crc32(m)), to)/, to)/' 'a wrong length (596 bytes, expected 600)'
wrong 's/word, beat, 1, 0, x/word, 7, 1, 0, x/' 'a field that does not belong to its kind (heartbeat 7 at byte 60)'
wrong 's/word, beat, 1, 0, x/word, beat, 0, 0, x/' 'a wrong number of actuators or auxiliary inputs (actuators 0 at byte 64)'
wrong 's/word, beat, 1, 0, x/word, beat, 2, 0, x/' 'a wrong number of actuators or auxiliary inputs (actuators 2 at byte 64, expected 1)'

# In a test they are counted by reason; the first is in the log, once.
sed 's/zlib.crc32(m)), to)/zlib.crc32(m) ^ (kind == 3 and number % 20 == 0)), to if number % 20 != 10 else to) if number % 20 != 15 else link.sendto(m, to)/' \
    "$examples/udp_rig.py" >wrong.py
begin /usr/bin/python3 wrong.py "$port" 0.004 60
try 0 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, timeout: 60 s}}" --out counted
finish
[ "$(links refused/checksum counted)" -gt 3 ] || fail "checksums: $(links refused/checksum counted)"
[ "$(links refused/length counted)" -gt 3 ] || fail "lengths: $(links refused/length counted)"
[ "$(grep -c "a message of the rig 'udp' was refused: a wrong length (596 bytes, expected 600)" counted/events.log)" = 1 ] ||
    fail "events.log: $(cat counted/events.log)"

# A test sends from the port that the case names.
sed 's/^        kind, of/        print(sender[1], flush=True)\n&/' "$examples/udp_rig.py" >wrong.py
begin /usr/bin/python3 wrong.py "$port" 0.004 60
local=$(free_port)
try 0 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, local-port: $local, timeout: 60 s}}" --set time.end=0.1s --out local
finish
[ "$(sort -u rig)" = "$local" ] || fail "the rig heard from $(sort -u rig), not from $local"
try 1 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $local, local-port: $port, timeout: 0.2 s}}" --out free
complains 'no rig answered'
/usr/bin/python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", int(sys.argv[1]))); time.sleep(1000)' "$local" &
peer=$!
until grep -q ":$(printf %04X "$local") " /proc/net/udp; do sleep 0.02; done
try 1 test spring.yaml --start --without-preflight --set "test.rig={udp: {port: $port, local-port: $local}}" --out used
complains "local port $local cannot be used: Address already in use"
finish
try 2 check spring.yaml --set "test.rig={udp: {port: $port, local-port: 65536}}"
complains 'local-port'

verdict "the references follow their page"
