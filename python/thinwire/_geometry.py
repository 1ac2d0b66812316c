"""Wires and places on them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ._counted import counted
from ._errors import GeometryError, UsageError

Floats: TypeAlias = npt.NDArray[np.float64]
Complexes: TypeAlias = npt.NDArray[np.complex128]
Vector: TypeAlias = Sequence[float] | Floats
"""A point or displacement x, y, z in metres."""


def vector(value: Vector, what: str) -> Floats:
    """Three numbers as an array. Throws UsageError."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise UsageError(f"{what} must be three numbers x, y, z in metres (got {value!r}).")
    return array


def real(value: object, what: str) -> float:
    """A finite number. Throws UsageError."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = np.nan
    if not np.isfinite(found):
        raise UsageError(f"{what} must be a finite number (got {value!r}).")
    return found


def positive(value: object, what: str, unit: str) -> float:
    """A finite number above 0. Throws UsageError."""
    found = real(value, what)
    if not found > 0:
        raise UsageError(f"{what} must be a positive number of {unit} (got {found:g}).")
    return found


def number(value: float) -> str:
    """The shortest text that gives the number back."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


# A place on a wire whose segments are counted at the solve: tag and fraction of the way.
PLACE = re.compile(r"@(\d+):([\d.e-]+)@")


def index_at(fraction: float, count: int) -> int:
    """The segment, of so many equal ones, at a fraction of the way."""
    return max(0, math.ceil(fraction * count - 1e-9) - 1)


@dataclass(frozen=True)
class Segment:
    """A segment of a wire: where ports, loads and networks are.

    Attributes:
        wire: The wire.
        index: Its place among the wire's segments, from 0; -1 on a wire of segments="auto".
        fraction: There the place on the wire, from 0 to 1.
    """

    wire: Wire
    index: int
    fraction: float | None = None

    @property
    def fields(self) -> str:
        """Tag and number, as cards name it."""
        if self.fraction is not None:
            return f"{self.wire.tag} @{self.wire.tag}:{self.fraction!r}@"
        return f"{self.wire.tag} {self.index + 1}"

    def __repr__(self) -> str:
        if self.fraction is not None:
            return f"<segment at {self.fraction:g} of {self.wire!r}>"
        return f"<segment {self.index} of {self.wire!r}>"


