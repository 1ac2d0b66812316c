"""Checks and solves decks as the page edits them; reports problems by line and field."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from .. import _core
from .._deck import Deck
from .._errors import Error, UsageError
from .._options import SolveOptions
from .._result import Result
from .document import Document, document_of, patterns
from .folder import Folder
from .placing import placed_wires

Watch = Callable[[str, float], None]
"""Called with a step and its done fraction while a solve is at work; stops it by an exception."""

_MAX_FREQUENCIES = 2000
_PLACE = re.compile(r"^[^\n]*?:(\d+): (.*)$")
_FIELD = re.compile(r"\b[A-Z]{2} field (\d+)")
_CARD = re.compile(r"^\s*([A-Za-z][A-Za-z0-9])")
# How a deck is read and solved: no error of the numbers is behind it.
_NOTE = re.compile(r"^every frequency was solved, not only some|^[^\n:]*: read as a file of ")
# Segments of MMANA's wires that are finer towards ends. There must be no source or load (w1b, w1e) in these.
_TAPERED = re.compile(r",[ \t]*-[123][ \t]*(?=\r?$)", re.M)
_SOURCE = re.compile(r"^\*+\s*Source", re.I | re.M)
_AT_END = re.compile(r"^\s*w\d+[be]", re.I | re.M)
# The page makes its own requests.
_OWN = re.compile(r"no XQ or RP card;")
_NO_CARD = re.compile(r"^\s*($|[#!']|sy\b)", re.I)
_PROGRAM = re.compile(r"^\s*(RP|NE|NH|XQ)", re.I)
_UNITS = {"": 1e6, "hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9}


class PageDeck(Deck):
    """A deck that is small enough to be edited on a page."""

    _max_segments = 200_000


@dataclass
class Solved:
    """A deck and its result."""

    deck: Deck
    result: Result


def opened(name: str, text: str) -> Document:
    """What the page opens, and which text its file has: a file of MMANA-GAL becomes a NEC deck, whose
    comments name what was not read. Wires that can be are one card each, so that their ends can be
    dragged: the mesh is graded anyway. Raises Error where it cannot be read."""
    if not name.lower().endswith(".maa"):
        return {"opened": name, "text": text, "saved": text}
    source = _SOURCE.search(text)
    if source and not _AT_END.search(text):
        text = _TAPERED.sub(", 0", text[:source.start()]) + text[source.start():]
    deck = PageDeck(text, name=name)
    notes = "".join(f"CM {warning}\n" for warning in deck._read(None).warnings)
    return {"opened": name[:-4] + ".nec", "text": notes + deck.to_nec(), "saved": ""}


def problems_of(text: str, severity: str) -> list[Document]:
    """Messages of the library by line and field of the deck, each 0 where it names none. Warnings
    that are notes have that severity."""
    found = []
    for message in text.splitlines():
        place = _PLACE.match(message)
        line, said = (int(place[1]), place[2]) if place else (0, message)
        field = _FIELD.search(said)
        found.append({"line": line, "field": int(field[1]) if field else 0, "text": said,
                      "severity": "note" if severity == "warning" and _NOTE.match(message) else severity})
    return found


def frequencies_of(band: str) -> list[float] | None:
    """Hertz of 144:146:21 (MHz, or with a unit), None for an empty text. Raises UsageError."""
    if not band.strip():
        return None
    match = re.fullmatch(r"\s*([\d.e+-]+)(?::([\d.e+-]+)(?::(\d+))?)?\s*([kMG]?Hz)?\s*", band, re.I)
    try:
        if match is None:
            raise ValueError
        low = float(match[1])
        high = float(match[2] or low)
        count = int(match[3] or (101 if match[2] else 1))
    except ValueError:
        raise UsageError(f"the band is written 144:146:21, in MHz or with a unit (got {band}).") from None
    if not (0 < low <= high < 1e9 and 1 <= count <= _MAX_FREQUENCIES):
        raise UsageError(f"the band must rise and have 1 to {_MAX_FREQUENCIES} frequencies (got {band}).")
    unit = _UNITS[(match[4] or "").lower()]
    return [float(f) * unit for f in np.linspace(low, high, count)]


def without_requests(text: str) -> str:
    """The deck with runs alone (XQ) for its requests of patterns and fields, which take longer
    than the solve. Lines stay where they are."""
    lines, in_group = [], False
    for line in text.splitlines():
        if _PROGRAM.match(line):
            lines.append("'" if in_group else "XQ")
            in_group = True
        else:
            in_group = in_group and bool(_NO_CARD.match(line))
            lines.append(line)
    return "\n".join(lines) + "\n"


def cards_of(text: str, expanded: str) -> list[tuple[int, list[str]]]:
    """Line and words of each card, formulas resolved. The expanded deck has the cards in their
    order, and neither comments nor symbols."""
    lines = [number for number, line in enumerate(text.splitlines(), 1) if not _NO_CARD.match(line)]
    return [(line, words) for line, words in zip(lines, map(str.split, expanded.splitlines()), strict=False)]


def geometry_of(text: str, expanded: str) -> Document:
    """Wires whose ends the page can drag, copies included: their line, and the index in "places"
    of the map, by rows, from the numbers x1 to z2 that follow to metres; and the line of each tag."""
    wires = placed_wires(takewhile(lambda card: card[1][0] != "GE", cards_of(text, expanded)))
    tags: dict[str, int] = {}
    places: dict[tuple[float, ...], int] = {}
    drawn = []
    for wire in wires:
        tags.setdefault(str(wire.tag), wire.line)
        if wire.ends:
            place = places.setdefault(tuple(map(float, wire.place.ravel())), len(places))
            drawn.append([wire.line, place, *wire.ends])
    return {"wires": drawn, "places": list(places), "tags": tags}


def solve(text: str, name: str, folder: Folder, *, band: str = "", shown_hz: float | None = None,
          options: SolveOptions | None = None, watch: Watch | None = None,
          ) -> tuple[Solved | None, Document]:
    """Solves a deck.

    Args:
        band: Frequencies instead of the deck's, 144:146:21.
        shown_hz: Where the pattern is wanted in all directions; None: in the middle.

    Returns the result, None where the deck is wrong, and the message to the page.
    """
    started = time.perf_counter()
    geometry: Document | None = None
    try:
        folder.check(text)
        whole = PageDeck(text, name=name, folder=str(folder.root))  # all that is wrong with it
        geometry = geometry_of(text, whole.to_nec())
        deck = PageDeck(without_requests(text), name=name, folder=str(folder.root))
        hertz = frequencies_of(band)
        problem = deck._read(None if hertz is None else np.array(hertz))
        problem.deck_text = text
        count = len(problem.frequencies_hz)
        if count > _MAX_FREQUENCIES:
            raise UsageError(f"the deck has {count} frequencies (at most {_MAX_FREQUENCIES}). Solve it by `thinwire solve`.")
        given: dict[str, object] = {"sweep": "fast" if count > 8 else "full", **(options or {})}
        if problem.reference_ohm is not None:
            given["z0"] = problem.reference_ohm
        result = Result(_core.solve(problem, given, watch), model=whole, options=options)
        frequency = result.frequency
        point = len(frequency) // 2 if shown_hz is None else result.nearest(shown_hz)
        document = document_of(result, name, patterns(result, point, watch))
    except Error as error:
        message: Document = {"problems": problems_of(str(error), "error")}
        return None, message if geometry is None else {**message, "geometry": geometry}
    return Solved(whole, result), {
        "result": document, "shown": point, "geometry": geometry,
        "seconds": time.perf_counter() - started,
        "problems": [p for text in result.warnings if not _OWN.search(text) for p in problems_of(text, "warning")]}
