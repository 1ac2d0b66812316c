"""Wires put together."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._errors import GeometryError, UsageError
from ._geometry import Floats, Vector, Wire, real, rotation, vector

Wires: TypeAlias = Wire | Iterable[Wire] | None
"""One wire, some, or None for all."""


def caller() -> str:
    """file:line of the user's call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _count(segments: int) -> int:
    try:
        count = operator.index(segments)
    except TypeError:
        raise UsageError(f"segments must be a whole number (got {segments!r}).") from None
    if count < 1:
        raise GeometryError(f"a wire must have at least one segment (got {count}). Give "
                            "segments=21.")
    return count


class Structure:
    """The wires of an antenna."""

    def __init__(self) -> None:
        self._wires: list[Wire] = []

    @property
    def wires(self) -> tuple[Wire, ...]:
        """All wires, in the order of their tags."""
        return tuple(self._wires)

    def wire(self, start: Vector, end: Vector, *, radius: float | tuple[float, float],
             segments: int | Literal["auto"]) -> Wire:
        """A straight wire.

        Wires are connected where their ends, or ends of their segments, are closer than a
        thousandth of a segment.

        Args:
            start, end: x, y, z in metres.
            radius: Metres; two numbers for a wire that tapers, segment by segment.
            segments: Into how many equal segments it is divided: 10 a wavelength at least, 20
                for good currents. Ends and feeds are refined beyond that by themselves.
                "auto": 20 a wavelength at the highest frequency that is solved for, an odd number, 5
                at least. Other wires join such a one at its ends only, and places on it are its
                middle, at(fraction), [0] and [-1].
        """
        nodes = np.stack([vector(start, "start"), vector(end, "end")])
        is_auto = isinstance(segments, str) and segments == "auto"
        if is_auto and np.ndim(radius) == 0:
            return self._add(nodes, np.full(1, real(radius, "radius")), straight=True, is_auto=True)
        if is_auto:
            raise UsageError("a wire that tapers needs a number of segments. Give segments=21.")
        count = _count(segments)  # type: ignore[arg-type]
        if np.ndim(radius) == 0:
            return self._add(nodes, np.full(count, real(radius, "radius")), straight=True)
        if np.shape(radius) != (2,):
            raise UsageError("radius must be a number of metres, or two where the wire tapers "
                             f"(got {radius!r}).")
        first, last = (real(value, "radius") for value in radius)  # type: ignore[union-attr]
        if not (first > 0 and last > 0):
            raise GeometryError(f"radius must be positive (got {first} and {last} m). Give both in "
                                "metres.")
        return self._add(np.linspace(nodes[0], nodes[1], count + 1),
                         np.geomspace(first, last, count))

    def polyline(self, points: npt.ArrayLike, *, radius: float) -> Wire:
        """A wire along points in metres, [segments + 1, 3]: one segment between two of them."""
        nodes = np.array(points, dtype=float)
        if nodes.ndim != 2 or nodes.shape[1] != 3 or len(nodes) < 2:
            raise UsageError(f"points must be at least two rows of x, y, z (got an array of shape "
                             f"{nodes.shape}).")
        return self._add(nodes, np.full(len(nodes) - 1, radius, dtype=float))

    def arc(self, arc_radius: float, start: float = 0, end: float = 360, *, radius: float,
            segments: int) -> Wire:
        """An arc about the y axis in the xz plane, from angle start to end in degrees, measured
        from the x axis towards z. Move and rotate it from there."""
        angle = np.deg2rad(np.linspace(start, end, _count(segments) + 1))
        nodes = arc_radius * np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1)
        if abs(abs(end - start) - 360) < 1e-9:
            nodes[-1] = nodes[0]
        return self._add(nodes, np.full(segments, radius, dtype=float))

    def helix(self, helix_radius: float | tuple[float, float], spacing: float, turns: float, *,
              radius: float, segments: int, left_handed: bool = False) -> Wire:
        """A helix about the z axis, upwards from the x axis at z = 0.

        Args:
            helix_radius: Metres; two numbers for a radius that changes evenly on the way.
            spacing: Metres between turns.
            turns: How many; need not be whole.
            segments: Of the whole helix.
        """
        part = np.linspace(0, 1, _count(segments) + 1)
        first, last = np.broadcast_to(helix_radius, 2)
        around = (first + (last - first) * part)[:, np.newaxis]
        angle = 2 * np.pi * turns * part * (-1 if left_handed else 1)
        nodes = np.hstack([around * np.stack([np.cos(angle), np.sin(angle)], axis=1),
                           (spacing * turns * part)[:, np.newaxis]])
        return self._add(nodes, np.full(segments, radius, dtype=float))

    def _add(self, nodes: Floats, radius: Floats, *, straight: bool = False,
             is_auto: bool = False) -> Wire:
        wire = Wire(len(self._wires) + 1, nodes, radius, caller(), straight=straight, is_auto=is_auto)
        self._wires.append(wire)
        return wire

    # Transforms.

    def _chosen(self, wires: Wires) -> list[Wire]:
        if wires is None:
            return list(self._wires)
        chosen = [wires] if isinstance(wires, Wire) else list(wires)
        for wire in chosen:
            if wire not in self._wires:
                raise UsageError(f"{wire!r} is no wire of this antenna.")
        return chosen

    def _map(self, wires: Wires, matrix: Floats, shift: Floats, scale: float = 1) -> None:
        for wire in self._chosen(wires):
            wire.take(wire.mapped(matrix, shift, wire.tag, "", scale=scale))

    def _append_mapped(self, wires: list[Wire], matrix: Floats, shift: Floats) -> list[Wire]:
        origin, first = caller(), len(self._wires) + 1
        images = [w.mapped(matrix, shift, first + i, origin) for i, w in enumerate(wires)]
        self._wires += images
        return images

    def move(self, by: Vector, wires: Wires = None) -> None:
        """Moves wires (None: all) by x, y, z in metres."""
        self._map(wires, np.eye(3), vector(by, "by"))

    def rotate(self, angle: float, axis: str | Vector = "z", wires: Wires = None, *,
               about: Vector = (0, 0, 0)) -> None:
        """Turns wires by an angle in degrees, right-handed, about "x", "y", "z" or a direction,
        through the point `about`."""
        matrix, centre = rotation(angle, axis), vector(about, "about")
        self._map(wires, matrix, centre - matrix @ centre)

    def scale(self, factor: float) -> None:
        """Multiplies every coordinate and radius."""
        if not factor > 0:
            raise UsageError(f"factor must be positive (got {factor}).")
        self._map(None, factor * np.eye(3), np.zeros(3), factor)

    def copy(self, wires: Wires = None, *, by: Vector = (0, 0, 0), rotate: float = 0,
             axis: str | Vector = "z", times: int = 1) -> list[Wire]:
        """Copies wires `times` times, each copy from the one before: turned by `rotate` degrees
        about an axis through the origin, then moved. Ports, loads and networks are not
        copied."""
        copies: list[Wire] = []
        last = self._chosen(wires)
        for _ in range(times):
            last = self._append_mapped(last, rotation(rotate, axis), vector(by, "by"))
            copies += last
        return copies

    def reflect(self, axis: Literal["x", "y", "z"], wires: Wires = None) -> list[Wire]:
        """Adds the mirror images of wires, this coordinate with the other sign."""
        if axis not in ("x", "y", "z"):
            raise UsageError(f"axis must be 'x', 'y' or 'z' (got {axis!r}).")
        mirror = np.diag([-1.0 if axis == name else 1.0 for name in "xyz"])
        return self._append_mapped(self._chosen(wires), mirror, np.zeros(3))
