"""A file of `thinwire sweep`, its variants as results."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._counted import counted
from ._deck import Deck, deck_of_file
from ._errors import FileError
from ._geometry import Complexes, Floats, positive
from ._result import Result
from ._s_parameters import reflection, vswr
from ._source import FileSource
from ._tables import frame_of_variants, html_table


# Arrays that a sweep's file lacks: they follow from the deck.
_OF_PROBLEM = ("/mesh/start_m", "/mesh/end_m", "/mesh/radius_m", "/mesh/tag")


class _Variant(FileSource):
    """One variant of a sweep, with what the file keeps of a solution."""

    def __init__(self, path: str, index: tuple[int, ...], number: int, deck: Deck) -> None:
        self._file, self.path, self._index, self.number = _core.File(path), path, index, number
        self._problem = deck._read(None)

    def array(self, path: str) -> Any:
        if path in _OF_PROBLEM:
            return getattr(self._problem, path.removeprefix("/mesh/"))
        values = super().array(path)[self._index]
        if path in ("/port/tag", "/port/segment", "/port/gap"):
            return values[0]
        if path == "/run_index":
            return values.astype(int)
        return values[:, :self._problem.segments] if path.startswith("/current/") else values

    def exists(self, path: str) -> bool:
        return path in _OF_PROBLEM or super().exists(path)

    def children(self, group: str) -> list[str]:
        return []  # A sweep keeps no patterns.

    @property
    def unknowns(self) -> int:
        return int(self.array("/unknowns"))

    @property
    def z0(self) -> float:
        return self._problem.reference_ohm or 50.0

    @property
    def device(self) -> str:
        device = _settings_of(self)["options"].get("device", "auto")
        return "" if device == "auto" else str(device)

    @property
    def timings_s(self) -> dict[str, float]:
        return {}


def _settings_of(file: FileSource) -> dict[str, Any]:
    """Values of symbols, structure and options that the sweep was started with. Raises FileError."""
    try:
        settings: dict[str, Any] = json.loads(file._file.text("/input/settings"))
        return {"set": dict(settings["set"]), "structure": settings["structure"],
                "options": dict(settings["options"])}
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{file.path}: /input/settings is damaged: the file was changed. Solve its "
                        "deck again.") from None


def _symbols_of(file: FileSource) -> dict[str, Floats]:
    """Values of the symbols in the order of the file's axes: that of the command line."""
    names = [name.removeprefix("symbol_") for name in file.children("/")
             if name.startswith("symbol_")]
    asked = re.findall(r"--vary[ =]['\"]?(\w+)=", file.attribute("command_line"))
    order = [name for wanted in asked for name in names if name.lower() == wanted.lower()]
    return {name: file.array(f"/symbol_{name}") for name in order}


class SweepFile:
    """What tw.open() gives of a file of `thinwire sweep`: arrays have an axis for each symbol,
    then R results, a deck's frequencies and runs. What variants have not is NaN.

    Attributes:
        path: Of the file.
        symbols: Values of each symbol, in the order of the axes.
        model: The deck, its symbols as it has them.
    """

    def __init__(self, path: str) -> None:
        self._file, self.path = FileSource(path, "sweep"), path
        settings = _settings_of(self._file)
        self.symbols = _symbols_of(self._file)
        self.model = deck_of_file(self._file._file, path, values=settings["set"],
                                  structure=settings["structure"] or None)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each symbol has."""
        return tuple(len(values) for values in self.symbols.values())

    def values_at(self, index: tuple[int, ...]) -> dict[str, float]:
        """Those of the symbols of a variant."""
        return {name: float(axis[i]) for (name, axis), i in
                zip(self.symbols.items(), index, strict=True)}

    def __getitem__(self, index: int | tuple[int, ...]) -> Result:
        """The result of one variant, an index for each symbol: with what the file keeps of it."""
        full = tuple(range(n)[i] for n, i in
                     zip(self.shape, np.atleast_1d(np.asarray(index)).tolist(), strict=True))
        variant = self.model.set(**self.values_at(full))
        number = int(np.ravel_multi_index(full, self.shape)) if full else 0
        return Result(_Variant(self.path, full, number, variant), model=variant)

    @cached_property
    def frequency(self) -> Floats:
        """Hz, [..., R]."""
        frequency: Floats = self._file.array("/frequency_hz")
        return frequency

    @cached_property
    def z(self) -> Complexes:
        """Input impedances, ohm, [..., R, P]."""
        z: Complexes = self._file.array("/port/impedance_ohm")
        return z

    @property
    def z0(self) -> float:
        """What reflections refer to, ohm, where nothing else is given."""
        return self.model._read(None).reference_ohm or 50.0

    def vswr(self, z0: float | None = None) -> Floats:
        """Voltage standing wave ratios, [..., R, P]."""
        return vswr(reflection(self.z, self.z0 if z0 is None else positive(z0, "z0", "ohm")))

    @cached_property
    def unknowns(self) -> npt.NDArray[np.int64]:
        """Of each variant's linear system, [...]."""
        unknowns: npt.NDArray[np.int64] = self._file.array("/unknowns")
        return unknowns

    @cached_property
    def gain_max(self) -> Floats:
        """The largest gain of the patterns that the deck asks for, dBi, [..., R]; NaN without."""
        gain: Floats = self._file.array("/pattern/gain_max_dbi")
        return gain

    @cached_property
    def dataset(self) -> Any:
        """Everything as an xarray.Dataset with a dimension for each symbol, then frequency, or
        result where variants differ in frequencies. Raises MissingPackage."""
        from ._dataset import sweep_dataset_of

        return sweep_dataset_of(self)

    def to_dataframe(self) -> Any:
        """The tables of all variants behind one another, as Result.to_dataframe() has them, the
        symbols' values first. Raises MissingPackage."""
        every = list(np.ndindex(*self.shape))
        return frame_of_variants(map(self.values_at, every), map(self.__getitem__, every))

    def _repr_html_(self) -> str:
        """A table of the symbols' values, for notebooks."""
        return html_table(self, ["symbol", "values"],
                          [[name, ", ".join(f"{value:g}" for value in values[:20])]
                           for name, values in self.symbols.items()])

    def __repr__(self) -> str:
        ranges = "; ".join(f"{name}: {len(values)} from {values.min():g} to {values.max():g}"
                           for name, values in self.symbols.items())
        return f"<SweepFile {self.path}: {counted(int(np.prod(self.shape)), 'variant')}, {ranges}>"
