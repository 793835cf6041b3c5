# SPDX-License-Identifier: MIT
"""The table of terms (app/manual/terms.def) against the program: every word leads to its row, and every topic, page and case of a
row exists. terms.py PROGRAM SOURCES; prints what is wrong."""
import json
import re
import subprocess
import sys
from pathlib import Path

program, sources = sys.argv[1], Path(sys.argv[2])
STRING = r'"(?:[^"\\]|\\.)*"'
text = (sources / "app/manual/terms.def").read_text()
rows = []
for body in re.findall(rf"^TERM\(((?:{STRING}|[\s,])*)\)$", text, re.M):
    parts = [""]
    for token in re.findall(rf"{STRING}|,", body):
        if token == ",":
            parts.append("")
        else:
            parts[-1] += token[1:-1]
    rows.append(parts)
wrong = []
if len(rows) != len(re.findall(r"^TERM\(", text, re.M)) or len(rows) < 100:
    wrong.append(f"{len(rows)} rows were read")


def says(*words):
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["text"] if done.returncode == 0 else None


for words, meaning, topic, pages, case in rows:
    first = words.replace("|", ", ") + ":\n    " + meaning + "\n"
    for word in words.split("|"):
        if first not in (says("help", word.swapcase()) or ""):
            wrong.append(f"'help {word.swapcase()}' does not print the row of {words}")
    if topic and says("help", topic) is None:
        wrong.append(f"{words}: there is no topic '{topic}'")
    wrong += [f"{words}: there is no page '{page}'" for page in pages.split() if says("docs", page) is None]
    if case and not (sources / "cases" / f"{case}.yaml").is_file():
        wrong.append(f"{words}: there is no case '{case}'")
    if not (topic or pages):
        wrong.append(f"{words}: leads nowhere")
print("\n".join(wrong) or f"{len(rows)} rows, {sum(len(r[0].split('|')) for r in rows)} words")
sys.exit(bool(wrong))
