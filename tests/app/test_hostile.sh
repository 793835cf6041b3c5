#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 5 of the first
# What others write reaches the terminal tamed, includes end, and SIGTERM ends every command, in its set-up too.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
python=/usr/bin/python3
[ -x $python ] || python=python3
escape=$(printf '\033')
# tame WORDS...: no escape and no other control character comes out (gnuplot begins a page in a terminal by a form feed)
tame() {
    timeout 100 "$IFD_PROGRAM" "$@" >out 2>err </dev/null
    [ $? -lt 124 ] || fail "interfield $*: did not end"
    if LC_ALL=C tr -d '\n\t\f' <out | LC_ALL=C grep -q '[[:cntrl:]]' || LC_ALL=C tr -d '\n\t' <err | LC_ALL=C grep -q '[[:cntrl:]]'; then
        fail "interfield $*: a control character came out"
    fi
}
cat >plain.yaml <<'END'
title: PLAIN-TITLE
time: {step: 10 ms, end: 0.1 s}
model: {dofs: [PLAIN-DOF-NAME], mass: 1 kg, stiffness: 100 N/m}
initial: {displacement: {PLAIN-DOF-NAME: 1 mm}}
END
try 0 run plain.yaml --out plain
# A result with names that act on a terminal.
cat >poison.py <<'END'
import h5py
BAD = {"PLAIN-TITLE": "\x1b]0;OWN\x07\x1b[m", "PLAIN-DOF-NAME": "\x1b[2J\x1b[1;1H\x9bXY"}
def poison(text):
    for plain, bad in BAD.items():
        text = text.replace(plain, bad)
    return text
with h5py.File("plain/result.h5", "r+") as f:
    found, names = 0, []
    f.visit(names.append)
    for at in [f] + [f[name] for name in names]:
        for key, value in list(at.attrs.items()):
            text = value.decode() if isinstance(value, bytes) else value
            if isinstance(text, str) and text != poison(text):
                at.attrs[key] = poison(text)
                found += 1
    for name in sorted(names, key=len, reverse=True):
        if name != poison(name):
            f.move(name, poison(name))
            found += 1
    assert found > 1, names
END
cp -r plain other
$python poison.py
for words in 'report plain' 'compare plain plain' 'compare plain other' 'export plain' 'plot plain --terminal' 'plot plain --format svg' 'replay plain' 'recover plain'; do
    # shellcheck disable=SC2086 # words
    tame $words
    cat out err >>all
done
grep -q 'x1b' all || fail 'no name of the poisoned result was shown: this test sees nothing'
tame run "no${escape}[31msuch.yaml"
tame check plain.yaml --set "ti${escape}[31mtle=x"
tame "bad${escape}[31mcommand"
tame help "bad${escape}[31mtopic"
tame run plain.yaml "--bad${escape}[31moption"
tame fmu "no${escape}[31msuch.fmu"
tame rig-check "./no${escape}[31msuch.so"
printf 'title: "a \\e[31m b"\n' | cat - plain.yaml | sed 2d >red.yaml
try 2 check red.yaml
complains 'control character'

# A plug-in with a name, a summary and a parameter that act on a terminal. Messages of rigs (udp, shm) and of OpenSees carry numbers only.
sed -e 's/"example"/"ex\\033[2Jample"/; s/"an actuator with/"\\033]0;OWN\\007an actuator with/; s/"lag"/"la\\033[31mg"/; s/"of the actuator"/"\\233of"/' "$IFD_SOURCE_DIR/examples/rig.c" >rig.c
grep -c '033' rig.c | grep -q '^[3-9]' || fail 'the plug-in was not poisoned'
${CC:-cc} -shared -fPIC -O1 -I"$IFD_SOURCE_DIR/include" rig.c -o rig.so -lm 2>err || fail 'the plug-in could not be made'
chmod 755 rig.so
cp "$IFD_SOURCE_DIR/examples/rig.yaml" lagging.yaml
sed 's/, lag: 5 ms//' lagging.yaml >rig.yaml
: >all
for words in 'check lagging.yaml --load' 'check rig.yaml --load' 'rig-check ./rig.so' 'preflight rig.yaml' 'test rig.yaml --start --without-preflight --out tested --exit-on-trip' 'report tested' 'replay tested' \
    'test rig.yaml --start --without-preflight --out again --json' 'export tested --csv' 'recover tested'; do
    # shellcheck disable=SC2086 # words
    tame $words
    cat out err >>all
done
grep -q 'x1b' all || fail 'no name of the poisoned plug-in was shown: this test sees nothing'

# Ten files that include the next one ten times each would be read ten thousand million times.
for k in 0 1 2 3 4 5 6 7 8; do
    next=$((k + 1))
    echo "include: [$(for i in 1 2 3 4 5 6 7 8 9 10; do printf 'bomb%s.yaml, ' $next; done)bomb$next.yaml]" >bomb$k.yaml
done
cp plain.yaml bomb9.yaml
timeout 60 "$IFD_PROGRAM" check bomb0.yaml >out 2>err
[ $? = 2 ] || fail 'includes without end'
complains 'more than 1000 files'

