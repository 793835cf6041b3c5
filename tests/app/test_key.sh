#!/bin/sh
# SPDX-License-Identifier: MIT
# A rig with a key: the right one, another, none; a recorded session; who may be served without.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
cat >spring.yaml <<'END'
time: {step: 10 ms, end: 0.5 s}
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
loads: [{at: x, force: {sine: {amplitude: 1 kN, frequency: 2 Hz}}}]
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 20 mm}
test: {rig: {udp: {port: 4711, lockstep: yes, timeout: 10 s}}, ramp-in: 0.2 s, settle: 0.05 s}
END
try 0 key mine
try 0 key other
[ "$(stat -c %a mine)" = 600 ] || fail 'the key file is for others too'
try 1 key mine
complains 'cannot be created'

# Served to the network: with a key, or on purpose.
try 2 rig spring.yaml --host 0.0.0.0 --port 0 --for 0.2
complains 'has no key'
try 0 rig spring.yaml --host 0.0.0.0 --port 0 --for 0.2 --insecure
try 0 rig spring.yaml --host 0.0.0.0 --port 0 --for 0.2 --key mine
chmod 640 other
try 2 rig spring.yaml --port 0 --key other
complains 'other users can read or write it'
chmod 600 other

"$IFD_PROGRAM" rig spring.yaml --port 0 --key mine --watchdog 5 >rig 2>&1 &
server=$!
until_says 'serves' rig
port=$(sed -n 's/^serves.* port \([0-9]*\) .*/\1/p' rig)
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
# Everything a test says goes through a listener that keeps it, and is said again when the test has ended.
cat >proxy.py <<'END'
import select, socket, sys
server = ("127.0.0.1", int(sys.argv[1]))
near, far = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
near.bind(("127.0.0.1", 0))
open("proxy.new", "w").write(str(near.getsockname()[1]))
import os
os.rename("proxy.new", "proxy.port")
said, client = [], None
while not os.path.exists("proxy.stop"):
    for s in select.select([near, far], [], [], 0.1)[0]:
        data, sender = s.recvfrom(2000)
        if s is near:
            client = sender
            said.append(data)
            far.sendto(data, server)
        elif client:
            near.sendto(data, client)
again = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
again.settimeout(0.5)
answers = set()
for data in said:
    again.sendto(data, server)
try:
    while True:
        answers.add(again.recv(2000)[56])
except OSError:
    pass
print(len(said), "datagrams said again, answered", sorted(answers))
sys.exit(0 if len(said) > 20 and 16 not in answers else 1)  # 16: welcome
END
/usr/bin/python3 proxy.py "$port" >proxy.txt 2>&1 &
proxy=$!
while [ ! -e proxy.port ]; do sleep 0.05; done
try 0 test spring.yaml --as-fast-as-possible --without-preflight --out right --key mine --set "test.rig.udp.port=$(cat proxy.port)"
until_says '^free' rig
: >proxy.stop
wait $proxy || fail "a recorded session was welcome: $(cat proxy.txt)"
[ "$(grep -c '^test ' rig)" = 1 ] || fail 'the recording was served'

try 1 test spring.yaml --as-fast-as-possible --without-preflight --out wrong --key other --set "test.rig.udp.port=$port" --set test.rig.udp.timeout=1s
complains 'another key'
try 1 test spring.yaml --as-fast-as-possible --without-preflight --out none --set "test.rig.udp.port=$port"
complains 'requires a key'
until_says 'without the key' rig
kill -INT $server
wait $server

# A key where none is served.
: >rig # what the one before said
"$IFD_PROGRAM" rig spring.yaml --port 0 >>rig 2>&1 &
server=$!
until_says 'serves' rig
port=$(sed -n 's/^serves.* port \([0-9]*\).*/\1/p' rig)
try 1 test spring.yaml --as-fast-as-possible --without-preflight --out plain --key mine --set "test.rig.udp.port=$port" --set test.rig.udp.timeout=1s
complains 'another key than this test, or none'
until_says 'this server has none' rig
try 0 test spring.yaml --as-fast-as-possible --without-preflight --out keyless --set "test.rig.udp.port=$port"
kill -INT $server
wait $server
verdict 'only those who have the key move the rig, and no recording of them'
