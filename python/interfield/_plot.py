# SPDX-License-Identifier: MIT
"""Figures of results with matplotlib, which is imported for the first figure."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy

if TYPE_CHECKING:
    import matplotlib.figure

    from .results import Result

MOST = 6  # columns drawn by default; more cannot be distinguished


def _label(name: str, unit: str) -> str:
    words = "Time" if name == "time" else name
    return f"{words} [{unit}]" if unit and unit != "1" else words


_QUANTITY = {"m": "Displacement", "rad": "Rotation", "m/s": "Velocity", "rad/s": "Angular velocity", "m/s2": "Acceleration",
             "rad/s2": "Angular acceleration", "N": "Force", "N m": "Moment", "J": "Energy", "s": "Time"}


def _shared_label(names: Sequence[str], unit: str) -> str:
    """The label of axes with several columns: the last words that their names share, otherwise the quantity of the unit."""
    rows = [name.replace("_", " ").rstrip("0123456789 ").split() for name in names]
    words: list[str] = []
    for last in zip(*(reversed(row) for row in rows)):
        if len(set(last)) > 1:
            break
        words.insert(0, last[0])
    text = " ".join(words)
    return _label(text[:1].upper() + text[1:] if text else _QUANTITY.get(unit, ""), unit).strip()


def _style(result: Result, name: str) -> dict[str, Any]:
    """A target is dashed, dark and above the measured curve, so that both are visible where they coincide."""
    target = result.groups.get(result._paths.get(name.lstrip("/"), name)) == "specimen" and name.endswith("target")
    return {"linestyle": "--", "color": "0.1", "linewidth": 1, "zorder": 3} if target else {"linewidth": 1.4}


def _chosen(result: Result) -> list[str]:
    """The displacements, if the result has any."""
    return list(result.group("displacement") or result.columns)[:MOST]


def draw(result: Result, columns: Sequence[str], against: str, path: str | os.PathLike[str] | None,
         title: str | None) -> matplotlib.figure.Figure:
    """See Result.plot."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib; install it (Debian: python3-matplotlib)") from None
    names = list(columns) or _chosen(result)
    curves = {name: result[name] for name in names}  # KeyError before a figure is made
    across = result[against]
    rows_drawn = numpy.ones(len(result), dtype=bool)
    if against == "time" and result.wall_time is not None:
        rows_drawn[1:] = numpy.diff(result.time) > 0  # rows of a test with increasing simulated time
    by_unit: dict[str, list[str]] = {}
    for name in names:
        by_unit.setdefault(result._unit(name), []).append(name)
    figure, rows = pyplot.subplots(max(len(by_unit), 1), 1, sharex=True, squeeze=False, layout="constrained",
                                   figsize=(8, 1 + 2.5 * max(len(by_unit), 1)))
    for axes, (unit, together) in zip(rows[:, 0], by_unit.items()):
        for name in together:
            axes.plot(across[rows_drawn], curves[name][rows_drawn], label=name, **_style(result, name))
        axes.set_ylabel(_label(together[0], unit) if len(together) == 1 else _shared_label(together, unit))
        axes.grid(alpha=0.3)
        if len(together) > 1:
            axes.legend(loc="upper right", fontsize="small")
    rows[-1, 0].set_xlabel(_label(against, result._unit(against)))
    heading = title if title is not None else str(result.attributes.get("title", ""))
    if heading:
        figure.suptitle(heading)
    if path is not None:
        figure.savefig(os.fspath(path), dpi=150)
    return figure
