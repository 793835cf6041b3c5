# SPDX-License-Identifier: MIT
"""Studies: many variants of a case (docs/guide/studies.md)."""
from __future__ import annotations

import csv
import os
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Union

import numpy

from . import _library as c
from .program import call
from .results import Result
from .simulation import Simulation

Path = Union[str, "os.PathLike[str]"]
_TEXTS = ("outcome", "reason", "hash", "caution")  # columns of study.csv that are always texts


class Variant(NamedTuple):
    """A member of a study: its number, the values of the variables, the base case and the settings that make its case.

    It can be sent to another process."""

    number: int
    values: dict[str, Any]
    case: str
    settings: dict[str, str]

    def simulation(self, *, record: Sequence[str] | None = None, every: int | None = None) -> Simulation:
        """The simulation of this member, for specimens of one's own or single steps."""
        return Simulation.from_case(self.case, self.settings, record=record, every=every)

    def run(self, **options: Any) -> Result:
        """Computes the member; numpy arrays by column name."""
        return self.simulation(**options).run()


class Study:
    """The members of a study file: a sequence of variants.

        study = interfield.Study("strength.yaml")
        len(study), study[17].values
        for variant in study:
            print(variant.number, variant.run().peak("x displacement"))
    """

    def __init__(self, path: Path, sets: Mapping[str, object] | None = None) -> None:
        self.path = os.fspath(path)
        self.sets = {str(key): str(value) for key, value in (sets or {}).items()}
        self._c = c.library()
        words = [f"{key}={value}" for key, value in self.sets.items()]
        self._v = self._c.ifd_variants_open(self.path.encode(), len(words), c.texts(words))
        if not self._v:
            raise MemoryError
        self._count = self._c.ifd_variants_count(self._v)
        if self._count < 0:
            raise c.Error(self._c.ifd_variants_message(self._v).decode().strip(), "SYNTAX")
        self.case = self._c.ifd_variants_base(self._v).decode()
        self.variables = []
        while name := self._c.ifd_variants_variable(self._v, len(self.variables)):
            self.variables.append(name.decode())

    def __del__(self) -> None:
        if getattr(self, "_v", None):
            self._c.ifd_variants_close(self._v)
            self._v = None

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> Variant:
        number = number + self._count if number < 0 else number
        count = self._c.ifd_variants_choose(self._v, number)
        if count < 0:
            raise IndexError(f"there is no member {number}; the study has {self._count}")
        values = {}
        for i, name in enumerate(self.variables):
            value = self._c.ifd_variants_value(self._v, i)
            text = self._c.ifd_variants_choice(self._v, i, 0) and self._c.ifd_variants_choice(self._v, i, int(value))
            values[name] = text.decode() if text else value
        pairs = [self._c.ifd_variants_setting(self._v, i).decode().split("=", 1) for i in range(count)]
        return Variant(number, values, self.case, dict(pairs))

    def __iter__(self) -> Iterator[Variant]:
        return (self[number] for number in range(self._count))

    def map(self, function: Callable[[Variant], Any], executor: Any = None) -> Any:
        """A table of function(variant) for every member, with the values of the variables.

        function returns a number or a dictionary of them. executor: anything with map, such as ProcessPoolExecutor of
        concurrent.futures; a Client of Dask also works. A member whose function raises has the text of it in "error"."""
        task = _Caught(function)
        done = map(task, self) if executor is None else executor.map(task, list(self))
        if executor is not None and hasattr(executor, "gather"):
            done = executor.gather(done)
        rows = []
        for variant, answer in zip(self, done):
            answer = answer if isinstance(answer, dict) else {"value": answer}
            rows.append({"member": variant.number, **variant.values, **answer})
        return table(rows)

    def run(self, out: Path | None = None, jobs: int | None = None, *options: object) -> Any:
        """Computes the kept scalars with the program on all cores, continues if it was interrupted; the table."""
        words: list[object] = ["study", self.path]
        for key, value in self.sets.items():
            words += ["--set", f"{key}={value}"]
        words += ["--out", out] if out is not None else []
        words += ["--jobs", jobs] if jobs is not None else []
        return read_study(call(*words, *options)["folder"])


class _Caught:
    """The function of map; an exception becomes a value, so that one member does not end the others."""

    def __init__(self, function: Callable[[Variant], Any]) -> None:
        self.function = function

    def __call__(self, variant: Variant) -> Any:
        try:
            return self.function(variant)
        except Exception as trouble:  # pylint: disable=broad-except
            return {"error": str(trouble)}


def study(path: Path, *, out: Path | None = None, jobs: int | None = None, sets: Mapping[str, object] | None = None,
          reduce: Callable[[Variant], Any] | None = None, executor: Any = None) -> Any:
    """Computes a study and returns its table, one row per member: a pandas.DataFrame, or a structured array of numpy
    where pandas is not installed.

    Without reduce the program computes the kept scalars on all cores, into the folder out. reduce: a function of a
    variant, called for each member here or in the processes of executor."""
    members = Study(path, sets)
    return members.run(out, jobs) if reduce is None else members.map(reduce, executor)


def _column(name: str, words: list[str]) -> list[Any]:
    if name in _TEXTS:
        return words
    try:
        return [int(word) for word in words] if name == "member" else [float(word) for word in words]
    except ValueError:
        return words


def read_study(folder: Path) -> Any:
    """The table of a study in a folder (study.csv)."""
    with open(os.path.join(folder, "study.csv"), newline="", encoding="utf-8") as f:
        lines = list(csv.reader(f))
    columns = {name: _column(name, [line[i] for line in lines[1:]]) for i, name in enumerate(lines[0])}
    return table([dict(zip(columns, row)) for row in zip(*columns.values())], list(columns))


def table(rows: list[dict[str, Any]], names: list[str] | None = None) -> Any:
    """A pandas.DataFrame of rows, or a structured array without pandas."""
    names = names or list(dict.fromkeys(name for row in rows for name in row))
    try:
        import pandas
        return pandas.DataFrame(rows, columns=names)
    except ImportError:
        pass
    kinds = [numpy.asarray([row.get(name, numpy.nan) for row in rows]) for name in names]
    out = numpy.empty(len(rows), dtype=[(name, kind.dtype) for name, kind in zip(names, kinds)])
    for name, kind in zip(names, kinds):
        out[name] = kind
    return out
