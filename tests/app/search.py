# SPDX-License-Identifier: MIT
"""Places that `interfield docs --search WORDS --json` found, against the pages. search.py PLACES.json DOCS WORD...
The words must have no others that mean the same. Prints what is wrong."""
import json
import re
import sys
from pathlib import Path

found, docs, words = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), sys.argv[3:]
MOST = 12
wrong = []


def has(text, word):
    """Whether a word begins with it, or is it."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}" + ("(?![A-Za-z0-9])" if len(word) <= 3 else ""), text, re.I | re.A)


both, some = set(), set()
for page in docs.glob("*/*.md"):
    text = page.read_text()
    count = sum(bool(has(text, word)) for word in words)
    if count == len(words):
        both.add(page.stem)
    if count:
        some.add(page.stem)
listed = [(place["page"], place["all"]) for place in found["places"]]
pages = list(dict.fromkeys(listed))
if found["pages"] != len(some):
    wrong.append(f"{found['pages']} pages, expected {len(some)}")
if len(pages) != min(len(some), MOST):
    wrong.append(f"{len(pages)} pages are listed")
if [complete for _, complete in pages] != [True] * min(len(both), MOST) + [False] * (len(pages) - min(len(both), MOST)):
    wrong.append("pages with all words do not come first")
wrong += [f"{page}: 'all' is {complete}" for page, complete in pages if (page in both) != complete]
for place in found["places"]:
    lines = (docs / place["folder"] / f"{place['page']}.md").read_text().split("\n")
    line = lines[place["line"] - 1]
    above = [s.lstrip("# ") for s in lines[: place["line"]] if s.startswith("#")]
    if not line.strip("#|>-* \t").startswith(place["text"]):
        wrong.append(f"{place['page']}:{place['line']}: {line}")
    if not any(has(line, word) for word in words):
        wrong.append(f"{place['page']}:{place['line']} has none of the words")
    if place["heading"] not in above:
        wrong.append(f"{place['page']}:{place['line']}: '{place['heading']}' is no heading above")
print("\n".join(wrong) or f"{len(listed)} places")
sys.exit(bool(wrong))
