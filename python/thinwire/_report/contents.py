"""What the page shows, as one object for JSON. data.js reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._pattern import Pattern
from .._source import FileSource
from .numbers import evenly, number, numbers
from .patterns import _is_grid, pattern_contents
from .structure import structure_contents

if TYPE_CHECKING:
    from .._result import Result

# Budgets of a page, shared by its results, in numbers kept.
_MOST_POINTS = 2000  # frequencies of a curve
_MOST_PORTS = 16  # curves of a result
_MOST_CUTS = 400
_MOST_GRID_POINTS = 100
_MOST_CURRENTS = 400_000
# Where a result in memory has no pattern over the sphere: frequencies that get one, and
# directions times segments times frequencies that this may cost.
_MOST_NEW_PATTERNS = 21
_MOST_TERMS = 3e9
_MOST_SLOPES = 500  # rows of a result


def _patterns(result: Result) -> list[Pattern]:
    """Those of the result; of one in memory that has none over the sphere, one more."""
    stored = list(result.patterns)
    if isinstance(result._source, FileSource) or any(map(_is_grid, stored)):
        return stored
    step = 3.0 if len(result.segment_tags) < 2000 else 5.0
    terms = len(result.segment_tags) * (180 / step) * (360 / step)
    points = evenly(range(len(result.frequency)),
                    max(1, min(_MOST_NEW_PATTERNS, int(_MOST_TERMS / terms))))
    return [*stored, result._pattern(step, step, points, progress=False)]


def _series(values: Any, points: Sequence[int]) -> list[float | None] | None:
    array = np.asarray(values)
    return numbers(array[points]) if array.size else None


def _power(result: Result, points: list[int]) -> dict[str, Any]:
    source = result._source
    return {"input": _series(source.input_power_w, points),
            "radiated": _series(source.radiated_power_w, points),
            "loss": _series(source.loss_power_w, points),
            "network": _series(source.network_loss_w, points),
            "efficiency": _series(source.efficiency, points)}


def _solver(result: Result) -> list[dict[str, Any]]:
    """What solved, a row for each way."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for report in result.solver:
        key = report["name"], report["preconditioner"], report["operator"]
        row = rows.setdefault(key, {
            "name": key[0], "preconditioner": key[1], "operator": key[2], "why": report["why"],
            "frequencies": 0, "iterations": [report["iterations"]] * 2, "residual": 0.0,
            "missed": 0})
        row["frequencies"] += 1
        low, high = row["iterations"]
        row["iterations"] = [min(low, report["iterations"]), max(high, report["iterations"])]
        if np.isfinite(report["relative_residual"]):
            row["residual"] = max(row["residual"], report["relative_residual"])
        row["missed"] += not report["converged"]
    return [{**row, "residual": number(row["residual"], 2)} for row in rows.values()]


def _derivatives(result: Result) -> dict[str, list[list[Any]]]:
    """Derivatives by symbols as rows of tables, of the first frequencies where there are many."""
    names = result.parameters
    impedance: list[list[Any]] = []
    gain: list[list[Any]] = []
    for f, mhz in enumerate(result.frequency / 1e6 if names else []):
        for p, port in enumerate(result.ports):
            for v, name in enumerate(names):
                derivative = result.z_derivatives[p, v, f]
                if np.isfinite(derivative):
                    impedance.append([number(mhz, 9), port, name, number(derivative.real, 6),
                                      number(derivative.imag, 6)])
        if len(impedance) >= _MOST_SLOPES:
            break
    for k in range(len(result.patterns) if names else 0):
        of = result.gain_derivatives(k)
        for f, hertz in enumerate(of.frequency):
            for v, name in enumerate(names):
                if np.isfinite(of.gain[v, f]) and len(gain) < _MOST_SLOPES:
                    gain.append([number(hertz / 1e6, 9), number(of.theta[f]), number(of.phi[f]),
                                 name, number(of.gain[v, f], 6),
                                 number(of.front_to_back[v, f], 6)])
    return {"impedance": impedance[:_MOST_SLOPES], "gain": gain}


def _origin(result: Result) -> dict[str, str]:
    """Where the result comes from, by the root attributes of its file."""
    source = result._source
    if not isinstance(source, FileSource):
        return {"program": f"thinwire {_core.version}"}
    commit = source.attribute("git_commit")
    known = "" if commit == "unknown" else f" ({commit})"
    return {"program": f"thinwire {source.attribute('program_version')}{known}",
            "command": source.attribute("command_line"),
            "created": source.attribute("created_utc")}


def _deck(result: Result) -> tuple[str, list[str]]:
    """Text and comments."""
    source = result._source
    text = source.deck_text if isinstance(source, FileSource) else source.problem.deck_text
    comments = [line[2:].strip() for line in text.splitlines() if line[:2].upper() == "CM"]
    return text, [line for line in comments if line]


def _result_contents(name: str, result: Result, share: int) -> dict[str, Any]:
    patterns = pattern_contents(_patterns(result), max(2, _MOST_CUTS // share),
                                max(1, _MOST_GRID_POINTS // share))
    for point, gain in enumerate(getattr(result._source, "greatest_gain", [])):
        if np.isfinite(gain):  # Of a sweep's variant all that is kept of its patterns.
            patterns["peaks"][point] = {"gain": round(float(gain), 3), "frontToBack": None,
                                        "theta": None, "phi": None, "beamwidth": {}}
    with_patterns = [point for grid in patterns["grids"] for point in grid["at"]]
    points = evenly(range(len(result.frequency)), max(2, _MOST_POINTS // share))
    points = sorted({*points, *with_patterns})
    fed = [p for p in range(len(result.ports)) if np.isfinite(result.z[p].real).any()]
    ports = fed[:_MOST_PORTS]
    deck, comments = _deck(result)
    source = result._source
    waves = None
    if source.has_waves:
        waves = [numbers(angles[points]) for angles in result.waves.T]
    return {
        "name": name, "z0": result.z0, "device": result.device, "unknowns": result.unknowns,
        "warnings": list(result.warnings), "deck": deck, "comments": comments,
        "origin": _origin(result), "timings": {key: number(value, 4) for key, value
                                               in result.timings.items()},
        "solver": _solver(result),
        "points": points, "frequencies": len(result.frequency),
        "mhz": numbers(result.frequency[points] / 1e6, 9),
        "run": np.asarray(source.run_index)[points].tolist(), "waves": waves,
        "ports": [result.ports[p] for p in ports], "allPorts": len(fed),
        "r": [numbers(result.z[p].real[points]) for p in ports],
        "x": [numbers(result.z[p].imag[points]) for p in ports],
        "power": _power(result, points), "derivatives": _derivatives(result), **patterns,
        "structure": structure_contents(result, _MOST_CURRENTS // share),
    }


def contents_of(results: Sequence[tuple[str, Result]], title: str) -> dict[str, Any]:
    """Of the whole page."""
    return {"title": title, "results": [_result_contents(name, result, len(results))
                                        for name, result in results]}
