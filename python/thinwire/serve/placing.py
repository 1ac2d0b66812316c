"""Where the cards of a deck put its wires: GM, GX, GR and GS as maps of the wires' own numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

MAX_PLACED = 5000
"""Wires beyond these have no line on the page."""


@dataclass(frozen=True)
class Placed:
    """A wire, arc or helix, or a copy of one.

    Attributes:
        line: Of its card.
        ends: x1 to z2 in its card, empty for arcs and helices.
        place: Where these are, m: place[:, :3] @ p + place[:, 3].
    """

    line: int
    tag: int
    ends: tuple[float, ...]
    place: Matrix


def placed_wires(cards: Iterable[tuple[int, list[str]]]) -> list[Placed]:
    """The wires of a structure in their order. cards: line and words of each, formulas
    resolved, up to GE."""
    wires: list[Placed] = []
    for line, (card, *fields) in cards:
        if card not in ("GW", "GA", "GH", "GM", "GX", "GR", "GS"):
            continue
        values = [float(field) for field in fields[:9]] + [0.0] * (9 - len(fields))
        increment, count = int(values[0]), int(values[1])
        if card in ("GW", "GA", "GH"):
            ends = tuple(values[2:8]) if card == "GW" else ()
            wires.append(Placed(line, increment, ends, np.eye(3, 4)))
        elif card == "GM":
            tag = round(values[8])
            first = next((i for i, wire in enumerate(wires) if wire.tag == tag), 0) if tag else 0
            turn = _turn(values[4], 2) @ _turn(values[3], 1) @ _turn(values[2], 0)
            step = np.column_stack([turn, values[5:8]])
            of = wires[first:]
            if count == 0:
                wires[first:] = _mapped(of, step, increment)
            for _ in range(_count(count, of)):
                of = _mapped(of, step, increment)
                wires += of
        elif card == "GX":
            for axis, digit in ((2, count % 10), (1, count // 10 % 10), (0, count // 100)):
                if digit and len(wires) <= MAX_PLACED:
                    mirror = np.eye(3, 4)
                    mirror[axis, axis] = -1
                    wires += _mapped(wires, mirror, increment)
                    increment *= 2
        elif card == "GR":
            of = list(wires)
            for copy in range(1, 1 + _count(count - 1, of)):
                turn = np.column_stack([_turn(360 * copy / count, 2), np.zeros(3)])
                wires += _mapped(of, turn, increment * copy)
        elif card == "GS":
            wires = _mapped(wires, values[2] * np.eye(3, 4), 0)
    return wires


def _count(copies: int, of: list[Placed]) -> int:
    return min(copies, MAX_PLACED // max(1, len(of)) + 1)


def _turn(degrees: float, axis: int) -> Matrix:
    """A rotation around an axis, exact at right angles."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    if degrees % 90 == 0:
        c, s = round(c), round(s)
    turn = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turn[[a, b, a, b], [a, b, b, a]] = c, c, -s, s
    return turn


def _mapped(wires: list[Placed], step: Matrix, increment: int) -> list[Placed]:
    def place(wire: Placed) -> Matrix:
        placed = step[:, :3] @ wire.place
        placed[:, 3] += step[:, 3]
        return placed

    return [Placed(wire.line, wire.tag and wire.tag + increment, wire.ends, place(wire))
            for wire in wires]
