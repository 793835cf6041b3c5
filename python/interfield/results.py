# SPDX-License-Identifier: MIT
"""Results of simulations and of the program as numpy arrays (docs/reference/results.md)."""
from __future__ import annotations

import difflib
import os
import re
import struct
import warnings
import zlib
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

SCHEMA = 1
_NEAR, _LISTED = 3, 40  # names suggested for an unknown one; columns listed in a message


class Result:
    """Recorded columns over time.

    time        simulated time, s; in a test it is constant during ramps and holds
    wall_time   wall-clock time since the first tick of a test, s; None for a run
    result[name] or result["group/path"]   one column, an array as long as time
    columns    names of the columns, in the order of the record; units, groups: {name: text}
    attributes  attributes of the result: outcome, method, step, ...
    """

    def __init__(self, time: numpy.ndarray, data: Mapping[str, numpy.ndarray], units: Mapping[str, str],
                 groups: Mapping[str, str], attributes: Mapping[str, Any], paths: Mapping[str, str] | None = None,
                 case: str | None = None) -> None:
        self.time, self.units, self.groups, self.attributes = time, units, groups, attributes
        self.case = case  # text of the case, if the result was read from a file
        self._data, self._paths = data, paths or {}
        self._legends: Mapping[str, dict[int, str]] = {}

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of the record."""
        return list(self._data)

    @property
    def cautions(self) -> list[str]:
        """Sentences about findings that limit the worth of the result; such a result is not simply "completed"."""
        return str(self.attributes.get("cautions", "")).splitlines()

    @property
    def wall_time(self) -> numpy.ndarray | None:
        """Wall-clock time since the first tick of a test, in s; None for a run."""
        return self._data.get("wall time")

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name.lstrip("/") == "time":
            return self.time
        name = self._paths.get(name.lstrip("/"), name)
        if name not in self._data:
            raise KeyError(f"no column '{name}'{_suggest(name, self._data)}")
        return self._data[name]

    def __contains__(self, name: str) -> bool:
        return name.lstrip("/") == "time" or self._paths.get(name.lstrip("/"), name) in self._data

    def __len__(self) -> int:
        return len(self.time)

    def group(self, word: str) -> dict[str, numpy.ndarray]:
        """{name: array} of the columns of one group: "displacement", "energy", "specimen"."""
        return {name: array for name, array in self._data.items() if self.groups[name] == word}

    def legend(self, name: str) -> dict[int, str]:
        """The meanings of a column of codes: {3: "run", ...} for "state"; empty for other columns."""
        self[name]  # KeyError for an unknown name
        return dict(self._legends.get(self._paths.get(name.lstrip("/"), name), {}))

    def peak(self, name: str) -> tuple[float, float]:
        """(the largest magnitude, the simulated time of its first row)"""
        at = int(numpy.argmax(numpy.abs(self[name])))
        return float(abs(self[name][at])), float(self.time[at])

    def to_dataframe(self, columns: Sequence[str] | None = None) -> pandas.DataFrame:
        """A pandas.DataFrame: a row for each time, indexed by simulated time in s, with all columns or those named.

        Its attrs contain units ({name: unit}) and the attributes of the result. ImportError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas; install it (Debian: python3-pandas)") from None
        names = list(columns) if columns is not None else self.columns
        columns = {name: self[name] for name in names}
        frame = pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))
        frame.attrs = {"units": {name: self._unit(name) for name in names}, **self.attributes}
        return frame

    def plot(self, *columns: str, against: str = "time", path: str | os.PathLike[str] | None = None,
             title: str | None = None) -> matplotlib.figure.Figure:
        """A figure of columns over time or over another column: result.plot("pier force", against="pier displacement").

        Columns of one unit share axes. Without names: the displacements, at most six. path: also writes the figure, in
        the format of its ending (.png, .pdf, .svg). ImportError without matplotlib."""
        from ._plot import draw
        return draw(self, columns, against, path, title)

    def _unit(self, name: str) -> str:
        return "s" if name.lstrip("/") == "time" else self.units[self._paths.get(name.lstrip("/"), name)]

    def __repr__(self) -> str:
        title = self.attributes.get("title", "")
        return f"<interfield result{' ' + repr(title) if title else ''}: {len(self)} rows, {len(self._data)} columns>"