class Wire(Sequence[Segment]):
    """A wire of an Antenna: straight, or a chain of segments (an arc, a helix).

    `wire[0]` is its first segment, `wire[-1]` its last, `wire.middle` the one in the middle.
    Made by Antenna.wire(), arc(), helix(), copy() and reflect().

    Attributes:
        tag: The number by which decks and results name it, from 1.
        is_auto: Whether its segments are counted at the solve: segments="auto".
    """

    def __init__(self, tag: int, nodes: Floats, radius: Floats, origin: str, *,
                 straight: bool = False, is_auto: bool = False) -> None:
        # Of a straight wire of equal segments the ends alone; else [segments + 1, 3].
        self.tag, self._nodes, self._radius, self._origin = tag, nodes, radius, origin
        self._straight, self.is_auto = straight, is_auto
        if not (radius > 0).all() or not np.isfinite(radius).all():
            raise GeometryError(f"radius must be positive (got {radius.min()} m). Give the radius "
                                "of the wire in metres.")

    @property
    def points(self) -> Floats:
        """Ends of the segments in order, metres, [segments + 1, 3]."""
        if not self._straight or self.is_auto:
            return self._nodes.copy()
        return np.linspace(self._nodes[0], self._nodes[1], len(self) + 1)

    @property
    def start(self) -> Floats:
        """Where it begins, metres, [3]."""
        start: Floats = self._nodes[0]
        return start.copy()

    @property
    def end(self) -> Floats:
        """Where it ends, metres, [3]."""
        end: Floats = self._nodes[-1]
        return end.copy()

    @property
    def radius(self) -> Floats:
        """Of each segment, metres, [segments]."""
        return self._radius.copy()

    @property
    def length(self) -> float:
        """Metres, along the wire."""
        return float(np.linalg.norm(np.diff(self._nodes, axis=0), axis=1).sum())

    @property
    def middle(self) -> Segment:
        """The segment in the middle; with an even number of them the one before it."""
        if self.is_auto:
            return Segment(self, -1, 0.5)
        return Segment(self, (len(self) - 1) // 2)

    def at(self, fraction: float) -> Segment:
        """The segment at a fraction of the way from start (0) to end (1)."""
        if not 0 <= fraction <= 1:
            raise UsageError(f"a place on a wire is a fraction from 0 to 1 (got {fraction}).")
        if self.is_auto:
            return Segment(self, -1, float(fraction))
        along = np.linalg.norm(np.diff(self.points, axis=0), axis=1).cumsum()
        index = int(np.searchsorted(along, fraction * along[-1]))
        return Segment(self, min(index, len(self) - 1))

    def __len__(self) -> int:
        if self.is_auto:
            raise UsageError("a wire of segments='auto' is divided at the solve. Take wire.middle, "
                             "wire.at(0.25), wire[0] or wire[-1], or give the number of segments.")
        return len(self._radius)

    def count_at(self, frequency: float | None) -> int:
        """Its number of segments where that is the highest frequency, Hz: with segments="auto" odd,
        5 at least, 20 a wavelength, none shorter than two diameters."""
        if not self.is_auto:
            return len(self)
        wanted = max(5, math.ceil(20 * self.length * (frequency or 0) / 299792458.0)) | 1
        count = min(wanted, max(1, int(self.length / (4 * self._radius[0]))))
        return count - 1 + count % 2

    def __getitem__(self, index: int) -> Segment:  # type: ignore[override]
        if self.is_auto and index in (0, -1):
            return Segment(self, -1, 0.0 if index == 0 else 1.0)
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self!r} has no segment {index}")
        return Segment(self, index % len(self))

    def __iter__(self) -> Iterator[Segment]:
        return (Segment(self, i) for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        segments = "segments by frequency" if self.is_auto else counted(len(self), "segment")
        return f"<wire {self.tag}: {segments}, {self.length:.4g} m>"

    def mapped(self, matrix: Floats, shift: Floats, tag: int, origin: str, *,
               scale: float = 1) -> Wire:
        """A copy with every point p at matrix @ p + shift and radii times scale."""
        return Wire(tag, self._nodes @ matrix.T + shift, self._radius * scale, origin,
                    straight=self._straight, is_auto=self.is_auto)

    def take(self, other: Wire) -> None:
        """Lies where the other one does from here on."""
        self._nodes, self._radius = other._nodes, other._radius

    def cards(self, count: int) -> list[str]:
        """Its GW cards: one for equal segments in a row, as many as count_at() gives, else one a
        segment."""
        # As numbers of Python, which take a third of the time that NumPy's take one by one.
        nodes, radii = self._nodes.tolist(), self._radius.tolist()
        pieces = [(nodes[0], nodes[1], count, radii[0])]
        if not self._straight:
            pieces = [(*nodes[i:i + 2], 1, radii[i]) for i in range(len(self))]
        return [" ".join(["GW", str(self.tag), str(count), *map(number, start),
                          *map(number, end), number(radius)])
                for start, end, count, radius in pieces]


def rotation(angle_deg: float, axis: str | Vector) -> Floats:
    """The matrix that turns by an angle about an axis through the origin, [3, 3]: "x", "y",
    "z" or a direction; right-handed."""
    axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    if isinstance(axis, str):
        if axis not in axes:
            raise UsageError(f"axis must be 'x', 'y', 'z' or a direction (got {axis!r}).")
        axis = axes[axis]
    unit = vector(axis, "axis")
    length = np.linalg.norm(unit)
    if length == 0:
        raise UsageError("axis must have a direction (got 0, 0, 0).")
    x, y, z = unit / length
    # Right angles are exact, so that what lay on an axis still does.
    quarter, rest = divmod(real(angle_deg, "an angle"), 90)
    c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(quarter) % 4]
    if rest:
        c, s = np.cos(np.deg2rad(angle_deg)), np.sin(np.deg2rad(angle_deg))
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return c * np.eye(3) + s * cross + (1 - c) * np.outer((x, y, z), (x, y, z))
