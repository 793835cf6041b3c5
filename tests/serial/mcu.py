#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A microcontroller on a pseudo-terminal, written from docs/reference/serial-frames.md, that also lies.

mcu.py LINK LOG [EVENT]...    LINK becomes the name of the line. It answers every command, moves half of the way to each set point
and pushes a spring of 50 kN/m. An event is NAME@N, from command N on: corrupt (three wrong checksums), garbled (all wrong),
noise (bytes between frames), stale (repeats one frame), old (sequence starts again), silent, saturated, reset, stop, power,
limit (stops by itself), ahead (answers commands that were never sent), actuators (two instead of one). LOG receives what it saw when
the line is closed or on SIGTERM."""
import os
import pty
import select
import signal
import struct
import sys
import time
import tty

LINK, LOG, EVENTS = sys.argv[1], sys.argv[2], dict((e.split("@")[0], int(e.split("@")[1])) for e in sys.argv[3:])


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021) & 0xFFFF if value & 0x8000 else value << 1 & 0xFFFF
    return value


assert crc(b"123456789") == 0x29B1  # the check value of CRC-16/CCITT-FALSE
seen = {"commands": 0, "wrong": 0, "moves": 0, "first": None, "last": 0.0, "jump": 0.0, "watchdog": 0, "gaps": 0, "asked": 0, "outputs": 0}
position = goal = 0.0
sequence, answered, boot, kept = 0, 0, 7, None
began = time.monotonic()


def write_log(*_):
    with open(LOG + ".new", "w") as out:
        out.write(" ".join(f"{k}={v}" for k, v in seen.items()) + "\n")
    os.rename(LOG + ".new", LOG)
    sys.exit(0)


def on(event):
    return event in EVENTS and seen["moves"] >= EVENTS[event]  # an operator arms whenever he likes


def measure():
    """The frame that answers the newest command, or what a liar sends instead."""
    global sequence, kept
    sequence += 1
    n = 2 if on("actuators") else 1
    now = int(1e6 * (time.monotonic() - began)) & 0xFFFFFFFF
    flags = (0 if on("stop") else 1) | (0 if on("power") else 2) | (4 if on("limit") else 0)
    answer = answered + 1000 if on("ahead") else 0 if on("reset") else answered
    number = sequence - 1000 if on("old") else sequence
    force = 4095.0 if on("saturated") else 5e4 * position
    body = struct.pack("<cBIIIBBBB", b"M", n, number & 0xFFFFFFFF, answer & 0xFFFFFFFF, now, flags, 0, 2 if on("limit") else 0,
                       boot + 1 if on("reset") else boot)
    body += struct.pack(f"<{n}f", *[position] * n) + struct.pack(f"<{n}f", *[force] * n)
    wrong = on("garbled") or (on("corrupt") and seen["moves"] < EVENTS["corrupt"] + 3)
    frame = b"\xa5\x5a" + body + struct.pack("<H", crc(body) ^ (1 if wrong else 0))
    if on("noise"):
        frame = b"\xa5\x00\xa5\x5aM" + frame + b"\xa5"
    if on("stale"):
        return kept
    kept = frame
    return frame


def take(frame):
    """A command; wrong checksums are not answered."""
    global answered, goal, position
    body, check = frame[2:-2], struct.unpack("<H", frame[-2:])[0]
    if crc(body) != check:
        seen["wrong"] += 1
        return None
    _, n, number, flags, _, watchdog = struct.unpack("<cBIBBH", body[:10])
    target = struct.unpack(f"<{n}f", body[10:])[0]
    seen["gaps"] += answered != 0 and number != answered + 1
    seen["commands"] += not flags & 8  # an inquiry is only answered
    seen["asked"] += flags >> 3 & 1
    seen["outputs"] |= flags & ~9  # all that was ever requested
    seen["watchdog"] = watchdog
    answered = number
    if flags & 1:
        seen["first"] = target if seen["first"] is None else seen["first"]
        seen["jump"] = max(seen["jump"], abs(target - goal))
        seen["moves"] += 1
        seen["last"] = goal = target
    position += 0.5 * (goal - position)
    return None if on("silent") else measure()


def main():
    signal.signal(signal.SIGTERM, write_log)
    master, slave = pty.openpty()  # the slave stays open here: the line survives a program that closes it
    tty.setraw(slave)
    os.symlink(os.ttyname(slave), LINK + ".new")
    os.rename(LINK + ".new", LINK)
    waiting = b""
    while True:
        select.select([master], [], [])
        waiting += os.read(master, 4096)
        while True:
            at = waiting.find(b"\xa5\x5aC")
            if at < 0 or len(waiting) < at + 12:
                break
            size = 14 + 4 * waiting[at + 3]
            if len(waiting) < at + size:
                break
            answer = take(waiting[at:at + size])
            waiting = waiting[at + size:]
            if answer:
                os.write(master, answer)


main()
