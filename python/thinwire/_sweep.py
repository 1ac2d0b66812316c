"""Variants of an antenna."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._counted import counted
from ._errors import Error, UsageError
from ._geometry import Complexes, Floats, positive
from ._model import Model, check_options, hertz_of
from ._optional import need
from ._options import SolveOptions
from ._progress import ProgressBar
from ._result import Result
from ._s_parameters import reflection, vswr
from ._tables import frame_of_variants, html_table
from ._warnings import hint_of_hertz, warn_of


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
        """Input impedances, ohm, [..., F, P] behind the axes of the symbols."""
        z = np.stack([result.z for result in self._all])
        return z.reshape(*self.results.shape, *z.shape[1:])

    def vswr(self, z0: float | None = None) -> Floats:
        """Voltage standing wave ratios, [..., F, P]."""
        return vswr(reflection(self.z, self._all[0].z0 if z0 is None else positive(z0, "z0", "ohm")))

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

    def to_dataframe(self) -> Any:
        """The tables of all variants behind one another, as Result.to_dataframe() has them, the
        symbols' values first. Raises MissingPackage."""
        return frame_of_variants(self._variants(), self._all)

    def _variants(self) -> list[dict[str, float]]:
        axes = np.meshgrid(*self.symbols.values(), indexing="ij")
        return [dict(zip(self.symbols, map(float, values), strict=True))
                for values in zip(*(axis.ravel() for axis in axes), strict=True)]

    def _repr_html_(self) -> str:
        """A table of the variants at the middle frequency, for notebooks."""
        ports = self._all[0].ports
        rows = []
        for values, result in zip(self._variants(), self._all, strict=True):
            f = len(result.frequency) // 2
            rows += [[*(f"{value:g}" for value in values.values()), f"{result.frequency[f] / 1e6:g}",
                      port, f"{result.z[f, p].real:.5g}", f"{result.z[f, p].imag:.5g}",
                      f"{result.vswr()[f, p]:.2f}"] for p, port in enumerate(ports)]
        return html_table(self, [*self.symbols, "MHz", "port", "R / Ω", "X / Ω",
                                 f"VSWR ({self._all[0].z0:g} Ω)"], rows)

    def __repr__(self) -> str:
        ranges = "; ".join(f"{name}: {len(values)} from {values.min():g} to {values.max():g}"
                           for name, values in self.symbols.items())
        return f"<Sweep: {counted(self.results.size, 'variant')}, {ranges}>"


def run(model: Model, frequencies: npt.ArrayLike | None, given: dict[str, npt.ArrayLike],
        z0: float | None, progress: bool | None, options: SolveOptions) -> Sweep:
    """What Model.sweep() does."""
    symbols = {name: _values(name, values) for name, values in given.items()}
    if not symbols or any(values.ndim != 1 or not values.size for values in symbols.values()):
        raise UsageError("sweep: give a list of values for one symbol at least: "
                         "sweep(h=[0.4, 0.5]).")
    check_options("sweep", options)
    hertz = None if frequencies is None else hertz_of(frequencies)
    with_z0: dict[str, object] = dict(options)
    if z0 is not None:
        with_z0["z0"] = positive(z0, "z0", "ohm")
    shape = [len(values) for values in symbols.values()]
    variants = [{name: float(axis[i]) for (name, axis), i in zip(symbols.items(), index, strict=True)}
                for index in np.ndindex(*shape)]
    names = [", ".join(f"{name}={value:g}" for name, value in values.items())
             for values in variants]
    # All are read before the first is solved: what cannot be is told at once.
    models, problems = [], []
    for name, values in zip(names, variants, strict=True):
        variant = model
        try:
            variant = model._set(values)
            problem = variant._read(hertz)
            if hints := hint_of_hertz(problem, hertz):
                problem.warnings += hints
            problems.append(problem)
        except Error as error:
            raise variant._translated(error, f"with {name}: ") from None
        models.append(variant)

    def results_of(solutions: Sequence[_core.Solution | None]) -> npt.NDArray[np.object_]:
        results = np.empty(len(solutions), dtype=object)
        for i, (variant, solution) in enumerate(zip(models, solutions, strict=True)):
            if solution is not None:
                results[i] = Result(solution, model=variant, options=options)
        return results.reshape(shape)

    try:
        with ProgressBar(progress) as bar:
            solutions = _core.solve_variants(problems, names, with_z0, bar)
    except Error as error:
        number = next((i for i, name in enumerate(names)
                       if str(error).startswith(f"with {name}: ")), 0)
        raise models[number]._translated(error) from None
    except KeyboardInterrupt as stop:
        if hasattr(stop, "found"):
            stop.results = results_of(stop.found)  # type: ignore[attr-defined]
        raise
    results = results_of(solutions)
    warn_of(_warnings(names, results.ravel().tolist()))
    return Sweep(symbols, results)


# Lines of one warning: those of single variants may differ in a number only.
_MOST_LINES = 20


def _warnings(names: Sequence[str], results: Sequence[Result]) -> list[str]:
    """Those of all variants, each once with the first variant that has it."""
    variants: dict[str, list[str]] = {}
    for name, result in zip(names, results, strict=True):
        for text in result.warnings:
            variants.setdefault(text, []).append(name)

    def where(of: list[str]) -> str:
        more = f" and {len(of) - 1} more" if len(of) > 1 else ""
        return "" if len(of) == len(names) else f"with {of[0]}{more}: "

    lines = [where(of) + text for text, of in variants.items()]
    more = len(lines) - _MOST_LINES
    return lines[:_MOST_LINES] + ([f"and {more} more: Result.warnings has them"] if more > 0 else [])


def _values(name: str, given: npt.ArrayLike) -> Floats:
    try:
        values = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        raise UsageError(f"sweep: values of {name} must be numbers (got {given!r}).") from None
    if not np.isfinite(values).all():
        raise UsageError(f"sweep: values of {name} must be finite numbers (got "
                         f"{values[~np.isfinite(values)][0]}).")
    return values