# SIGTERM: set-up, analyses and runs. The case takes minutes in each.
cat >long.yaml <<'END'
time: {step: 1 us, end: 500 s}
model:
  frame:
    material: {young: 30 GPa, density: 2500 kg/m3}
    sections: {c: {width: 0.4 m, depth: 0.4 m}}
    grid: {bays: [60 x 6 m], storeys: [60 x 3 m], columns: c, beams: c}
ground: {motion: kanai-tajimi, peak: 0.2 g}
END
# Whatever the machine is busy with: processor time after the signal, and of a test ticks of 1 ms. A command that holds nothing does not catch SIGTERM:
# the kernel ends it, whatever loop it is in, and what is left is the kernel's own work. A test brakes and ramps out, which takes at most as long as on any shipped case.
cat >ends.py <<'END'
import os, re, signal, subprocess, sys, time
# s: hold and ramp-out; of processor time, for what is under way (0.3 s); the same and the end of a result of 11,000 dofs (1.5 s); of the kernel, to take back the
# memory of a command that it ends (0.25 s); for anything that must happen at all
WAY_OUT, BUSY, LARGE, TEARDOWN, PATIENCE = 35, 2.0, 5.0, 1.0, 240
CATCH = {"run", "test", "characterise", "rig", "serve"}  # from their first tick on
TICK = os.sysconf("SC_CLK_TCK")
failed = 0
def used(pid):  # its children that have ended included, as in what wait4 tells
    with open(f"/proc/{pid}/stat") as f:
        words = f.read().rsplit(")", 1)[1].split()
    return sum(map(int, words[11:15])) / TICK
def status(pid):
    with open(f"/proc/{pid}/status") as f:
        return dict(line.split(":", 1) for line in f.read().splitlines() if ":" in line)
def bit(facts, mask):
    return int(facts.get(mask, "0"), 16) >> (signal.SIGTERM - 1) & 1
def ticks(folder):
    try:
        with open(f"{folder}/events.log") as f:
            text = f.read()
    except FileNotFoundError:
        return 0
    heard, over = re.search(r"tick (\d+) .*interrupted by a signal", text), re.search(r"tick (\d+) .*  end: ", text)
    return int(over.group(1)) - int(heard.group(1)) if heard and over else 0
longest = {}
for words in sys.argv[1:]:
    for k, wait in enumerate((0.02, 0.3, 2.0)):
        words_now = words.replace("OUT", f"t{k}").split()
        p = subprocess.Popen([os.environ["IFD_PROGRAM"], *words_now], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        facts = status(p.pid)
        caught = bit(facts, "SigCgt")
        # Blocked: for a moment, while a thread is made or METIS orders a small matrix; the signal waits.
        if "SigCgt" in facts and (bit(facts, "SigIgn") or (caught and not bit(facts, "SigBlk") and words.split()[0] not in CATCH)):
            print(f"{words}: SIGTERM would not end it: ignored {facts['SigIgn'].strip()}, caught {facts['SigCgt'].strip()}, blocked {facts['SigBlk'].strip()}")
            failed += 1
        before, began = used(p.pid), time.monotonic()
        os.kill(p.pid, signal.SIGTERM)  # not by p, which would reap it
        while time.monotonic() - began < PATIENCE:
            pid, ended, usage = os.wait4(p.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.002)
        else:
            now = status(p.pid)
            print(f"{words}: SIGTERM after {wait} s is not heeded: {used(p.pid) - before:.2f} s of processor time since, state {now['State'].strip()}, "
                  f"pending {now['ShdPnd'].strip()} {now['SigPnd'].strip()}, blocked {now['SigBlk'].strip()}, caught {now['SigCgt'].strip()}, "
                  f"memory {now.get('VmRSS', '-').strip()}")
            failed += 1
            p.kill()
            p.wait()
            continue
        p.returncode = 0
        spent, took = usage.ru_utime + usage.ru_stime - before, time.monotonic() - began
        made = ticks(f"{words.split()[0]}-t{k}") if "OUT" in words else 0
        longest[words] = max(longest.get(words, (0, 0, 0)), (spent, took, made))
        allowed = (LARGE if words.startswith("run ") else BUSY) + made / 1000 if caught or not os.WIFSIGNALED(ended) else TEARDOWN
        # In a test the processor works on while it ramps out, for as long as that lasts.
        if made > 1000 * WAY_OUT or spent > allowed:
            print(f"{words}: after SIGTERM at {wait} s it took {spent:.2f} s of processor time and {made} ticks")
            failed += 1
for words, (spent, took, made) in longest.items():
    print(f"{words}: {took:.2f} s, {spent:.2f} s of processor time, {made} ticks")
sys.exit(failed > 0)
END
$python ends.py 'run long.yaml --out long --force' 'check long.yaml' 'modes long.yaml' 'static long.yaml' 'stability long.yaml' 'stability long.yaml --critical' \
    'converge long.yaml' 'matrices long.yaml' 'test bridge/hybrid --out test-OUT --without-preflight' 'preflight bridge/hybrid --out preflight-OUT' \
    'characterise two-dof-rig/rig --out characterise-OUT' 'rig bridge/hybrid --port 0' 'serve opensees opensees/sdof --port 0 --out serve-OUT' 'benchmark rths' 'reproduce all' 'spectrum lsrt2' >out 2>err || fail 'SIGTERM'
cat out
verdict 'texts of others are tamed, includes end, and so does every command'
