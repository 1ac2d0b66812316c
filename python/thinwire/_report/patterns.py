"""Patterns for the page: at each frequency the best cuts, one grid for the surface, the peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._geometry import Floats
from .._pattern import Cut, Pattern
from .numbers import decibels, evenly, number, packed

# A pattern is a cut where it has so many angles along one circle.
_LEAST_OF_CUT = 9
# Angles of a grid on the page, at most, along theta and phi.
_MOST_THETA, _MOST_PHI = 61, 121
# Cuts that are this much weaker than the strongest give way to it; between others the finer
# one is shown.
_SAME_DB = 0.05
# Sine of the angle from the z axis within which a peak points along it.
_POLE = 0.03


class _Curve(NamedTuple):
    angle: Floats
    gain: Floats
    name: str

    @property
    def step(self) -> float:
        return float(abs(self.angle[-1] - self.angle[0])) / (len(self.angle) - 1)


def _is_grid(pattern: Pattern) -> bool:
    """Whether it can be drawn as a surface: around the z axis, and over a quarter at least."""
    around = abs(pattern.phi[-1] - pattern.phi[0])
    up = abs(pattern.theta[-1] - pattern.theta[0])
    return min(len(pattern.theta), len(pattern.phi)) >= 7 and around > 345 and up > 85


def _cut(pattern: Pattern, at: int, kind: Cut) -> _Curve | None:
    """Of one pattern through its own peak, at its point `at`; None where it has none."""
    peak = pattern.peak_at(index=at)
    phi = peak.phi
    if kind == "azimuth" and np.sin(np.deg2rad(peak.theta)) < _POLE:
        # Around the zenith there is nothing to see: the plane across instead.
        kind, phi = "elevation", (peak.phi + 90) % 360
        if np.abs(pattern.phi - phi).min() > 1e-6:
            return None
    one_way = pattern.phi if kind == "azimuth" else pattern.theta
    if len(one_way) < _LEAST_OF_CUT or one_way[-1] == one_way[0]:
        return None
    angle, gain = pattern.cut(kind, index=at, phi=phi)
    name = f"Azimuth, θ = {peak.theta:g}°" if kind == "azimuth" else f"Elevation, φ = {phi:g}°"
    return _Curve(angle, gain, name)


def _best(curves: Sequence[_Curve]) -> _Curve:
    most = max(curve.gain.max() for curve in curves)
    strong = [curve for curve in curves if curve.gain.max() >= most - _SAME_DB]
    return min(strong, key=lambda curve: curve.step)


def beamwidth(angle: Floats, gain: Floats) -> float | None:
    """Between the points 3 dB below the peak on either side of it, degrees; None where the
    curve does not fall so far."""
    peak = int(gain.argmax())
    edges = []
    closed = abs(abs(angle[-1] - angle[0]) - 360) < 1e-6
    count = len(gain) - 1 if closed else len(gain)
    for way in (1, -1):
        for i in range(1, count):
            here, before = peak + way * i, peak + way * (i - 1)
            if not closed and not 0 <= here < count:
                break
            high, low = gain[before % count], gain[here % count]
            if low <= gain[peak] - 3:
                step = abs(angle[1] - angle[0])
                edges.append(step * (i - 1 + (high - gain[peak] + 3) / (high - low)))
                break
    return float(sum(edges)) if len(edges) == 2 else None


def _direction(theta: Floats | float, phi: Floats | float) -> Floats:
    t, p = np.deg2rad(theta), np.deg2rad(phi)
    return np.stack(np.broadcast_arrays(np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)),
                    axis=-1)


def front_to_back(pattern: Pattern, at: int) -> float | None:
    """dB of the peak over the opposite direction; None where the grid has no direction
    within a degree of that, or nothing goes there."""
    peak = pattern.peak_at(index=at)
    theta, phi = np.meshgrid(pattern.theta, pattern.phi, indexing="ij")
    along = -_direction(theta, phi) @ _direction(peak.theta, peak.phi)
    back = np.unravel_index(along.argmax(), along.shape)
    gain = pattern.gain[at][back]
    if along[back] <= np.cos(np.deg2rad(1)) or gain < -999:
        return None
    return float(peak.gain - gain)


def _by_point(patterns: Sequence[Pattern]) -> dict[int, list[tuple[Pattern, int]]]:
    """Of each of the result's frequencies the patterns there, with the index in them."""
    found: dict[int, list[tuple[Pattern, int]]] = {}
    for pattern in patterns:
        for at, point in enumerate(pattern.index):
            found.setdefault(int(point), []).append((pattern, at))
    return found


