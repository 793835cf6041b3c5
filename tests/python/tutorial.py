# SPDX-License-Identifier: MIT
"""Runs the ```python blocks of pages, each in one session, and compares their output with its ```text blocks."""
import contextlib
import io
import re
import sys


def blocks(path):
    with open(path, encoding="utf-8") as page:
        return re.findall(r"^```(python|text)(?: example=run-by-another-test test=python\.tutorial)?\n(.*?)^```$", page.read(), re.M | re.S)


def run(path):
    session, printed, wrong, count = {"__name__": "tutorial"}, None, 0, 0
    for kind, body in blocks(path):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, path, "exec"), session)
            printed, count = out.getvalue(), count + 1
        elif printed != body:
            wrong += 1
            print(f"the page shows\n{body}but this was printed\n{printed}")
    print(f"{count} blocks of {path} were run, {wrong} have another output")
    return count, wrong


def main(paths):
    results = [run(path) for path in paths]
    return 1 if any(wrong for _, wrong in results) or sum(count for count, _ in results) < 7 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
