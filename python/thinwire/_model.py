"""What can be solved: the base of Antenna, Deck and Design."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _core
from ._angles import Angles, grid
from ._errors import Error, UsageError
from ._geometry import Floats, positive
from ._options import SolveOptions
from ._progress import ProgressBar
from ._warnings import hint_of_hertz, warn_of

if TYPE_CHECKING:
    from ._modes import Modes
    from ._operator import Operator
    from ._optimize import Optimization
    from ._rcs import CrossSection
    from ._result import Result
    from ._sweep import Sweep


_SYMBOLS = "Make it a deck with SY cards, or a tw.Design of a function that builds it."


class Model(ABC):
    """An antenna that can be solved: an Antenna built in Python, a Deck, a Design."""

    @abstractmethod
    def _read(self, frequencies: Floats | None) -> _core.Problem:
        """The problem to solve, at these frequencies, Hz, or its own."""

    def _in_user_terms(self, text: str) -> str:
        """A message of the library, its places being those that the user knows."""
        return text

    def _translated(self, error: Error, before: str = "", hints: Sequence[str] = ()) -> Error:
        return type(error)(" ".join([before + self._in_user_terms(str(error)), *hints]))

    def _scatterer(self) -> Model:
        """The model with some source, for what depends on none."""
        return self

    def _set(self, values: dict[str, float]) -> Model:
        """The model with other values of its symbols."""
        raise UsageError(f"{type(self).__name__} has no symbols to vary "
                         f"(got {', '.join(values)}). {_SYMBOLS}")

    def _values(self) -> dict[str, float]:
        """Those of all symbols that can change by a little."""
        return {}

    def _value(self, name: str) -> float | None:
        """That of a symbol now, if it has one."""
        return self._values().get(name)

    def _add_parameters(self, problem: _core.Problem, gradient: bool | Sequence[str],
                        frequencies: Floats | None) -> None:
        """To the problem that _read() gave: the symbols that solve() is to differentiate by."""
        values = self._values()
        if not isinstance(gradient, bool | str | Sequence):
            raise UsageError("gradient must be True, or symbols by name: gradient=[\"h\"] (got "
                             f"{gradient!r}).")
        names = [gradient] if isinstance(gradient, str) else (
            values if gradient is True else list(gradient or []))
        if gradient is True and not names:
            raise UsageError(f"gradient=True: {type(self).__name__} has no symbols. {_SYMBOLS}")
        for name in dict.fromkeys(names):
            value = self._value(name)
            if value is None:
                raise UsageError(f"gradient: no symbol {name!r}. "
                                 + (f"There are {', '.join(values)}." if values else _SYMBOLS))

            def read(changed: float, name: str = name) -> _core.Problem:
                return self._set({name: changed})._read(frequencies)

            problem.add_parameter(name, value, read)

    def solve(self, frequencies: npt.ArrayLike | None = None, *, theta: Angles | None = None,
              phi: Angles | None = None, gradient: bool | Sequence[str] = False,
              z0: float | None = None, progress: bool | Callable[[str, float], None] | None = None,
              **options: Unpack[SolveOptions]) -> Result:
        """Solves the antenna.

        The work runs without the GIL, shows a tqdm bar where it takes more than a second, and
        stops at Ctrl-C. Result.warnings are issued as one ModelWarning.

        Args:
            frequencies: Hz, a number or a sequence. Decks have their own, for None.
            theta: With phi, a pattern to compute at every frequency and keep with the result:
                a step in degrees over all directions, or angles in degrees from +z. Patterns
                can also be asked for later: Result.pattern().
            phi: A step in degrees, or angles in degrees from +x towards +y.
            gradient: Symbols to differentiate by: SY cards of a deck, arguments of a Design;
                True: all that are numbers (of a Design: float). Result.z_derivatives has the
                derivatives of the impedances, Result.gain_derivatives() those of the gains of
                patterns. Of wires in the ground and of incident waves there are none.
            z0: What reflections refer to, ohm (default: the deck's Z0 card, or 50).
            progress: Whether to show a bar; None: on terminals and in notebooks. A function gets step
                and fraction instead, and ends the solve by an exception.
            **options: As of `thinwire solve`; see SolveOptions.

        Raises:
            UsageError, DeckError, GeometryError: What cannot be solved, with file and line.
            DeviceError, MemoryShortage, NumericError: What could not be solved.
        """
        from ._result import Result

        check_options("solve", options)
        with_defaults: dict[str, object] = dict(options)
        hints: list[str] = []
        try:
            hertz = None if frequencies is None else hertz_of(frequencies)
            problem = self._read(hertz)
            hints = hint_of_hertz(problem, hertz)
            if hints:
                problem.warnings += hints
            self._add_parameters(problem, gradient, hertz)
            reference = z0 if z0 is not None else problem.reference_ohm
            if reference is not None:
                with_defaults["z0"] = positive(reference, "z0", "ohm")
            if theta is not None or phi is not None:
                problem.add_pattern(*grid(theta, phi, problem.has_ground))
            with ProgressBar(progress) as bar:
                solution = _core.solve(problem, with_defaults, bar)
        except Error as error:
            raise self._translated(error, hints=hints) from None
        result = Result(solution, model=self, options=options)
        warn_of(result.warnings)
        return result

    def plot_3d(self, ax: Any = None) -> Any:
        """The wires in space, a colour for each tag, ports red, before anything is solved. Returns
        matplotlib's axes. Raises MissingPackage, and what solve() raises for the geometry."""
        from ._plots import plot_model

        try:
            problem = self._drawn()
        except Error as error:
            raise self._translated(error) from None
        return plot_model(problem, ax)

    def _drawn(self) -> _core.Problem:
        """The problem for its picture."""
        return self._read(None)

    def operator(self, frequency: float, **options: Unpack[SolveOptions]) -> Operator:
        """The impedance matrix at a frequency, Hz: `op @ x`, for scipy's solvers.

        Raises MissingPackage without scipy, and what solve() raises.
        """
        options["save_matrix"] = True
        return self.solve(frequency, **options).operator

    def modes(self, frequency: float, *, count: int = 6, **options: Unpack[SolveOptions]) -> Modes:
        """Characteristic modes at a frequency, Hz: the `count` most significant ones. Loads and
        losses are part of the impedance matrix, voltage sources are not."""
        from ._modes import modes_of

        return modes_of(self._scatterer(), frequency, count, options)

    def rcs(self, frequencies: npt.ArrayLike | None = None, *, theta: Angles = 5, phi: Angles = 5,
            eta: float = 0, progress: bool | None = None,
            **options: Unpack[SolveOptions]) -> CrossSection:
        """Monostatic radar cross sections. Voltage sources are short circuits, other sources open.

        Args:
            frequencies: As solve() has them; of a deck its first run's.
            theta, phi: A step or angles in degrees, where plane waves come from.
            eta: Degrees, of their field from theta towards phi: 0 is theta-polarised.
            progress, options: As solve() has them.
        """
        from ._rcs import rcs_of

        check_options("rcs", options)
        return rcs_of(self._scatterer(), None if frequencies is None else hertz_of(frequencies), theta, phi, eta,
                      progress, options)

    def sweep(self, frequencies: npt.ArrayLike | None = None, *, z0: float | None = None,
              progress: bool | None = None, options: SolveOptions | None = None,
              **symbols: npt.ArrayLike) -> Sweep:
        """Solves all combinations of symbols' values: small antennas one on each thread, or, with
        options={"device": "cuda"}, in batches on a GPU. All are read before the first is solved.

        Args:
            frequencies: Hz, of every variant; decks have their own, for None.
            z0: As solve() has it.
            progress: As solve() has it.
            options: Further options of solve().
            **symbols: Values of each symbol: SY cards of a deck, arguments of a Design.

        Raises what solve() raises, with the values of the variant; KeyboardInterrupt after Ctrl-C,
        whose attribute `results` is the array of Sweep.results, None where it was not solved yet.

        Examples:
            >>> s = deck.sweep(h=np.linspace(0.4, 0.5, 11))
            >>> s.z.shape  # variants, frequencies, ports
            (11, 21, 1)
        """
        from ._sweep import run

        return run(self, frequencies, symbols, z0, progress, options or {})

    def optimize(self, goals: str | Sequence[str], *,
                 frequencies: npt.ArrayLike | None = None, z0: float | None = None,
                 method: str = "auto", starts: int | None = None, evaluations: int = 2000,
                 seconds: float = 0, resolution: float = 1e-4, progress: bool | None = None,
                 options: SolveOptions | None = None,
                 **symbols: tuple[float, float]) -> Optimization:
        """Looks for values of symbols that reach goals, as `thinwire optimize` does.

        Args:
            goals: What is wanted, "vswr(144:146) < 1.5" or "gain(90,0,145) max": one goal or
                several, frequencies in MHz.
            frequencies: Hz, of goals that name none; decks have their own, for None.
            z0: What VSWR refers to, ohm (default: the deck's Z0 card, or 50).
            method: auto (slsqp), slsqp, cobyla or cma-es.
            starts: Searches, from the model's own values and from points spread over the box
                (4; of cma-es 1).
            evaluations: Variants to solve at most.
            seconds: Time at most; 0: any.
            resolution: A local search ends where it moves by less than this part of the ranges.
            progress: As solve() has it.
            options: Further options of solve().
            **symbols: Lower and upper bound of each symbol: SY cards of a deck, arguments of a
                Design.

        Raises UsageError for goals, bounds or settings that are wrong, and what solve() raises
        where no variant can be solved. KeyboardInterrupt after Ctrl-C, whose attribute `best` is
        what was found until then, an Optimization.

        Examples:
            >>> best = deck.optimize("vswr(144:146) < 1.5", h=(0.4, 0.5))
            >>> best.values, best.met, best.model.solve().z
        """
        from ._optimize import run

        return run(self, goals, frequencies, symbols, z0, method, starts, evaluations, seconds,
                   resolution, progress, options or {})

    @abstractmethod
    def to_nec(self, frequencies: npt.ArrayLike | None = None) -> str:
        """The antenna as a NEC deck, which thinwire solves to the same numbers.

        Args:
            frequencies: Hz, for FR cards with a run (XQ) each.
        """


def check_options(function: str, options: SolveOptions) -> None:
    """Raises UsageError for what is no option of solving."""
    unknown = set(options) - set(SolveOptions.__annotations__)
    if unknown:
        raise UsageError(f"{function} has no option {', '.join(sorted(unknown))}. It has "
                         f"{', '.join(SolveOptions.__annotations__)}.")


def hertz_of(frequencies: npt.ArrayLike) -> Floats:
    try:
        array = np.atleast_1d(np.asarray(frequencies, dtype=float))
    except (TypeError, ValueError):
        raise UsageError("frequencies must be a number of hertz or a sequence of them (got "
                         f"{frequencies!r}).") from None
    if array.ndim != 1 or not array.size:
        raise UsageError(f"frequencies must be one or more in a row (got shape {array.shape}).")
    wrong = array[~(np.isfinite(array) & (array > 0))]
    if wrong.size:
        raise UsageError(f"frequencies must be positive numbers of hertz (got {wrong[0]:g}).")
    return array


