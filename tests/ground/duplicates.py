#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Equal runs of lines: python3 duplicates.py LISTED FILE...

Lines are compared without blanks, and passed over if they are empty, comments, includes or punctuation only. Six equal lines are a
run. LISTED has the runs that are meant, one row each: two patterns of file names, or `lines` and an expression that every line of
the run matches, and the reason. Prints both places of every other run, and every row without a run; exit status 1 then."""
import collections
import fnmatch
import re
import sys

LEAST = 6
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def lines_of(path):
    """[(line without blanks, its number)]; a comment keeps its ends of line."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = COMMENT.sub(lambda m: m.group() if m.group()[0] in "\"'" else "\n" * m.group().count("\n"), text)
    folded = ((re.sub(r"\s+", "", line), number) for number, line in enumerate(text.split("\n"), 1))
    return [(line, number) for line, number in folded if re.search(r"\w", line) and not line.startswith("#include")]


def runs(files):
    """Both places and the lines of every longest pair of equal runs."""
    content = {path: lines_of(path) for path in files}
    at = collections.defaultdict(list)
    for path, lines in content.items():
        for i in range(len(lines) - LEAST + 1):
            at[tuple(line for line, _ in lines[i:i + LEAST])].append((path, i))
    for places in list(at.values()):
        for n, (a, i) in enumerate(places):
            for b, j in places[n + 1:]:
                A, B, size = content[a], content[b], LEAST
                if i and j and A[i - 1][0] == B[j - 1][0]:
                    continue  # it began before
                while i + size < len(A) and j + size < len(B) and A[i + size][0] == B[j + size][0]:
                    size += 1
                if a != b or i + size <= j:
                    yield (a, A[i][1], A[i + size - 1][1]), (b, B[j][1], B[j + size - 1][1]), [line for line, _ in A[i:i + size]]


def meant(row, a, b, lines):
    if row[0] == "lines":
        return all(re.fullmatch(row[1], line) for line in lines)
    return any(fnmatch.fnmatchcase(x, row[0]) and fnmatch.fnmatchcase(y, row[1]) for x, y in ((a, b), (b, a)))


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        listed = [tuple(line.split(None, 2)) for line in f if line.strip() and not line.startswith("#")]
    unused, bad = set(listed), 0
    for a, b, lines in sorted(runs(sys.argv[2:])):
        of = {row for row in listed if meant(row, a[0], b[0], lines)}
        unused -= of
        if not of:
            print("%d equal lines: %s:%d-%d and %s:%d-%d" % (len(lines), *a, *b))
            bad = 1
    for row in sorted(unused):
        print("listed, but there is no equal run: %s %s" % row[:2])
        bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
