"""The antenna for the page: its segments, currents, ports, loads, lines and ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._counted import counted
from .._errors import Error
from .._geometry import Floats
from .numbers import evenly, number, packed

if TYPE_CHECKING:
    from .._result import Result

# Segments that are drawn at most, and loads that are marked each for itself.
_MOST_SEGMENTS = 12_000
_MOST_LOADS = 200
_GROUNDS = {0: "real ground by reflection coefficients", 1: "perfect ground",
            2: "real ground by Sommerfeld's integrals",
            3: "real ground for the far field (as MININEC)"}


def _cards(result: Result) -> list[list[str]]:
    """Words of the deck's cards, formulas resolved. Empty where the deck has several
    structures, or cannot be read any more."""
    try:
        text = result.model.to_nec()
    except Error:
        return []
    cards = [line.replace(",", " ").split() for line in text.splitlines()]
    return [] if any(card[:1] == ["NX"] for card in cards) else [card for card in cards if card]


def _values(card: list[str], count: int) -> list[float]:
    values = [float(word) for word in card[1:count + 1]]
    return values + [0.0] * (count - len(values))


class Places:
    """Segments by tag and number, as cards name them."""

    def __init__(self, result: Result) -> None:
        self._tags = result.segment_tags
        self.centres: Floats = (result.segment_starts + result.segment_ends) / 2

    def numbers(self) -> npt.NDArray[np.int64]:
        """Of each segment its number within its tag, from 1."""
        found = np.empty(len(self._tags), dtype=np.int64)
        order = np.argsort(self._tags, kind="stable")
        _, first, count = np.unique(self._tags[order], return_index=True, return_counts=True)
        found[order] = np.arange(len(order)) - np.repeat(first, count) + 1
        return found

    def of(self, tag: int, first: int, last: int) -> list[int]:
        """Indices of a range of segments: those of a tag, or of all for tag 0; the whole for
        first 0."""
        choice = np.flatnonzero(self._tags == tag) if tag else np.arange(len(self._tags))
        if first > 0:
            choice = choice[first - 1:max(first, last)]
        indices: list[int] = choice.tolist()
        return indices

    def at(self, index: int) -> list[float | None]:
        """x, y, z of a segment's centre."""
        return [number(x, 6) for x in self.centres[index]]


def _load_text(kind: int, a: float, b: float, c: float) -> str:
    if kind in (0, 1):
        parts = [f"{value:g} {unit}" for value, unit in ((a, "Ω"), (b, "H"), (c, "F")) if value]
        return ("series " if kind == 0 else "parallel ") + (", ".join(parts) or "R, L, C of 0")
    if kind in (2, 3):
        return f"{'series' if kind == 2 else 'parallel'} R, L, C per metre"
    if kind == 4:
        return f"{a:g} {'-' if b < 0 else '+'} j{abs(b):g} Ω"
    return {5: f"conductivity {a:g} S/m", 6: "trap", 7: "insulation"}.get(kind, f"LD {kind}")


def _marks(result: Result, places: Places) -> dict[str, Any]:
    """Ports, loads, lines and ground, from the deck's cards."""
    loads: list[dict[str, Any]] = []
    spread: list[str] = []
    lines: list[dict[str, Any]] = []
    ground = None
    for card in _cards(result):
        name = card[0].upper()
        try:
            if name == "LD":
                kind, tag, first, last, *values = _values(card, 7)
                if kind < 0:
                    loads, spread = [], []
                    continue
                text, where = _load_text(int(kind), *values), places.of(int(tag), int(first),
                                                                        int(last))
                if int(kind) in (0, 1, 4, 6) and len(where) + len(loads) <= _MOST_LOADS:
                    loads += [{"xyz": places.at(i), "text": text} for i in where]
                else:
                    on = f"tag {int(tag)}" if tag else "all wires"
                    spread.append(f"{text} on {on}" if not first else
                                  f"{text} on {counted(len(where), 'segment')} of {on}")
            elif name in ("TL", "NT"):
                tag_1, at_1, tag_2, at_2, z0, length = _values(card, 6)
                ends = [places.of(int(t), int(s), 0)[0] for t, s in ((tag_1, at_1), (tag_2, at_2))]
                text = "network"
                if name == "TL":
                    text = f"line of {abs(z0):g} Ω" + (", crossed" if z0 < 0 else "")
                    text += f", {length:g} m" if length else ""
                lines.append({"ends": [places.at(i) for i in ends], "text": text})
            elif name == "GN":
                kind, _, _, _, permittivity, conductivity = _values(card, 6)
                ground = _GROUNDS.get(int(kind))
                if ground and kind != 1:
                    ground += f", ε {permittivity:g}, {conductivity:g} S/m"
        except (ValueError, IndexError):
            continue  # A card of another layout: the picture goes without its mark.
    return {"loads": loads, "spread": list(dict.fromkeys(spread)), "lines": lines,
            "ground": ground}


def _has_ground(result: Result) -> bool:
    problem = getattr(result._source, "problem", None)
    try:
        return (problem or result.model._read(None)).has_ground
    except Error:
        return False


def structure_contents(result: Result, max_currents: int) -> dict[str, Any]:
    """Segments, and their currents at as many frequencies as make `max_currents` values."""
    places = Places(result)
    count = len(places.centres)
    drawn = evenly(range(count), _MOST_SEGMENTS)
    ends = np.stack([result.segment_starts, result.segment_ends], axis=1)
    ports = []
    for name in result.ports:
        tag, segment = map(int, name.split("/"))
        ports.append({"xyz": places.at(places.of(tag, segment, 0)[0]), "text": f"port {name}"})
    points = evenly(range(len(result.frequency)), max(1, max_currents // len(drawn)))
    currents = result.currents[np.ix_(points, drawn)]
    marks = _marks(result, places)
    if _has_ground(result):
        marks["ground"] = marks["ground"] or "perfect ground"
    else:
        marks["ground"] = None
    low, high = ends.min(axis=(0, 1)), ends.max(axis=(0, 1))
    return {
        "segments": count, "drawn": len(drawn), "ends": packed(ends[drawn], "<f4"),
        "tags": result.segment_tags[drawn].tolist(), "numbers": places.numbers()[drawn].tolist(),
        "size": [number(high[i] - low[i], 4) for i in range(3)],
        "low": [number(x, 6) for x in low], "high": [number(x, 6) for x in high],
        "ports": ports, **marks,
        "currents": {"at": points, "ampere": packed(np.abs(currents), "<f4"),
                     "centidegree": packed(np.round(100 * np.angle(currents, deg=True)), "<i2")},
    }
