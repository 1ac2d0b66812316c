"""Variants of an antenna, solved one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._geometry import Complexes, Floats
from ._model import Model
from ._optional import need
from ._options import SolveOptions
from ._progress import ProgressBar
from ._result import Result
from ._s_parameters import reflection, vswr


class Sweep:
    """Results of all combinations of symbols' values.

    Attributes:
        symbols: Values of each symbol, in the order of the axes.
        results: A Result for each combination, an array with an axis for each symbol.
    """

    def __init__(self, symbols: dict[str, Floats], results: npt.NDArray[np.object_]) -> None:
        self.symbols, self.results = symbols, results
        self._all: list[Result] = results.ravel().tolist()

    def __getitem__(self, index: Any) -> Any:
        """The Result of one combination, or an array of them."""
        return self.results[index]

    @property
    def frequency(self) -> Floats:
        """Hz, [F]."""
        return self._all[0].frequency

    @property
    def z(self) -> Complexes:
        """Input impedances, ohm, [..., P, F] behind the axes of the symbols."""
        z = np.stack([result.z for result in self._all])
        return z.reshape(*self.results.shape, *z.shape[1:])

    def vswr(self, z0: float | None = None) -> Floats:
        """Voltage standing wave ratios, [..., P, F]."""
        return vswr(reflection(self.z, z0 or self._all[0].z0))

    @property
    def dataset(self) -> Any:
        """The results' datasets with a dimension for each symbol. Raises MissingPackage."""
        xarray = need("xarray", "dataset")
        names, shape = list(self.symbols), self.results.shape
        joined = xarray.concat([result.dataset for result in self._all], dim="variant")
        axes = np.meshgrid(*self.symbols.values(), indexing="ij")
        joined = joined.assign_coords(
            {name: ("variant", axis.ravel()) for name, axis in zip(names, axes, strict=True)})
        return joined.set_index(variant=names).unstack("variant").transpose(*names, ...)

    def __repr__(self) -> str:
        ranges = "; ".join(f"{name}: {len(values)} from {values.min():g} to {values.max():g}"
                           for name, values in self.symbols.items())
        return f"<Sweep: {self.results.size} variants, {ranges}>"


def run(model: Model, frequencies: npt.ArrayLike | None, given: dict[str, npt.ArrayLike],
        z0: float | None, progress: bool | None, options: SolveOptions) -> Sweep:
    """What Model.sweep() does."""
    symbols = {name: np.atleast_1d(np.asarray(values, dtype=float))
               for name, values in given.items()}
    if not symbols or any(values.ndim != 1 or not values.size for values in symbols.values()):
        raise UsageError("sweep: give a list of values for one symbol at least: "
                         "sweep(h=[0.4, 0.5]).")
    results = np.empty([len(values) for values in symbols.values()], dtype=object)
    with ProgressBar(progress, results.size, "variant") as bar:
        for done, index in enumerate(np.ndindex(results.shape)):
            values = {name: float(axis[i])
                      for (name, axis), i in zip(symbols.items(), index, strict=True)}
            bar(", ".join(f"{name}={value:g}" for name, value in values.items()), done)
            results[index] = model._set(values).solve(frequencies, z0=z0, progress=False,
                                                      **options)
    return Sweep(symbols, results)
