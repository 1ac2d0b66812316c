"""Searches for values of symbols that reach goals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Error, UsageError
from ._model import Model, _hertz
from ._options import SolveOptions
from ._progress import ProgressBar


class Optimization:
    """What a search for goals has found.

    Attributes:
        model: The antenna with the best values.
        values: The best values, by symbol.
        goals: What each goal comes to there, by its text.
        met: Whether each goal that is a bound is kept, by its text.
        ended: Why the search ended.
        method: The algorithm, as `thinwire optimize --method` has them.
        exact_slopes: Whether derivatives were exact, not differences.
        failed: How many variants could not be solved; first_failure says why the first could not.
        variable_value: Of every variant that was solved, [E, V].
        goal_value: [E, G], NaN where a variant could not be solved.
        objective, miss: What is to be small, and by how much bounds are missed, [E].
        search: Which of the searches, from 0, [E].
    """

    def __init__(self, model: Model, names: Sequence[str], goals: Sequence[str],
                 found: _core.Optimization) -> None:
        best = found["best"]
        self.variable_value, self.goal_value = found["variable_value"], found["goal_value"]
        self.objective, self.miss, self.search = found["objective"], found["miss"], found["search"]
        self.values = dict(zip(names, self.variable_value[best].tolist(), strict=True))
        self.goals = dict(zip(goals, self.goal_value[best].tolist(), strict=True))
        self.met = {text: met for text, met in zip(goals, found["met"], strict=True)
                    if met is not None}
        self.ended, self.method = found["ended"], found["method"]
        self.exact_slopes = found["exact_slopes"]
        self.failed, self.first_failure = found["failed"], found["first_failure"]
        self.model = model._set(self.values)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:g}" for name, value in self.values.items())
        goals = ", ".join(f"{text}: {value:g}" + ("" if self.met.get(text, True) else " (missed)")
                          for text, value in self.goals.items())
        return f"<Optimization: {values}; {goals}; {len(self.objective)} variants, {self.ended}>"


def run(model: Model, goals: str | Sequence[str], frequencies: npt.ArrayLike | None,
        bounds: dict[str, tuple[float, float]], z0: float | None, method: str, starts: int | None,
        evaluations: int, seconds: float, resolution: float, progress: bool | None,
        options: SolveOptions) -> Optimization:
    """What Model.optimize() does."""
    texts = [goals] if isinstance(goals, str) else list(goals)
    if not texts:
        raise UsageError('optimize: no goal. Give one: optimize("vswr(144:146) < 1.5", '
                         "h=(0.4, 0.5)).")
    if not bounds:
        raise UsageError("optimize: nothing to vary. Give bounds of a symbol: optimize(goals, "
                         "h=(0.4, 0.5)).")
    if starts is None:
        starts = 1 if method == "direct" else 4
    _check("starts", starts, 1 <= starts <= 10_000, "1 to 10000")
    _check("evaluations", evaluations, 1 <= evaluations <= 100_000_000, "1 to 1e8")
    _check("seconds", seconds, 0 <= seconds < np.inf, "0 or more")
    _check("resolution", resolution, 0 < resolution < 1, "between 0 and 1")
    hertz = None if frequencies is None else _hertz(frequencies)
    given: dict[str, object] = dict(options)
    try:
        limits = {name: _limits(name, pair) for name, pair in bounds.items()}
        variables = [(name, low, high, _start(model, name, low, high))
                     for name, (low, high) in limits.items()]

        def read(values: Sequence[float]) -> _core.Problem:
            return model._set(dict(zip(bounds, values, strict=True)))._read(hertz)

        base = read([start for _, _, _, start in variables])
        reference = z0 if z0 is not None else base.reference_ohm
        if reference is not None:
            given["z0"] = float(reference)
        with ProgressBar(progress) as bar:
            found = _core.optimize(read, base, variables, texts, method, starts, evaluations,
                                   seconds, resolution, given, bar)
    except Error as error:
        raise model._translated(error) from None
    return Optimization(model, list(bounds), texts, found)


def _check(name: str, value: float, right: bool, wanted: str) -> None:
    if not right:
        raise UsageError(f"optimize: {name} must be {wanted} (got {value}).")


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