def _suggest(name, known):
    """What the message about an unknown column adds: names that are similar, or have the same words, and what there is."""
    lower = {other.lower(): other for other in known}
    words = re.split(r"[\s_*-]+", name.lower().strip("*_- "))
    near = [lower[other] for other in lower if max(map(len, words)) >= 3 and all(word in other for word in words)]
    near = near[:_NEAR] or [lower[other] for other in difflib.get_close_matches(" ".join(words), lower, _NEAR)]
    asked = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    there = ", ".join(known) if len(known) <= _LISTED else f"{len(known)} columns, which .columns lists"
    return f"{asked} there are: {there}" if near else f"; there are: {there}"


def _by_h5py(path):
    import h5py

    datasets = {}
    with h5py.File(path, "r") as f:
        root = {key: _plain(value) for key, value in f.attrs.items()}

        def visit(name, item):
            if isinstance(item, h5py.Dataset):
                datasets[name] = (item[()], {key: _plain(value) for key, value in item.attrs.items()})

        f.visititems(visit)
    return root, datasets


_SEAL = b"ifdseal\n"


def _check_seal(path):
    """Whether the file ends with a checksum, as a finished result.h5 does (docs/reference/results.md). A file without one was
    not finished, was written by an early version, or was changed by another program."""
    size = os.path.getsize(path) - 24
    with open(path, "rb") as f:
        f.seek(max(size, 0))
        tail = f.read(24)
        if len(tail) < 24 or sum(a == b for a, b in zip(tail, _SEAL)) < 5:
            return False
        magic, length, crc, own = struct.unpack("<8sQII", tail)
        good = magic == _SEAL and length == size and zlib.crc32(tail[:20]) == own
        f.seek(0)
        found, left = 0, size
        while good and left > 0:
            piece = f.read(min(left, 1 << 20))
            found, left = zlib.crc32(piece, found), left - len(piece)
            good = len(piece) > 0
    if not good or found != crc:
        raise OSError(f"{path} is damaged: its checksum is wrong")
    return True


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value.tolist() if isinstance(value, (numpy.generic, numpy.ndarray)) else value


def read(path: str | os.PathLike[str], backend: str | None = None) -> Result:
    """The result in a folder, or in its result.h5. backend: "h5py", or "ctypes" for libhdf5 only; default: h5py
    if it is installed."""
    path = os.fspath(path)
    if os.path.isdir(path):
        path = os.path.join(path, "result.h5")
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    sealed = _check_seal(path)
    if backend is None:
        try:
            import h5py  # noqa: F401
            backend = "h5py"
        except ImportError:
            backend = "ctypes"
    if not sealed:
        from ._child import read_apart
        root, datasets = read_apart(backend, path)
        warnings.warn(f"{path} has no checksum; a changed number or text cannot be detected", stacklevel=2)
    elif backend == "h5py":
        root, datasets = _by_h5py(path)
    else:
        from ._hdf5 import read_file
        root, datasets = read_file(path)
    return _arrange(path, root, datasets)


def _arrange(path, root, datasets):
    if root.get("schema") != SCHEMA:
        raise ValueError(f"{path} was written by another version of interfield (schema {root.get('schema')}; this version "
                         f"reads schema {SCHEMA})")
    missing = [name for name in ("time", "case") if name not in datasets]
    if missing or any(len(value) != len(datasets["time"][0]) for value, facts in datasets.values() if "index" in facts):
        raise OSError(f"{path} is damaged: " + (f"it has no '{missing[0]}'" if missing else "columns differ in length"))
    kept = [(facts["index"], name, facts, array) for name, (array, facts) in datasets.items()
            if "index" in facts and name != "time"]
    kept.sort(key=lambda row: row[0])
    data = {facts["name"]: array for _, _, facts, array in kept}
    units = {facts["name"]: facts["unit"] for _, _, facts, _ in kept}
    groups = {facts["name"]: facts["group"] for _, _, facts, _ in kept}
    paths = {name: facts["name"] for _, name, facts, _ in kept}
    text = datasets["case"][0]
    case = text.decode() if isinstance(text, bytes) else str(text)
    result = Result(datasets["time"][0], data, units, groups, root, paths, case)
    result._legends = {facts["name"]: dict(zip(map(int, facts["flag_values"]), facts["flag_meanings"].split()))
                       for _, _, facts, _ in kept if "flag_values" in facts}
    return result