def _peak(here: Sequence[tuple[Pattern, int]], cuts: dict[Cut, _Curve]) -> dict[str, Any]:
    pattern, at = max(here, key=lambda p: (round(p[0].gain[p[1]].max(), 2), p[0].gain[0].size))
    peak = pattern.peak_at(index=at)
    ratios = [front_to_back(pattern, at)]
    ratios += [front_to_back(other, i) for other, i in here
               if other.gain[i].max() > peak.gain - _SAME_DB]
    ratio = next((r for r in ratios if r is not None), None)
    theta, phi = peak.theta, peak.phi
    if theta < 0:  # NEC decks go over the zenith so.
        theta, phi = -theta, (phi + 180) % 360
    return {"gain": round(peak.gain, 3), "theta": theta, "phi": phi,
            "frontToBack": None if ratio is None else number(ratio, 4),
            "beamwidth": {curve.name: number(width, 4) for curve in cuts.values()
                          if (width := beamwidth(curve.angle, curve.gain)) is not None}}


def _grids(points: dict[int, list[tuple[Pattern, int]]], most: int) -> Iterator[dict[str, Any]]:
    chosen: dict[int, tuple[Pattern, list[int], list[int]]] = {}
    grids = {point: [(p, at) for p, at in here if _is_grid(p)] for point, here in points.items()}
    for point in evenly([point for point, here in grids.items() if here], most):
        pattern, at = max(grids[point], key=lambda p: p[0].gain[0].size)
        _, inside, outside = chosen.setdefault(id(pattern), (pattern, [], []))
        inside.append(at)
        outside.append(point)
    for pattern, inside, outside in chosen.values():
        theta = evenly(range(len(pattern.theta)), _MOST_THETA)
        phi = evenly(range(len(pattern.phi)), _MOST_PHI)
        gain = np.clip(pattern.gain[np.ix_(inside, theta, phi)], -300, 300)
        yield {"theta": pattern.theta[theta].tolist(), "phi": pattern.phi[phi].tolist(),
               "at": outside, "centibel": packed(np.round(100 * gain), "<i2")}


def pattern_contents(patterns: Sequence[Pattern], max_cuts: int,
                     max_grids: int) -> dict[str, Any]:
    """What the page shows of all patterns of a result: of at most so many frequencies."""
    points = _by_point(patterns)
    shown = set(evenly(sorted(points), max_cuts))
    cuts: dict[str, list[dict[str, Any]]] = {"azimuth": [], "elevation": []}
    peaks: dict[int, dict[str, Any]] = {}
    for point, here in sorted(points.items()):
        found: dict[Cut, _Curve] = {}
        kinds: tuple[Cut, Cut] = ("azimuth", "elevation")
        for kind in kinds:
            curves = [curve for p, at in here if (curve := _cut(p, at, kind)) is not None]
            if not curves:
                continue
            found[kind] = best = _best(curves)
            if point in shown:
                cuts[kind].append({"at": point, "angle": np.round(best.angle, 3).tolist(),
                                   "gain": decibels(best.gain), "name": best.name})
        peaks[point] = _peak(here, found)
    return {"cuts": cuts, "peaks": peaks, "grids": list(_grids(points, max_grids))}
