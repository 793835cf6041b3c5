# SPDX-License-Identifier: MIT
"""The program beside an independent line of emulated devices on a pair of virtual interfaces (pa: program, pb: line).

IFD_EC_PEER INTERFACE FAULTS runs the line until SIGTERM and prints `ready`. Devices in order: coupler EK1100, EL1008, EL2008
(none has a mailbox), a terminal without mailbox with the force (vendor 2, product 0x0c1e3052, object 0x3101:1 of 32 bits,
0.02 increments per increment of the drive), a CiA-402 drive (vendor 0x29c, product 61935618) without 0x605C and 0x605E.
Both contacts of the EL1008 are closed. FAULTS has a line per fault:

    cycle S         tick of the program, 1 ms if not given      delay S         cyclic frames arrive later
    absent OBJECT   the drive has no such object                answer BYTE     SDO answers 0x60 become BYTE
    limit           status bit 11 is set

The clocks follow a distributed time by at most 25 ppm, as those of real devices. This file watches the bus by a socket of
its own and shares no code with the program."""
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

SOURCE, PROGRAM, PEER = (os.environ[k] for k in ('IFD_SOURCE_DIR', 'IFD_PROGRAM', 'IFD_EC_PEER'))
BUS = '''clock: tick
devices:
  - {name: coupler, vendor: 2, product: 0x044c2c52}
  - {name: contacts, vendor: 2, product: 0x03f03052}
  - {name: lamps, vendor: 2, product: 0x07d83052}
  - {name: force, vendor: 2, product: 0x0c1e3052}
  - name: drive
    vendor: 0x29c
    product: 61935618
    outputs: [{pdo: 0x1600, entries: [0x6040:0/16, 0x607A:0/32, 0x60B1:0/32, 0x6060:0/8]}]
    inputs: [{pdo: 0x1A00, entries: [0x6041:0/16, 0x6064:0/32, 0x6061:0/8, 0x603F:0/16]}]
axes:
  - {device: drive, counts: 1e6, tracking: 20 mm, stroke: [-60 mm, HIGH], at-end: brake, fault-reaction: none, quick-stop: QUICK}
forces: [{device: force, object: 0x3101:1, counts: 2}]
stop-input: {device: contacts, object: 0x6000:1}
power-input: {device: contacts, object: 0x6010:1}
outputs: {trigger: {device: lamps, object: 0x7000:1}, enable: {device: lamps, object: 0x7010:1}}
aux: [side, limit]
'''


