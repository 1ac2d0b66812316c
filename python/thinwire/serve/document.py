"""Results as the scripts of the report's page take them (io/page/results_page.cpp)."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._angles import grid
from .._result import Result

Document = dict[str, Any]
Numbers = npt.NDArray[Any]

_GRID_DEG = 5  # of the pattern in space
_CUT_DEG = 3
_MAX_CURRENTS = 60_000
_MAX_TERMS = 1.5e7  # directions times segments times frequencies of all cuts
_FLOOR_DBI = -300.0


def _packed(values: Numbers, kind: str) -> str:
    """Little-endian numbers in base64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _numbers(values: Numbers) -> list[Any]:
    """NaN becomes null; complex numbers are two behind one another."""
    flat = np.ascontiguousarray(values)
    flat = (flat.view(float) if np.iscomplexobj(flat) else flat).ravel()
    return [None if value != value else value for value in flat.tolist()]


def _numbers_in_tags(tags: Numbers) -> list[int]:
    """Number of every segment within its tag, from 1."""
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    first = np.searchsorted(ordered, ordered)
    numbers = np.empty(len(tags), dtype=int)
    numbers[order] = np.arange(len(tags)) - first + 1
    return numbers.tolist()


def _antenna(result: Result) -> Document:
    problem = result._source.problem
    tags = result.segment_tags
    count = len(result.frequency)
    kept = min(count, max(1, _MAX_CURRENTS // max(1, len(tags))))
    at = np.unique(np.linspace(0, count - 1, kept).round().astype(int))
    ends = np.concatenate([result.segment_starts, result.segment_ends], axis=1)
    return {"segments": len(tags), "tags": tags.tolist(), "numbers": _numbers_in_tags(tags),
            "current_at": at.tolist(), "ends": _packed(ends, "<f4"),
            "radius": _packed(problem.radius_m, "<f4"),
            "current": _packed(result.currents[at], "<c8"), **json.loads(_core.circuit_json(problem))}


def _back(arrays: dict[str, Any], gain: Numbers, theta: float, phi: float) -> Numbers | None:
    """Gain away from a direction: its opposite in space, [F]; None where the pattern lacks it."""
    thetas, phis = arrays["theta_deg"], arrays["phi_deg"]
    t = np.flatnonzero(abs(thetas - (180 - theta)) < 1e-6)
    p = np.flatnonzero(abs((phis - phi) % 360 - 180) < 1e-6)
    return gain[:, t[0], p[0]] if len(t) and len(p) else None


def _pattern(arrays: dict[str, Any], points: list[int]) -> Document:
    gain = np.maximum(arrays["gain_dbi"], _FLOOR_DBI)
    thetas, phis = arrays["theta_deg"], arrays["phi_deg"]
    peaks = []
    for i, at in enumerate(gain.reshape(len(points), -1).argmax(axis=1)):
        theta, phi = float(thetas[at // len(phis)]), float(phis[at % len(phis)])
        most = float(gain[i].flat[at])
        back = _back(arrays, gain, theta, phi)
        ratio = None if back is None or back[i] <= _FLOOR_DBI else round(most - float(back[i]), 3)
        peaks.append([points[i], round(most, 4), theta, phi % 360, ratio])
    return {"theta": thetas.tolist(), "phi": phis.tolist(), "peaks": peaks, "at": points,
            "centibel": _packed(np.round(100 * gain), "<i2")}


def sphere(result: Result, point: int, watch: Any = None) -> Document:
    """The pattern in all directions at one frequency."""
    solution = result._solution("pattern")
    steps = grid(_GRID_DEG, _GRID_DEG, solution.problem.has_ground)
    return _pattern(_core.pattern(solution, [point], *steps, watch), [point])


def patterns(result: Result, point: int, watch: Any = None) -> list[Document]:
    """The pattern in all directions at one frequency, and both cuts through its peak at all."""
    solution = result._solution("pattern")
    whole = sphere(result, point, watch)
    _, _, theta, phi, _ = whole["peaks"][0]
    over_ground = solution.problem.has_ground
    upper = 90 if over_ground else 180
    # Around the zenith there is no azimuth to see: the plane across instead.
    across = theta < 2
    columns = np.arange(4) * 90.0 if across else np.array([phi, phi + 180])
    around = np.arange(0, 361, _CUT_DEG) + 0.0
    count = len(result.frequency)
    terms = (len(around) + len(columns) * (upper // _CUT_DEG + 1)) * len(result.segment_tags)
    kept = min(count, max(1, int(_MAX_TERMS // max(1, terms))))
    at = sorted({point, *np.linspace(0, count - 1, kept).round().astype(int).tolist()})
    cuts = [grid(float(_CUT_DEG), columns, over_ground)]
    if not across:
        cuts.append(grid([theta], around, over_ground))
    return [whole, *(_pattern(_core.pattern(solution, at, *steps, watch), at) for steps in cuts)]


def document_of(result: Result, name: str, with_patterns: list[Document]) -> Document:
    """All that the page draws of a result."""
    find = result._source.find
    points = list(range(len(result.frequency)))

    def optional(path: str) -> list[Any] | None:
        values = find(path)
        return None if values is None else _numbers(np.asarray(values))

    return {
        "name": name, "z0": result.z0, "device": result.device, "unknowns": result.unknowns,
        "warnings": list(result.warnings), "deck": "", "timings": result.timings, "solver": None,
        "frequencies": len(points), "points": points, "symbols": [],
        "frequency_hz": result.frequency.tolist(), "run": np.asarray(find("/run_index")).tolist(),
        "port_tag": np.asarray(result._values("/port/tag", 0)).tolist(),
        "port_segment": np.asarray(result._values("/port/segment", 0)).tolist(),
        "port_gap": optional("/port/gap") or [0] * len(result.ports),
        "impedance_ohm": optional("/port/impedance_ohm") or [], "impedance_derivative_ohm": None,
        "wave_theta_deg": optional("/incident/theta_deg"),
        "wave_phi_deg": optional("/incident/phi_deg"), "gain_max_dbi": None,
        "power": {part: optional(f"/power/{part}{unit}") for part, unit in
                  (("input", "_w"), ("radiated", "_w"), ("loss", "_w"), ("network_loss", "_w"),
                   ("efficiency", ""))},
        "antenna": _antenna(result), "patterns": with_patterns,
    }
