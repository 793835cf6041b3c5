# SPDX-License-Identifier: MIT
"""interfield: hybrid simulation of structures, from Python.

    import interfield

    sim = interfield.Simulation(M=M, C=C, K=K, ground=(dt, acceleration), step=0.001, end=10.0)
    result = sim.run()                       # numpy arrays by channel name
    result["x1 displacement"]

    sim = interfield.Simulation.from_case("bridge.yaml", {"time.end": "5 s"})
    sim.specimen("bearing", lambda t, stretch, rate: 2e5 * stretch)
    for row in sim:                          # step by step, the specimen answered here
        ...

    with interfield.TestSession("bridge.yaml") as test:    # a test on a rig, in a process of its own
        test.wait_for("run")
        test.hold()

    result = interfield.read("runs/bridge-001")   # a result that the program kept
    result.plot("bearing force", against="bearing measured")
    result.to_dataframe()

The package calls the installed library through ctypes; there is nothing to compile. See docs/python.md.
"""
from __future__ import annotations

from ._library import Error, library_version, version
from .program import call, find_program, preflight
from .results import Result, read
from .session import Interface, Live, TestSession
from .simulation import Check, Mode, Preflight, Simulation, Stability

__all__ = ["Check", "Error", "Interface", "Live", "Mode", "Preflight", "Result", "Simulation", "Stability", "TestSession",
           "__version__", "call", "find_program", "library_version", "preflight", "read"]

__version__: str


def __getattr__(name: str) -> str:
    """__version__ when it is asked for: a package without a library can still be imported and read results."""
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'interfield' has no attribute {name!r}")
