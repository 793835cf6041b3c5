# SPDX-License-Identifier: MIT
"""Runs the ```python blocks of a page in one session and compares what they print with its ```text blocks."""
import contextlib
import io
import re
import sys


def blocks(path):
    with open(path, encoding="utf-8") as page:
        return re.findall(r"^```(python|text)\n(.*?)^```$", page.read(), re.M | re.S)


def main(path):
    session, printed, wrong, count = {"__name__": "tutorial"}, None, 0, 0
    for kind, body in blocks(path):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(body, path, "exec"), session)
            printed, count = out.getvalue(), count + 1
        elif printed != body:
            wrong += 1
            print(f"the page says\n{body}but it prints\n{printed}")
    print(f"{count} blocks of {path} were run, {wrong} print something else")
    return 1 if wrong or count < 5 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
