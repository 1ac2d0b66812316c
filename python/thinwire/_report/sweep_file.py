"""Variants out of a file of `thinwire sweep`, as results that the page can compare."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from .. import _core
from .._deck import Deck
from .._geometry import Floats
from .._result import Result
from .._source import FileSource, content_of, opened
from .numbers import evenly

# Variants on a page, evenly chosen, in the order of the file.
_MOST_VARIANTS = 6


class _Variant(FileSource):
    """One variant of a sweep, with what the file keeps of a solution."""

    def __init__(self, path: str, index: tuple[int, ...], deck: Deck) -> None:
        self._file, self.path, self._index = _core.File(path), path, index
        problem = deck._read(None)
        self.start_m, self.end_m = problem.start_m, problem.end_m
        self.radius_m, self.tag = problem.radius_m, problem.tag
        self._reference_ohm = problem.reference_ohm

    def __getattr__(self, name: str) -> Any:
        values = super().__getattr__(name)
        # What a sweep does not keep comes empty, without the axes of the variants.
        values = values[self._index] if values.size else np.empty((len(self._results), 0))
        if name in ("port_tag", "port_segment"):
            return values[0]
        if name == "segment_current_a":
            return values[:, :len(self.tag)]
        return values

    @property
    def _results(self) -> Floats:
        frequencies: Floats = self._file.doubles("/frequency_hz")[self._index]
        return frequencies

    @property
    def unknowns(self) -> int:
        return int(self._file.integers("/unknowns")[self._index])

    @property
    def z0(self) -> float:
        return self._reference_ohm or 50.0

    @property
    def device(self) -> str:
        options = json.loads(self._file.text("/input/settings"))["options"]
        return "" if options["device"] == "auto" else str(options["device"])

    @property
    def timings_s(self) -> dict[str, float]:
        return {}

    @property
    def solver(self) -> list[_core.SolverReport]:
        return []

    def stored_patterns(self) -> list[_core.StoredPattern]:
        return []

    @property
    def greatest_gain(self) -> Floats:
        """dBi at each frequency, NaN where there is no pattern."""
        if not self._file.exists("/pattern/gain_max_dbi"):
            return np.full(len(self._results), np.nan)
        gain: Floats = self._file.doubles("/pattern/gain_max_dbi")[self._index]
        return gain


def _symbols(file: FileSource) -> dict[str, Floats]:
    """Values of the symbols in the order of the file's axes: that of the command line."""
    names = [name.removeprefix("symbol_") for name in file._file.children("/")
             if name.startswith("symbol_")]
    asked = re.findall(r"--vary[ =]['\"]?(\w+)=", file.attribute("command_line"))
    order = [name for wanted in asked for name in names if name.lower() == wanted.lower()]
    return {name: file._file.doubles(f"/symbol_{name}") for name in order}


def is_sweep(path: str) -> bool:
    """Whether the file is one of `thinwire sweep`. Raises FileError for what cannot be read."""
    return content_of(opened(path)) == "sweep"


def variants(path: str) -> tuple[list[tuple[str, Result]], int]:
    """Some of the file's variants, each with the values of its symbols as its name, and how many
    there are in all."""
    file = FileSource(path, "sweep")
    settings = json.loads(file._file.text("/input/settings"))
    deck = Deck(file.deck_text, name=file.deck_name, structure=settings["structure"] or None,
                values=settings["set"])
    symbols = _symbols(file)
    shape = tuple(len(values) for values in symbols.values())
    found, count = [], int(np.prod(shape))
    for number in evenly(range(count), _MOST_VARIANTS):
        index = tuple(int(i) for i in np.unravel_index(number, shape))
        values = {name: float(axis[i]) for (name, axis), i in
                  zip(symbols.items(), index, strict=True)}
        name = ", ".join(f"{symbol} = {value:g}" for symbol, value in values.items())
        variant = deck.set(**values)
        found.append((name or file.deck_name, Result(_Variant(path, index, variant),
                                                     model=variant)))
    return found, count