class Watcher(threading.Thread):
    """What passed on the line: cyclic frames as (lamps, control, target, velocity), requested states, SYNC0, clocks."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # all: answers are outgoing
        self.socket.bind(('pb', 3))
        self.socket.settimeout(0.1)
        for size in (1 << 26, 1 << 18):  # bursts before the cycle; 33: SO_RCVBUFFORCE
            try:
                self.socket.setsockopt(socket.SOL_SOCKET, 33 if size > 1 << 20 else socket.SO_RCVBUF, size)
                break
            except PermissionError:
                pass
        self.frames, self.states, self.clocks, self.objects, self.sync, self.ends = [], [], [], {}, 0, False
        self.start()

    def datagram(self, command, place, data, back):
        if command == 12 and not back:
            self.frames.append(struct.unpack_from('<BHii', data))
        elif command == 14 and back:
            self.clocks.append(struct.unpack_from('<q', data)[0])
        elif command in (5, 8) and not back and place == 0x120:
            self.states.append(data[0] & 15)
        elif command == 5 and not back and place == 0x990:
            self.sync = struct.unpack_from('<q', data)[0]
        elif command == 5 and not back and place >= 0x1000 and len(data) >= 16 and data[5] & 15 == 3:
            request, index = struct.unpack_from('<BH', data, 8)
            if request & 0xe0 == 0x20:
                self.objects[index] = struct.unpack_from('<i', data, 12)[0]

    def run(self):
        while not self.ends:
            try:
                f, address = self.socket.recvfrom(2048)
            except socket.timeout:
                continue
            back, at = address[2] == socket.PACKET_OUTGOING, 16
            while f[12:14] == b'\x88\xa4' and at + 12 <= len(f):
                length = struct.unpack_from('<H', f, at + 6)[0]
                size = length & 0x7ff
                self.datagram(f[at], struct.unpack_from('<H', f, at + 4)[0], f[at + 10:at + 10 + size], back)
                if not length & 0x8000:
                    break
                at += 12 + size

    def words(self):
        """Control words without repetitions."""
        seen = []
        for frame in list(self.frames):
            if not seen or seen[-1] != frame[1]:
                seen.append(frame[1])
        return seen


class Scene:
    """The line with its faults, a watcher, and the program."""
    number = 0

    def __init__(self, faults='', quick='2', high='60 mm', reaction=True):
        Scene.number += 1
        self.folder = f'scene-{Scene.number}'
        os.mkdir(self.folder)
        text = BUS.replace('QUICK', quick).replace('HIGH', high)
        self.write('bus.yml', text if reaction else text.replace(', fault-reaction: none', ''))
        self.write('faults', faults)
        self.write('spring.yaml', open(f'{SOURCE}/cases/ethercat/spring.yaml').read())
        self.line = subprocess.Popen([PEER, 'pb', f'{self.folder}/faults'], stdout=subprocess.PIPE, text=True)
        while self.line.stdout.readline() not in ('ready\n', ''):
            pass
        self.watcher = Watcher()

    def write(self, name, text):
        with open(f'{self.folder}/{name}', 'w') as out:
            out.write(text)

    def begin(self, *words, tick=1e-3):
        sets = ['test.rig={ethercat: {interface: pa, bus: bus.yml, watchdog: 1 s, silent-for: 0.6 s}}', 'test.overrun=extrapolate',
                'test.late-for=1000s', 'test.stale-for=4s', 'test.stale-share=1', f'time.step={2e3 * tick}ms', 'time.end=2s',
                'specimen.0.limits.tracking=40mm']
        line = [PROGRAM, *words] + [w for s in sets for w in ('--set', s)]
        if words[0] == 'test':
            line += ['--operator', 'A. Smith', '--without-preflight', '--exit-on-trip', '--out', 'result']
        self.program = subprocess.Popen(line, cwd=self.folder, stdin=subprocess.PIPE, stdout=open(f'{self.folder}/out', 'w'),
                                        stderr=subprocess.STDOUT)

    def said(self):
        return open(f'{self.folder}/out').read()

    def until(self, text):
        while text not in self.said():
            if self.program.poll() is not None:
                return False
            time.sleep(0.02)
        return True

    def type(self, word):
        try:
            self.program.stdin.write(word.encode() + b'\n')
            self.program.stdin.flush()
        except BrokenPipeError:
            pass

    def orders(self):
        if self.until('Type arm'):
            self.type('arm')
        if self.until('Type run'):
            self.type('run')

    def close(self):
        status = self.program.wait()
        self.line.send_signal(signal.SIGTERM)
        self.line.wait()
        self.watcher.ends = True
        self.watcher.join()
        return status


failures = 0


def judge(what, good, found=''):
    global failures
    failures += not good
    print(f'{"passed" if good else "FAILED"}   {what}: {found}', flush=True)


def reading():
    s = Scene()
    s.begin('channels', 'spring.yaml', '--once')
    status, w = s.close(), s.watcher
    judge('channels --once: control words 0, no OP', status == 0 and w.words() == [0] and 8 not in w.states and len(w.frames) > 20,
          f'status {status}, words {w.words()}, states {sorted(set(w.states))}, {len(w.frames)} frames')


def waiting(seconds=60):
    s = Scene()
    s.begin('test', 'spring.yaml')
    asked = s.until('Type arm')
    time.sleep(seconds)
    s.type('quit')
    status, w = s.close(), s.watcher
    judge(f'{seconds} s without an order: no 0x0F', asked and status == 1 and set(w.words()) <= {0, 6} and 8 in w.states,
          f'status {status}, words {w.words()}, {len(w.frames)} frames')


def moving():
    """A whole test: words, outputs, velocity of the set point; the drive limits its motion meanwhile, which is a note."""
    for faults in ('', 'limit\n', 'answer 0x6F\n'):
        s = Scene(faults)
        s.begin('test', 'spring.yaml')
        s.orders()
        status, w = s.close(), s.watcher
        words = w.words()
        judge(f'completed with brake: words in order ({faults.strip() or "no fault"})',
              status == 0 and words == [0, 6, 7, 15, 7, 6, 0] and w.states[-1] == 1, f'status {status}, words {words}, last state {w.states[-1:]}')
        if status:
            print(s.said())
        lamps = [f[0] for f in w.frames]
        edges = sum(b & 1 and not a & 1 for a, b in zip(lamps, lamps[1:]))
        # trigger only with enable; enable from the first 0x07 of arm to the end of motion
        judge('trigger rises once, within enable', edges == 1 and all(not x & 1 or x & 2 for x in lamps), f'{edges} edges')
        off = [abs(b[3] * 1e-3 - (b[2] - a[2])) for a, b in zip(w.frames, w.frames[1:]) if a[1] == b[1] == 15]
        judge('0x60B1 is the change of the target', off and max(off) <= 1.5, f'off by at most {max(off or [0])} increments a tick')
        brake = sum(f[1] == 7 for f in w.frames[max(k for k, f in enumerate(w.frames) if f[1] == 15):]) if 15 in words else 0
        judge('0x07 lasts for brake-time', brake >= 190, f'{brake} ticks')


def stopping():
    """The driver stops at its stroke, at speed."""
    for quick, first, code in (('2', 2, 2), ('6', 2, 6), ('none', 7, None)):
        s = Scene(quick=quick, high='5 mm')
        s.begin('test', 'spring.yaml')
        s.orders()
        status, w = s.close(), s.watcher
        words = w.words()
        after = words[words.index(15) + 1:] if 15 in words else []
        judge(f'quick-stop {quick}: words and 0x605A', status == 1 and after[:1] == [first] and after[-1] == 0 and
              w.objects.get(0x605a) == code, f'status {status}, words {words}, 0x605A {w.objects.get(0x605a)}')


def absent():
    for faults, reaction, key in (('', False, 'fault-reaction: none'), ('absent 0x605A\n', True, 'quick-stop: none'),
                                  ('absent 0x6065\n', True, 'tracking: none'), ('absent 0x6066\n', True, 'tracking-time: none'),
                                  ('absent 0x60C2\n', True, 'cycle-object: no')):
        s = Scene(faults, reaction=reaction)
        s.begin('channels', 'spring.yaml', '--once')
        status = s.close()
        judge(f'refused with the key {key}', status != 0 and f'add `{key}`' in s.said(), f'status {status}')


def delayed():
    s = Scene('delay 0.00045\n')
    s.begin('test', 'spring.yaml', '--set', 'test.arm-timeout=8s')
    start = time.monotonic()
    status = s.close()
    took, w = time.monotonic() - start, s.watcher
    judge('frames delayed by 0.45 T: not ready, ends after arm-timeout', status != 0 and 'before SYNC0, expected 200 to 800 us' in s.said()
          and set(w.words()) <= {0, 6} and 8.0 <= took < 40.0, f'status {status} after {took:.1f} s')


def phased(tick, starts=10):
    """Frame to SYNC0 by the clock of the drive. A frame leaves when the tick has started and has computed its command: what the program
    states of both (late_p50, tick_p50) is taken from `shift`; on a machine for tests at this rate they are small."""
    worst, raw, unseen = 0.0, [], 0
    while len(raw) < starts and unseen < 3:
        s = Scene(f'cycle {tick}\n')
        s.begin('test', 'spring.yaml', tick=tick)
        asked = s.until('Type arm')
        time.sleep(2.0)
        s.type('quit')
        s.close()
        w = s.watcher
        if not asked or w.sync == 0:
            unseen += 1
            print(s.said() if not asked else '         SYNC0 was not seen by the watcher: repeated')
            continue
        period, last = round(1e9 * tick), w.clocks[-int(1.5 / tick):]
        ahead = sorted((w.sync - t) % period for t in last)[len(last) // 2] * 1e-9
        told = json.load(open(f'{s.folder}/result/summary.json'))
        due = 0.5 * tick - told['clock']['late_p50'] - told['timing']['tick_p50']
        raw.append(1e6 * ahead)
        worst = max(worst, abs(ahead - due) / tick)
        print(f'         frame to SYNC0 {1e6 * ahead:.1f} us, due {1e6 * due:.1f} (late {1e6 * told["clock"]["late_p50"]:.1f}, tick '
              f'{1e6 * told["timing"]["tick_p50"]:.1f})', flush=True)
    judge(f'{starts} starts at {1e-3 / tick:.0f} kHz: within 0.1 T', len(raw) == starts and worst <= 0.1,
          f'{len(raw)} ready, medians {min(raw or [0]):.1f} to {max(raw or [0]):.1f} us, off by at most {worst:.3f} T')


scenes = {'reading': reading, 'waiting': waiting, 'moving': moving, 'stopping': stopping, 'absent': absent, 'delayed': delayed,
          'phased-1': lambda: phased(1e-3), 'phased-4': lambda: phased(0.25e-3)}
for name in sys.argv[1:] or scenes:
    scenes[name]()
sys.exit(failures > 0)
