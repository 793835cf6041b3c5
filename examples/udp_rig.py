# SPDX-License-Identifier: MIT
"""A simulated rig of one actuator behind UDP: clock, lag of 10 ms, spring of 200 kN/m, watchdog (docs/reference/udp-wire.md has every byte).
/usr/bin/python3 udp_rig.py PORT TICK WATCHDOG    (s)"""
import math, select, socket, struct, sys, time, zlib

port, tick, watchdog = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.bind(("0.0.0.0", port))
session = number = newest = echo = answered = 0
x = target = 0.0
watching = stopped = False

def send(to, kind, session, number, echo, answered=0, seconds=0.0, word=0, beat=0, x=0.0, f=0.0):
    m = struct.pack("<4sHHQQqqQdIIIId120xd120x268x", b"IFRG", 3, kind, session, number, time.monotonic_ns(), echo, answered,
                    seconds, word, beat, 1, 0, x, f)
    link.sendto(m + struct.pack("<I", zlib.crc32(m)), to)

due = heard = time.monotonic()
while True:
    while select.select([link], [], [], max(0.0, due - time.monotonic()))[0]:
        m, sender = link.recvfrom(601)
        if len(m) != 600 or m[:6] != b"IFRG\3\0" or zlib.crc32(m[:596]) != struct.unpack_from("<I", m, 596)[0]:
            continue
        kind, of, count, stamp, _, asked, seconds, word, _, actuators = struct.unpack_from("<HQQqqQdIII", m, 6)
        busy = session not in (0, of) and time.monotonic() < heard + 2 * watchdog
        answer = 17 if busy else 19 if actuators != 1 else 20 if abs(seconds / tick - 1) > 1e-6 else 24 if word & 1 else 16
        if kind == 1 and answer == 16 and of != session:  # 17: another test, 19: actuators, 20: tick, 24: no lockstep, 16: welcome
            session, peer, number, newest, answered, watching, stopped = of, sender, 0, 0, 0, False, False
        if of == session and count > newest:
            newest, echo, heard, number, answered = count, stamp, time.monotonic(), number + (kind in (1, 4)), asked
            if kind == 2 and struct.unpack_from("<I", m, 588)[0]:  # commanded: from now on the watchdog counts
                target, watching = target if stopped else struct.unpack_from("<d", m, 72)[0], True
        if kind in (1, 4):  # heartbeat 1: simulated. A rig that moves a machine answers 0
            send(sender, kind, of, number if of == session else 1, stamp, 0, tick * (kind == 1), answer * (kind == 1), word >> 2 & (answer == 16))
        session = 0 if kind == 4 and of == session else session
    due, stopped = due + tick, stopped or (watching and session != 0 and time.monotonic() > heard + watchdog)
    x += 0.0 if stopped else (target - x) * (1 - math.exp(-tick / 10e-3))
    number += session != 0
    if session:
        send(peer, 3, session, number, echo, answered, time.monotonic(), 3 | 4 * stopped, 0, x, 2e5 * x)
