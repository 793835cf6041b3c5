# SPDX-License-Identifier: MIT
"""Damages results and gives them to every command that reads one, and to the Python package.

    damage.py COUNT [FIRST]        IFD_PROGRAM, IFD_SOURCE_DIR

Fails when one crashes, does not end, or shows a changed number without saying that the file has no seal."""
import os
import random
import shutil
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.environ["IFD_SOURCE_DIR"], "python"))
from interfield import results  # noqa: E402

PROGRAM, SEAL, PATIENCE = os.environ["IFD_PROGRAM"], 24, 300  # bytes; s
CASE = """title: A spring on the rig
time: {step: 2 ms, end: 0.4 s}
model: {dofs: [x], mass: [1000], damping: [800], stiffness: [4.0e+5]}
initial: {displacement: {x: 10 mm}}
specimen:
  - name: spring
    spring: {between: [ground, x], stiffness: 2e5 N/m}
    limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 100 m/s2, force: 5 kN, tracking: 10 mm}
test: {rig: virtual, ramp-in: 0.05 s, settle: 0.01 s}
"""
KINDS = ("bit", "zeros", "cut")
failures = 0
tally = {}


def fail(seed, what):
    global failures
    failures += 1
    print(f"FAILED: seed {seed}: {what}")


def program(seed, *words):
    """(exit status, error stream)"""
    try:
        done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=PATIENCE,
                              stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        fail(seed, f"{words} did not end")
        return 99, ""
    said = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode < 0 or done.returncode > 3:
        fail(seed, f"{words}: ended by {done.returncode}: {said[-300:]}")
    if "HDF5: infinite loop" in said or "Sanitizer" in said:
        fail(seed, f"{words} says: {said[-300:]}")
    if done.returncode and not done.stderr.strip() and words[0] != "compare":
        fail(seed, f"{words}: exit status {done.returncode} without a reason")
    return done.returncode, said


def damaged(whole, kind, rng):
    at = rng.randrange(len(whole))
    out = bytearray(whole)
    if kind == "bit":
        out[at] ^= 1 << rng.randrange(8)
    elif kind == "zeros":
        out[at // 64 * 64:at // 64 * 64 + 64] = bytes(len(out[at // 64 * 64:at // 64 * 64 + 64]))
    else:
        out = out[:at]
    return bytes(out)


def table(folder):
    with open(os.path.join(folder, "columns.csv"), "rb") as f:
        return f.read()


def by_python(seed, path, backend, good):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            r = results.read(path, backend)
        except (OSError, ValueError):
            return
    same = len(r) == len(good) and r.columns == good.columns and all(
        r[name].tobytes() == good[name].tobytes() for name in good.columns)
    if not same and not said:
        fail(seed, f"Python ({backend}) took a changed number in silence")


def one(seed, whole, csv, good):
    rng = random.Random(seed)
    kind, of = KINDS[seed % 3], ("tested", "ran")[seed // 3 % 2]
    sealed = seed // 6 % 2 == 1
    was = whole[of] if sealed else whole[of][:-SEAL]
    now = damaged(was, kind, rng)
    key = (kind, "sealed" if sealed else "unsealed")
    counts = tally.setdefault(key, dict.fromkeys(("tried", "unchanged", "refused", "same", "warned"), 0))
    counts["tried"] += 1
    if now == was:
        counts["unchanged"] += 1
        return
    for name in ("d", "csv.d"):
        shutil.rmtree(name, ignore_errors=True)
    shutil.copytree(of, "d")
    with open("d/result.h5", "wb") as f:
        f.write(now)
    status, said = program(seed, "export", "d", "--csv", "-o", "csv.d")
    same = status == 0 and table("csv.d") == csv[of]
    counts["refused" if status else "same" if same else "warned"] += 1
    if status == 0 and "has no seal" not in said:
        fail(seed, f"{key}: export says nothing of a missing seal")
    if sealed and kind != "cut" and status == 0:
        fail(seed, f"{key}: export took a broken seal")
    replayed, _ = program(seed, "replay", "d")
    if replayed == 0 and status == 0 and not same:
        fail(seed, f"{key}: replay did not notice a changed number")
    program(seed, "report", "d", "--out", "out.html")
    program(seed, "compare", "d", of)
    if seed % 5 == 0:
        program(seed, "plot", "d", "--out", "out.png")
    if of == "tested" and seed % 7 == 0:
        recovered(seed, csv[of])
    for backend in BACKENDS[:1 + (seed % 4 == 0)]:
        by_python(seed, "d/result.h5", backend, good[of])


def recovered(seed, csv):
    """From the journal, whatever happened to result.h5."""
    for name in ("again", "csv.d"):
        shutil.rmtree(name, ignore_errors=True)
    if program(seed, "recover", "d", "--out", "again")[0] or program(seed, "export", "again", "--csv", "-o", "csv.d")[0]:
        fail(seed, "the journal was not recovered")
    elif table("csv.d") != csv:
        fail(seed, "the recovered result has other numbers")


def renamed(whole):
    """A name or a unit that was changed in the result of a run, which has no journal, is noticed by its replay."""
    for was, now in ((b"spring force", b"spring farce"), (b"energy stored", b"energy stired"), (b"m/s2", b"m/s3")):
        bytes_ = whole["ran"][:-SEAL]
        at = bytes_.find(was)
        while at >= 0 and bytes_[at - 1:at].isalnum():
            at = bytes_.find(was, at + 1)
        if at < 0:
            sys.exit(f"the result has no {was}")
        shutil.rmtree("d", ignore_errors=True)
        shutil.copytree("ran", "d")
        with open("d/result.h5", "wb") as f:
            f.write(bytes_[:at] + now + bytes_[at + len(now):])
        if program(-1, "replay", "d")[0] == 0:
            fail(-1, f"replay took {now} for {was}")


def backends():
    try:
        import h5py  # noqa: F401
        return ["ctypes", "h5py"]
    except ImportError:
        return ["ctypes"]


BACKENDS = backends()


def main():
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with open("case.yaml", "w", encoding="ascii") as f:
        f.write(CASE)
    made = [program(-1, "test", "case.yaml", "--as-fast-as-possible", "--without-preflight", "--out", "tested"),
            program(-1, "run", "case.yaml", "--out", "ran")]
    if any(status for status, _ in made):
        sys.exit(f"the results could not be made: {made}")
    whole, csv, good = {}, {}, {}
    for of in ("tested", "ran"):
        with open(f"{of}/result.h5", "rb") as f:
            whole[of] = f.read()
        shutil.rmtree("csv.d", ignore_errors=True)
        if program(-1, "export", of, "--csv", "-o", "csv.d")[0]:
            sys.exit("the results could not be exported")
        csv[of], good[of] = table("csv.d"), results.read(of, "ctypes")
    renamed(whole)
    for seed in range(first, first + count):
        one(seed, whole, csv, good)
        if (seed - first + 1) % 10 == 0:
            words = {word: sum(c[word] for c in tally.values()) for word in tally[next(iter(tally))]}
            print(f"so far {seed - first + 1} of {count}:", ", ".join(f"{n} {w}" for w, n in words.items()) +
                  f"; {failures} failed", flush=True)
    for key, counts in sorted(tally.items()):
        print(f"{' '.join(key):16}", ", ".join(f"{n} {word}" for word, n in counts.items()))
    sys.exit(1 if failures else 0)


main()
