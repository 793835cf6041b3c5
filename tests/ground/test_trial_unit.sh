#!/bin/sh
# SPDX-License-Identifier: MIT
# A trial unit, as CONTRIBUTING describes one: one file, one line of units.def, one test, one page. The patch is applied to a copy of src/hybrid; what knows the list of units is
# compiled again and linked with the objects of the build, and the test of the unit runs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src" "$work/tests/hybrid" "$work/docs"
cp -r "$IFD_SOURCE_DIR/src/hybrid" "$work/src"
patch -d "$work" -p1 -s <"$IFD_SOURCE_DIR/tests/ground/trial-unit.patch" || { echo 'tests/ground/trial-unit.patch does not apply: repeat the trial'; exit 1; }
python3 - "$IFD_SOURCE_DIR" "$IFD_BUILD_DIR" "$work" <<'END'
import json, os, re, shlex, subprocess, sys

source, build, work = sys.argv[1:]
commands = {c["file"]: c for c in json.load(open(os.path.join(build, "compile_commands.json")))}


def run(words, where):
    if subprocess.run(words, cwd=where).returncode:
        sys.exit("failed: " + " ".join(words))


def compile(like, file):
    """An object of a file of the copy, with the command of a file of the tree."""
    c = commands[os.path.join(source, like)]
    out = os.path.join(work, file.replace("/", "_") + ".o")
    words = shlex.split(c["command"])
    words.insert(words.index(next(w for w in words if w.startswith("-I"))), "-I" + os.path.join(work, "src"))
    for i, w in enumerate(words):
        if w in ("-o", "-MF"):
            words[i + 1] = out if w == "-o" else out + ".d"
    words[-1] = os.path.join(work, file)
    run(words, c["directory"])
    return out


# The files that know the list, and the new one.
lists = [f for f in sorted(os.listdir(os.path.join(work, "src/hybrid"))) if f.endswith(".c") and
         (not os.path.exists(os.path.join(source, "src/hybrid", f)) or re.search(r'"hybrid/units\.(h|def)"', open(os.path.join(work, "src/hybrid", f)).read()))]
objects = [compile("src/hybrid/unit.c", "src/hybrid/" + f) for f in lists]
test = compile("tests/hybrid/test_units.c", "tests/hybrid/test_dissipated.c")
text = os.path.join(build, "tests/CMakeFiles/hybrid_test_units.dir/link.txt")
if os.path.exists(text):  # make
    words, where = shlex.split(open(text).read()), os.path.join(build, "tests")
else:
    said = subprocess.run(["ninja", "-C", build, "-t", "commands", "tests/hybrid.units"], capture_output=True, text=True, check=True).stdout
    words, where = shlex.split(said.strip().split("\n")[-1]), build
    words = words[words.index("&&") + 1:len(words) - words[::-1].index("&&") - 1]
at = next(i for i, w in enumerate(words) if w.endswith("test_units.c.o"))
words[at:at + 1] = [test, *objects]
words[words.index("-o") + 1] = os.path.join(work, "trial")
run(words, where)
run([os.path.join(work, "trial")], work)
print("%d files were compiled" % (len(objects) + 1))
END
