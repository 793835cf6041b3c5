# SPDX-License-Identifier: MIT
"""interfield: hybrid simulation of structures, from Python.

    import interfield

    sim = interfield.Simulation(M=M, C=C, K=K, ground=(dt, acceleration), step=0.001, end=10.0)
    result = sim.run()                       # numpy arrays by column name
    result["x1 displacement"]

    sim = interfield.Simulation.from_case("bridge.yaml", {"time.end": "5 s"})
    sim.specimen("bearing", lambda t, deformation, rate: 2e5 * deformation)
    for row in sim:                          # step by step; the function above supplies the force
        ...

    with interfield.TestSession("bridge.yaml") as test:    # a test on a rig, in another process
        test.wait_for("run")
        test.hold()

    result = interfield.read("runs/bridge-001")   # a result of the program
    result.plot("bearing force", against="bearing deformation")
    result.to_dataframe()

    interfield.study("strength.yaml")             # all members of a study as a table

The package calls the installed library through ctypes; no compilation is necessary. See docs/guide/python.md.
"""
from __future__ import annotations

from ._library import Error, library_version, version
from .program import call, find_program, preflight
from .results import Result, read
from .session import Interface, Live, TestSession
from .simulation import Check, Mode, Preflight, Simulation, Stability
from .studies import Study, Variant, read_study, study

__all__ = ["Check", "Error", "Interface", "Live", "Mode", "Preflight", "Result", "Simulation", "Stability", "Study",
           "TestSession", "Variant", "__version__", "call", "find_program", "library_version", "preflight", "read",
           "read_study", "study"]

__version__: str


def __getattr__(name: str) -> str:
    """__version__ on request, so that the package can be imported and read results without the library."""
    if name == "__version__":
        return version()
    raise AttributeError(f"module 'interfield' has no attribute {name!r}")
