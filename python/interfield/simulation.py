# SPDX-License-Identifier: MIT
"""A simulation from arrays or from a case, as a complete run or step by step."""
from __future__ import annotations

import ctypes
import math
import os
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Tuple, Union

import numpy

from . import _library as c
from .results import Result

Matrix = Any  # n x n numbers, n of its diagonal, or a sparse matrix of scipy
Samples = Tuple[float, Sequence[float]]  # (interval in s, values)
Path = Union[str, "os.PathLike[str]"]


class Mode(NamedTuple):
    """A natural mode and its numerical approximation: frequency in Hz; damping ratios; relative error."""

    frequency: float
    damping: float
    exact_damping: float
    frequency_error: float
    resolved: bool


class Stability(NamedTuple):
    """Stability of a run; the roots of its amplification matrix, largest first; its modes, lowest first."""

    stable: bool
    radius: float
    spurious: float
    roots: numpy.ndarray
    modes: list[Mode]
    linearised: bool


class Check(NamedTuple):
    """One check of a preflight: name, finding, verdict and advice."""

    topic: str | None
    found: str | None
    verdict: str | None
    advice: str | None


class Preflight(NamedTuple):
    """The verdict before a test, "GO", "GO WITH CAUTION" or "NO-GO", and its checks."""

    verdict: str
    checks: list[Check]


_RECORD = {"displacement": 1, "velocity": 2, "acceleration": 4, "elements": 8, "energy": 16, "ground": 32, "joints": 64,
           "drift": 128, "base-shear": 256}


