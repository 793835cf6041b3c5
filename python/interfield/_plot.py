# SPDX-License-Identifier: MIT
"""Figures of results with matplotlib, which is imported when the first one is drawn."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    import matplotlib.figure

    from .results import Result

MOST = 6  # channels that are drawn where none is named; more cannot be told apart


def _label(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit and unit != "1" else name


def _chosen(result: Result) -> list[str]:
    """Displacements, where there are any."""
    return list(result.group("displacement") or result.channels)[:MOST]


def draw(result: Result, channels: Sequence[str], against: str, path: str | os.PathLike[str] | None,
         title: str | None) -> matplotlib.figure.Figure:
    """See Result.plot."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib; install it (Debian: python3-matplotlib)") from None
    names = list(channels) or _chosen(result)
    curves = {name: result[name] for name in names}  # KeyError before there is a figure
    across = result[against]
    by_unit: dict[str, list[str]] = {}
    for name in names:
        by_unit.setdefault(result._unit(name), []).append(name)
    figure, rows = pyplot.subplots(max(len(by_unit), 1), 1, sharex=True, squeeze=False, layout="constrained",
                                   figsize=(8, 1 + 2.5 * max(len(by_unit), 1)))
    for axes, (unit, together) in zip(rows[:, 0], by_unit.items()):
        for name in together:
            style = "--" if name.endswith(("target", "wanted")) else "-"
            axes.plot(across, curves[name], style, linewidth=1, label=name)
        axes.set_ylabel(_label(together[0], unit) if len(together) == 1 else unit)
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
