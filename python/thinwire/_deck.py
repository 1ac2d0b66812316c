"""NEC decks."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import numpy.typing as npt

from . import _core
from ._counted import counted
from ._errors import FileError, UsageError
from ._geometry import Floats
from ._model import Model


class Deck(Model):
    """A NEC deck as it was read, and values of its symbols. It does not change: set() gives
    another.

    Attributes:
        text: The deck.
        name: Its file name, for messages.
        values: Values of symbols instead of what SY cards say.
        dialect: Program that it was written for.
        patches: What becomes of surface patches.
    """

    _max_segments: int | None = None  # as many as the program has room for

    def __init__(self, text: str, *, name: str = "deck", folder: str = "",
                 values: dict[str, float] | None = None, structure: int | None = None,
                 dialect: str = "auto", patches: str = "refuse") -> None:
        """A deck from its text.

        Args:
            folder: Where its GF card looks for files first.
            structure: Which of several structures (NX), from 1.
            dialect: "auto", "nec2", "nec4", "nec5" or "4nec2": the program that the deck was
                written for.
            patches: "refuse" surface patches (SP, SM), or make a wire "grid" of them.

        Raises DeckError or GeometryError, with file and line, UsageError for a symbol that the
        deck does not have.
        """
        if not isinstance(text, str):
            raise UsageError(f"a deck is a text (got {type(text).__name__}). Read a file by "
                             "tw.read_deck().")
        self.text, self.name, self.values = text, name, dict(values or {})
        self.dialect, self.patches = dialect, patches
        self._folder, self._structure = folder, structure
        self._segments = self._read(None).segments

    def set(self, **values: float) -> Deck:
        """The deck with other values of symbols (SY cards)."""
        return Deck(self.text, name=self.name, folder=self._folder,
                    values={**self.values, **_numbers(values)}, structure=self._structure,
                    dialect=self.dialect, patches=self.patches)

    def _set(self, values: dict[str, float]) -> Deck:
        return self.set(**values)

    def _values(self) -> dict[str, float]:
        return self._read(None).symbols

    def _value(self, name: str) -> float | None:
        return self._values().get(name.lower())

    def __repr__(self) -> str:
        symbols = "".join(f", {name}={value:g}" for name, value in self.values.items())
        return f"<Deck {self.name}: {counted(self._segments, 'segment')}{symbols}>"

    def _read(self, frequencies: Floats | None) -> _core.Problem:
        problem = _core.Problem.read(self.text, self.name, self._folder, self.values,
                                     self._structure, self.dialect, self.patches, self._max_segments)
        if self.values:
            problem.deck_text = self.to_nec()
        if frequencies is not None:
            problem.set_frequencies(frequencies.tolist())
        return problem

    def to_nec(self, frequencies: npt.ArrayLike | None = None) -> str:
        """The deck without symbols, formulas resolved. Its frequencies are its own."""
        if frequencies is not None:
            raise UsageError("a deck has frequencies of its own: FR cards. Leave them out here.")
        return _core.expanded_deck(self.text, self.name, self.values, self.dialect,
                                   self.patches)


def read_deck(path: str | os.PathLike[str], *, structure: int | None = None,
              dialect: str = "auto", patches: str = "refuse") -> Deck:
    """Reads a NEC deck, or a file of MMANA-GAL (.maa).

    Args:
        structure: Which of the structures that NX divides the deck into, from 1.
        dialect, patches: As in Deck().

    Raises FileError, and what Deck() raises.

    Examples:
        >>> deck = tw.read_deck("yagi.nec").set(h2=0.48)
        >>> deck.solve().z
    """
    file = Path(path)
    return Deck(_core.read_text(str(file)), name=file.name, folder=str(file.parent),
                structure=structure, dialect=dialect, patches=patches)


def deck_of_file(file: _core.File, path: str | os.PathLike[str], *,
                 values: dict[str, float] | None = None, structure: int | None = None) -> Deck:
    """The deck that a file of thinwire holds, read as it was for that file."""
    of_deck = partial(file.attribute_text, "/input/deck")
    try:
        reading = {"dialect": of_deck("dialect"), "patches": of_deck("patches")}
    except FileError:  # of an earlier version
        reading = {}
    return Deck(file.text("/input/deck"), name=of_deck("file_name"), folder=str(Path(path).parent),
                values=values, structure=structure, **reading)


def _numbers(values: dict[str, float]) -> dict[str, float]:
    try:
        return {name: float(value) for name, value in values.items()}
    except (TypeError, ValueError):
        raise UsageError(f"values of symbols must be numbers (got {values}).") from None