def _doubles(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _square(name, matrix, n):
    """A matrix, or the diagonal of one."""
    a = numpy.asarray(matrix, dtype=float)
    if a.ndim <= 1:
        a = numpy.diag(numpy.broadcast_to(a, (n,)))
    if a.shape != (n, n):
        raise ValueError(f"{name} is {' x '.join(map(str, a.shape))}, expected {n} x {n}, one row per dof")
    return numpy.ascontiguousarray(a)


def _samples(what, given):
    """(dt, values), equally spaced from time 0."""
    dt, values = given
    values = numpy.ascontiguousarray(values, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"{what}: expected (dt, values) with a row of values")
    return float(dt), values


class Simulation:
    """M u'' + C u' + K u + (specimens) = P(t), or the structure of a case file.

    M, C, K     matrices (n x n; also sparse matrices of scipy), or diagonals; M determines n
    dofs        names (default: x1, x2, ...); kinds: directions (default: all "x")
    ground      (dt, acceleration) along x, or {"x": (dt, acceleration), ...}; m/s2, linear between samples
    forces      {dof: (dt, force)}
    initial     {dof: displacement} or {dof: (displacement, velocity)}
    method      its name, or (name, {parameter: value}); step and end in s
    specimens   {name: (from, to, stiffness)}: "ground" or dofs, and an estimate (N/m) for the method. Without a function
                (see specimen()) it is a spring of that stiffness
    record      a list of displacement, velocity, acceleration, elements, energy, ground, joints, drift, base-shear; every: each n-th step
    """

    def __init__(self, M: Matrix = None, C: Matrix = None, K: Matrix = None, *, dofs: Sequence[str] | None = None,
                 kinds: Sequence[str] | None = None, ground: Samples | Mapping[str, Samples] | None = None,
                 forces: Mapping[str, Samples] | None = None,
                 initial: Mapping[str, float | tuple[float, float]] | None = None,
                 method: str | tuple[str, Mapping[str, float | str]] = "lsrt2", step: float | None = None,
                 end: float | None = None, specimens: Mapping[str, tuple[str, str, float]] | None = None,
                 record: Sequence[str] | None = None, every: int | None = 1) -> None:
        self._open()
        self._how = (every, record)
        if M is None:
            return
        if step is None or end is None:
            raise ValueError("a simulation from arrays needs step and end, in s")
        n = M.shape[0] if hasattr(M, "tocoo") else numpy.atleast_1d(numpy.asarray(M, dtype=float)).shape[0]
        names = list(dofs) if dofs is not None else [f"x{i + 1}" for i in range(n)]
        if len(names) != n:
            raise ValueError(f"{len(names)} names of dofs for a mass matrix of {n}")
        for i, name in enumerate(names):
            self._try(self._c.ifd_sim_dof(self._s, name.encode(), (kinds[i] if kinds else "x").encode()))
        for which, name, matrix in ((c.MASS, "M", M), (c.DAMPING, "C", C), (c.STIFFNESS, "K", K)):
            if matrix is not None:
                self._add(which, name, matrix, n)
        self._load(ground, forces or {}, initial or {})
        self._choose(method, step, end)
        for name, (start, stop, stiffness) in (specimens or {}).items():
            self._try(self._c.ifd_sim_specimen(self._s, name.encode(), start.encode(), stop.encode(), stiffness, 0.0))

    @classmethod
    def from_case(cls, path: Path, sets: Mapping[str, object] | None = None, *, record: Sequence[str] | None = None,
                  every: int | None = None) -> Simulation:
        """A simulation of a case file; sets: {"time.step": "1 ms"} replaces keys of it."""
        return cls._of_case("ifd_sim_read", [os.fspath(path).encode()], sets, record, every)

    @classmethod
    def from_text(cls, text: str, sets: Mapping[str, object] | None = None, *, folder: Path = ".",
                  record: Sequence[str] | None = None, every: int | None = None) -> Simulation:
        """A simulation of the text of a case; its files are read from folder."""
        path = os.path.join(folder, "text.yaml")
        return cls._of_case("ifd_sim_read_text", [text.encode(), path.encode()], sets, record, every)

    @classmethod
    def _of_case(cls, function, arguments, sets, record, every):
        self = cls(record=record, every=every)
        words = [f"{key}={value}" for key, value in (sets or {}).items()]
        self._try(getattr(self._c, function)(self._s, *arguments, len(words), c.texts(words)))
        return self

    def _open(self):
        self._c = c.library()
        self._s = self._c.ifd_sim_open()
        self._answers = {}  # keeps references to the callbacks
        self._trouble = None
        self._made = False
        self._columns = None
        if not self._s:
            raise MemoryError("out of memory for a simulation")

    def close(self) -> None:
        """Releases all resources; called at the end of a with block and when the object is deleted."""
        if getattr(self, "_s", None):
            self._c.ifd_sim_close(self._s)
            self._s = None

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _try(self, status):
        if status:
            raise c.Error(self._c.ifd_sim_message(self._s).decode().strip(), self._c.ifd_status_name(status).decode())

    def _add(self, which, name, matrix, n):
        if not hasattr(matrix, "tocoo"):
            self._try(self._c.ifd_sim_matrix(self._s, which, n, _doubles(_square(name, matrix, n))))
            return
        coo = matrix.tocoo()
        if tuple(coo.shape) != (n, n):
            raise ValueError(f"{name} is {coo.shape[0]} x {coo.shape[1]}, expected {n} x {n}, one row per dof")
        row, column = (numpy.ascontiguousarray(i, dtype=numpy.intc) for i in (coo.row, coo.col))
        value = numpy.ascontiguousarray(coo.data, dtype=float)
        ints = ctypes.POINTER(ctypes.c_int)
        self._try(self._c.ifd_sim_entries(self._s, which, len(value), row.ctypes.data_as(ints),
                                          column.ctypes.data_as(ints), _doubles(value)))

    def _load(self, ground, forces, initial):
        if ground is not None and not isinstance(ground, dict):
            ground = {"x": ground}
        for direction, given in (ground or {}).items():
            dt, a = _samples("ground", given)
            self._try(self._c.ifd_sim_ground(self._s, direction.encode(), len(a), dt, _doubles(a)))
        for dof, given in forces.items():
            dt, f = _samples(f"force on {dof}", given)
            self._try(self._c.ifd_sim_force(self._s, dof.encode(), len(f), dt, _doubles(f)))
        for dof, given in initial.items():
            u, v = given if isinstance(given, (tuple, list)) else (given, 0.0)
            self._try(self._c.ifd_sim_initial(self._s, dof.encode(), u, v))

    def _choose(self, method, step, end):
        name, parameters = (method, {}) if isinstance(method, str) else method
        self._try(self._c.ifd_sim_method(self._s, name.encode(), step, end))
        for key, value in parameters.items():
            word = value.encode() if isinstance(value, str) else None
            self._try(self._c.ifd_sim_parameter(self._s, key.encode(), 0.0 if word else value, word))

    def specimen(self, name: str, answer: Callable[[float, float, float], float]) -> Simulation:
        """answer(t, deformation, rate) returns the restoring force (N) of a specimen; called once per exchange.

        An exception in it ends the run and is raised by run() or step()."""

        def force_of(_, t, stretch, rate):
            if self._trouble is not None:
                return math.nan
            try:
                return float(answer(t, stretch, rate))
            except BaseException as e:  # it cannot pass through the library: stored, and raised after the call
                self._trouble = e
                return math.nan

        function = c.FORCE_OF(force_of)
        self._try(self._c.ifd_sim_answer(self._s, name.encode(), function, None))
        self._answers[name] = function
        return self

    def make(self) -> Simulation:
        """Checks all input and sets up the run at t = 0. Called automatically when needed."""
        if self._made:
            return self
        every, record = self._how
        if every is not None or record is not None:
            what = sum(self._word(word) for word in record) if record else 0
            self._try(self._c.ifd_sim_record(self._s, every or 0, what))
        status = self._c.ifd_sim_make(self._s)
        self._raise_trouble()
        self._try(status)
        self._made = True
        rows = [self._c.ifd_sim_column(self._s, k).contents for k in range(self._c.ifd_sim_columns(self._s))]
        self._columns = [(row.name.decode(), row.unit.decode(), row.group.decode()) for row in rows]
        return self

    @staticmethod
    def _word(word):
        if word not in _RECORD:
            raise ValueError(f"record: '{word}' is unknown, expected one of {', '.join(_RECORD)}")
        return _RECORD[word]

    def _raise_trouble(self):
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble

    @property
    def columns(self) -> list[str]:
        """Names of the recorded columns."""
        return [name for name, _, _ in self.make()._columns]

    @property
    def units(self) -> dict[str, str]:
        """{column: unit}"""
        return {name: unit for name, unit, _ in self.make()._columns}

    @property
    def time(self) -> float:
        """Time of the last complete step, s."""
        self.make()
        return self._c.ifd_sim_time(self._s)

    @property
    def values(self) -> numpy.ndarray:
        """The newest row, a number for each column."""
        n = len(self.columns)
        return numpy.ctypeslib.as_array(self._c.ifd_sim_values(self._s), (n,)).copy()

    @property
    def fault(self) -> str | None:
        """The fault that ended the run, as a sentence; None without a fault."""
        text = self._c.ifd_sim_fault(self._s)
        return text.decode() if text else None

    def step(self) -> bool:
        """Advances to the next recorded row. False at the end of the run or after a fault."""
        self.make()
        state = self._c.ifd_sim_step(self._s)
        self._raise_trouble()
        return state == c.GOING

    def __iter__(self) -> Iterator[dict[str, float]]:
        """Rows {"time": t, column: value} from now to the end."""
        names = self.columns
        time, values = numpy.empty(1), numpy.empty((1, len(names)))
        while self._take(1, time, values):
            yield {"time": time[0], **dict(zip(names, values[0].tolist()))}

    def _take(self, rows, time, values):
        taken = self._c.ifd_sim_take(self._s, rows, _doubles(time), _doubles(values))
        self._raise_trouble()
        return taken

    def run(self) -> Result:
        """Computes from now to the end: a Result with every column as an array."""
        self.make()
        rows = self._c.ifd_sim_rows(self._s)
        time, values = numpy.empty(rows), numpy.empty((rows, len(self._columns)))
        n = self._take(rows, time, values)
        data = {name: values[:n, k].copy() for k, (name, _, _) in enumerate(self._columns)}
        units = {name: unit for name, unit, _ in self._columns}
        groups = {name: group for name, _, group in self._columns}
        cautions = self._c.ifd_sim_cautions(self._s).decode()
        outcome = "failed" if self.fault else "completed with caution" if cautions else "completed"
        return Result(time[:n].copy(), data, units, groups,
                      {"outcome": outcome, "cautions": cautions, "fault": self.fault or "NONE"})

    def save(self) -> numpy.ndarray:
        """The complete state of the run, for load()."""
        self.make()
        x = numpy.empty(self._c.ifd_sim_size(self._s))
        self._c.ifd_sim_save(self._s, _doubles(x))
        return x

    def load(self, x: numpy.ndarray) -> None:
        """Restores a state of save(); the run continues bit-identically. Functions of specimens must restore their own state."""
        x = numpy.ascontiguousarray(x, dtype=float)
        if x.shape != (self._c.ifd_sim_size(self.make()._s),):
            raise ValueError("this is not a state of this simulation")
        self._try(self._c.ifd_sim_load(self._s, _doubles(x)))

    def matrices(self, part: int = 0, tangent: bool = False) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray,
                                                                      list[str]]:
        """(M, C, K, names of the dofs) of the run; tangent: K includes the initial stiffness of nonlinear elements."""
        self.make()
        n = self._c.ifd_sim_dofs(self._s, part)
        if n == 0:
            raise IndexError(f"there is no substructure {part}")
        out = []
        for which in (c.MASS, c.DAMPING, c.STIFFNESS):
            a = numpy.empty((n, n), order="F")
            self._try(self._c.ifd_sim_dense(self._s, part, which, tangent, _doubles(a)))
            out.append(a)
        mass, damping, stiffness = out
        return mass, damping, stiffness, [self._c.ifd_sim_dof_name(self._s, part, i).decode() for i in range(n)]

    @property
    def parts(self) -> list[str]:
        """Names of the substructures; [""] for a single model."""
        self.make()
        return [self._c.ifd_sim_part(self._s, p).decode() for p in range(self._c.ifd_sim_parts(self._s))]

    def stability(self) -> Stability:
        """The stability of the run, determined by steps from unit states."""
        self.make()
        f = c.StabilityFacts()
        self._try(self._c.ifd_sim_stability(self._s, ctypes.byref(f)))
        roots = numpy.array([complex(f.root[k].real, f.root[k].imag) for k in range(f.states)])
        modes = [Mode(m.frequency, m.damping, m.exact_damping, m.frequency_error, m.resolved)
                 for m in (f.mode[k] for k in range(f.modes))]
        return Stability(f.stable, f.radius, f.spurious, roots, modes, f.linearised)

    def preflight(self) -> Preflight:
        """The verdict before a test of a case with a rig. interfield.preflight() also stores a certificate."""
        verdict, count = ctypes.c_char_p(), ctypes.c_int()
        self._try(self._c.ifd_sim_preflight(self._s, ctypes.byref(verdict), ctypes.byref(count)))
        checks = []
        for k in range(count.value):
            said = [self._c.ifd_sim_check(self._s, k, what) for what in (c.TOPIC, c.FOUND, c.VERDICT, c.ADVICE)]
            checks.append(Check(*[text.decode() if text else None for text in said]))
        return Preflight((verdict.value or b"").decode(), checks)
