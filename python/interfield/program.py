# SPDX-License-Identifier: MIT
"""Commands of the program from Python; every command of interfield has --json."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

from ._library import BUNDLE, Error, builds, prefix


def find_program() -> str:
    """The path of the program: INTERFIELD_PROGRAM, the wheel, the installation prefix, the PATH, a build."""
    beside = os.path.join(prefix() or "", "bin", "interfield") if prefix() else None
    for path in (os.environ.get("INTERFIELD_PROGRAM"), os.path.join(BUNDLE, "interfield"), beside,
                 shutil.which("interfield"), *(os.path.join(folder, "interfield") for folder in builds())):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise Error("the program interfield was not found; install it, or set INTERFIELD_PROGRAM to its path")


def call(*words: object) -> Any:
    """Runs `interfield WORDS --json` and returns its object: call("modes", "tower.yaml", "--count", 3).

    Error if the command failed. A tripped test, NO-GO or a caution is not an error: the object contains the outcome."""
    done = subprocess.run([find_program(), *map(str, words), "--json"], capture_output=True, text=True, check=False)
    try:
        said = json.loads(done.stdout)
    except json.JSONDecodeError:
        said = {"error": ""}
    if done.returncode not in (0, 1, 3) or "error" in said:  # 3: caution
        raise Error(done.stderr.strip() or f"interfield {' '.join(map(str, words))}: exit status {done.returncode}",
                    said.get("error", ""))
    return said


def preflight(case: str | os.PathLike[str], *options: object) -> Any:
    """The certificate of `interfield preflight CASE`, stored beside the case for `interfield test`."""
    return call("preflight", case, *options)
