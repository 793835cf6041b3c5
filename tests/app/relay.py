# SPDX-License-Identifier: MIT
"""A bad network between a test and its rig server: delays, reorders and loses datagrams in both directions, and cuts the line once.

    relay.py PORT --delay S --jitter SHARE --loss SHARE [--cut-after N --cut S]

Prints its own port and runs until its standard input ends. Every datagram has its own delay, delay x (1 +- jitter), so that datagrams
overtake each other. After N commands the line is cut for a time; it says so before and after."""
import argparse
import heapq
import random
import select
import socket
import sys
import time

args = argparse.ArgumentParser()
args.add_argument("port", type=int)
args.add_argument("--delay", type=float, default=0.0)
args.add_argument("--jitter", type=float, default=0.0)
args.add_argument("--loss", type=float, default=0.0)
args.add_argument("--cut-after", type=int, default=0)
args.add_argument("--cut", type=float, default=0.0)
o = args.parse_args()

near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
near.bind(("127.0.0.1", 0))
far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
far.connect(("127.0.0.1", o.port))
print("relay", near.getsockname()[1], flush=True)
rng = random.Random(7)
flight, number, commands, cut_until, client = [], 0, 0, None, None
while True:
    wait = max(0.0, flight[0][0] - time.monotonic()) if flight else None
    ready = select.select([near, far, sys.stdin], [], [], wait)[0]
    now = time.monotonic()
    if sys.stdin in ready and not sys.stdin.buffer.raw.read(1):
        break
    for s in (near, far):
        if s not in ready:
            continue
        try:
            data, peer = s.recvfrom(4096)
        except ConnectionError:
            continue  # the server has ended
        if s is near:
            client = peer
            commands += 1
            if commands == o.cut_after:
                cut_until = now + o.cut
                print("cut", flush=True)
        if cut_until and now < cut_until or rng.random() < o.loss:
            continue
        number += 1
        heapq.heappush(flight, (now + o.delay * (1 + o.jitter * rng.uniform(-1, 1)), number, s is near, data))
    if cut_until and now >= cut_until:
        cut_until = None
        print("joined", flush=True)
    while flight and flight[0][0] <= now:
        _, _, outward, data = heapq.heappop(flight)
        try:
            if outward:
                far.send(data)
            elif client:
                near.sendto(data, client)
        except OSError:
            pass
