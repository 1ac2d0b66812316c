"""Searches for values of symbols that reach goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._counted import counted
from ._deck import deck_of_file
from ._errors import Error, UsageError
from ._geometry import positive, real
from ._model import Model, check_options, hertz_of
from ._options import SolveOptions
from ._progress import ProgressBar
from ._warnings import hint_of_hertz, warn_of
from ._words import in_python


class History:
    """Every variant of a search for goals: what tw.open() gives of a file of `thinwire
    optimize`, and the base of Optimization.

    Attributes:
        model: The antenna with the best values.
        values: The best values, by symbol.
        goals: What each goal comes to there, by its text.
        best: Which of the variants that is.
        lower, upper: Bounds of the variables, [V].
        variable_value: Of every variant that was solved, [E, V].
        goal_value: [E, G], NaN where a variant could not be solved.
        objective, miss: What is to be small, and by how much bounds are missed, [E].
        search: Which of the searches, from 0, [E].
        ended: Why the search ended.
        warnings: What to look at in the best variant, a line each.
    """

    def __init__(self, model: Model, limits: Mapping[str, tuple[float, float]],
                 goals: Sequence[str], found: _core.History) -> None:
        self.best = found["best"]
        self.lower, self.upper = np.array(list(limits.values())).T
        self.variable_value, self.goal_value = found["variable_value"], found["goal_value"]
        self.objective, self.miss, self.search = found["objective"], found["miss"], found["search"]
        self.values = dict(zip(limits, self.variable_value[self.best].tolist(), strict=True))
        self.goals = dict(zip(goals, self.goal_value[self.best].tolist(), strict=True))
        self.ended = found["ended"]
        self.warnings = tuple(in_python(model._in_user_terms(text)) for text in found["warnings"])
        self.model = model._set(self.values)

    @classmethod
    def of_file(cls, path: str) -> History:
        """What `thinwire optimize` wrote. Raises FileError."""
        file = _core.File(path)
        limits = zip(file.array("/lower").tolist(), file.array("/upper").tolist(), strict=True)
        return cls(deck_of_file(file, path), dict(zip(file.array("/variable"), limits, strict=True)),
                   file.array("/goal"),
                   {"best": file.attribute_integer("/", "best_evaluation") - 1,
                    "variable_value": file.array("/variable_value"),
                    "goal_value": file.array("/goal_value"),
                    "objective": file.array("/objective"), "miss": file.array("/miss"),
                    "search": file.array("/search") - 1,
                    "ended": file.attribute_text("/", "ended"),
                    "warnings": file.array("/warnings") if file.exists("/warnings") else []})

    @property
    def dataset(self) -> Any:
        """As an xarray.Dataset over evaluation, variable and goal. Raises MissingPackage."""
        from ._dataset import history_dataset_of

        return history_dataset_of(self)

    def _met(self, goal: str) -> bool:
        """Whether it is not known to be missed."""
        return True

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:g}" for name, value in self.values.items())
        goals = ", ".join(f"{text}: {value:g}" + ("" if self._met(text) else " (missed)")
                          for text, value in self.goals.items())
        return (f"<{type(self).__name__}: {values}; {goals}; "
                f"{counted(len(self.objective), 'variant')}, "
                f"{self.ended}>")


class Optimization(History):
    """What a search for goals has found.

    Attributes:
        met: Whether each goal that is a bound is kept, by its text.
        method: The algorithm, as `thinwire optimize --method` has them.
        exact_derivatives: Whether derivatives were exact, not differences.
        failed: How many variants could not be solved; first_failure says why the first could not.
    """

    def __init__(self, model: Model, limits: Mapping[str, tuple[float, float]],
                 goals: Sequence[str], found: _core.Optimization) -> None:
        super().__init__(model, limits, goals, found)
        self.met = {text: met for text, met in zip(goals, found["met"], strict=True)
                    if met is not None}
        self.method, self.exact_derivatives = found["method"], found["exact_derivatives"]
        self.failed, self.first_failure = found["failed"], found["first_failure"]

    def _met(self, goal: str) -> bool:
        return self.met.get(goal, True)


def run(model: Model, goals: str | Sequence[str], frequencies: npt.ArrayLike | None,
        bounds: dict[str, tuple[float, float]], z0: float | None, method: str, starts: int | None,
        evaluations: int, seconds: float, resolution: float,
        progress: bool | Callable[[str, float], None] | None,
        options: SolveOptions) -> Optimization:
    """What Model.optimize() does."""
    texts = [goals] if isinstance(goals, str) else list(goals)
    for text in texts:
        if not isinstance(text, str):
            raise UsageError('optimize: goals are texts like "vswr(144:146) < 1.5" (got '
                             f"{text!r}).")
    if not texts:
        raise UsageError('optimize: no goal. Give one: optimize("vswr(144:146) < 1.5", '
                         "h=(0.4, 0.5)).")
    if not bounds:
        raise UsageError("optimize: nothing to vary. Give bounds of a symbol: optimize(goals, "
                         "h=(0.4, 0.5)).")
    if starts is not None:
        _check("starts", starts, _is_whole(starts) and 1 <= starts <= 10_000,
               "a whole number, 1 to 10000")
    _check("evaluations", evaluations, _is_whole(evaluations) and 1 <= evaluations <= 100_000_000,
           "a whole number, 1 to 1e8")
    _check("seconds", seconds, 0 <= real(seconds, "seconds"), "0 or more")
    _check("resolution", resolution, 0 < real(resolution, "resolution") < 1, "between 0 and 1")
    check_options("optimize", options)
    # Where every goal names its frequencies, the model needs none of its own.
    if frequencies is None:
        of_goals = [_core.goal_frequencies(text) for text in texts]
        frequencies = sorted({f for some in of_goals for f in some}) if all(of_goals) else None
    hertz = None if frequencies is None else hertz_of(frequencies)
    given: dict[str, object] = dict(options)
    hints: list[str] = []
    try:
        limits = {name: _limits(name, pair) for name, pair in bounds.items()}
        variables = [(name, low, high, _start(model, name, low, high))
                     for name, (low, high) in limits.items()]

        def read(values: Sequence[float]) -> _core.Problem:
            return model._set(dict(zip(bounds, values, strict=True)))._read(hertz)

        base = read([start for _, _, _, start in variables])
        hints = hint_of_hertz(base, hertz)
        base.warnings += hints
        reference = z0 if z0 is not None else base.reference_ohm
        if reference is not None:
            given["z0"] = positive(reference, "z0", "ohm")
        with ProgressBar(progress) as bar:
            found = _core.optimize(read, base, variables, texts, method, starts, evaluations,
                                   seconds, resolution, given, bar)
    except Error as error:
        raise model._translated(error, hints=hints) from None
    except KeyboardInterrupt as stop:
        if getattr(stop, "found", None) is not None:
            stop.best = Optimization(model, limits, texts, stop.found)  # type: ignore[attr-defined]
        raise
    best = Optimization(model, limits, texts, found)
    warn_of(best.warnings)
    return best


def _check(name: str, value: float, right: bool, wanted: str) -> None:
    if not right:
        raise UsageError(f"optimize: {name} must be {wanted} (got {value!r}).")


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _limits(name: str, pair: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = (float(value) for value in pair)
    except (TypeError, ValueError):
        raise UsageError(f"optimize: {name} must be a lower and an upper bound (got "
                         f"{pair!r}).") from None
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise UsageError(f"optimize: the bounds of {name} must rise (got {low:g}, {high:g}).")
    return low, high


def _start(model: Model, name: str, low: float, high: float) -> float:
    """The model's own value where it lies between the bounds, and the middle else."""
    own = model._value(name)
    return own if own is not None and low <= own <= high else (low + high) / 2
