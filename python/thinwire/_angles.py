"""Grids of directions."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ._errors import UsageError

Angles: TypeAlias = float | npt.ArrayLike
"""A step in degrees, or the angles themselves, equally spaced."""

Steps: TypeAlias = tuple[float, float, int]
"""Start and step in degrees, and how many."""


def _steps(angles: Angles, name: str, last: float) -> Steps:
    if np.ndim(angles) == 0:
        step = _number(angles, name)
        count = round(last / step) if step > 0 else 0
        if count < 1 or abs(count * step - last) > 1e-9 * last:
            raise UsageError(f"{name}: a step must divide {last:g} degrees (got {step:g}). Give "
                             f"one that does, or the angles: {name}=[...].")
        return 0.0, step, count + 1
    try:
        array = np.asarray(angles, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise UsageError(f"{name} must be a step or a list of angles in degrees.")
    if array.size == 1:
        return float(array[0]), 0.0, 1
    step = float(array[-1] - array[0]) / (array.size - 1)
    even = array[0] + step * np.arange(array.size)
    if not np.allclose(array, even, rtol=0, atol=1e-9):
        raise UsageError(f"{name}: angles must be equally spaced. Ask for each part on its own.")
    return float(array[0]), step, int(array.size)


def _number(angles: Angles, name: str) -> float:
    try:
        return float(angles)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be a step or a list of angles in degrees (got "
                         f"{angles!r}).") from None


def grid(theta: Angles | None, phi: Angles | None, over_ground: bool) -> tuple[Steps, Steps]:
    """Steps of theta, 0 to 180 degrees, over ground to 90, and of phi, 0 to 360. None: 5."""
    return (_steps(5.0 if theta is None else theta, "theta", 90 if over_ground else 180),
            _steps(5.0 if phi is None else phi, "phi", 360))
