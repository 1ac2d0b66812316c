"""Points of a result: one for each frequency of each run and incident wave."""

from __future__ import annotations

import operator

import numpy as np

from ._errors import UsageError
from ._geometry import Floats, real


def point_of(frequencies: Floats, frequency: float | None, index: int | None) -> int:
    """Index of the point that a caller means.

    Args:
        frequencies: Of all points, Hz.
        frequency: Hz, the nearest one; None: the middle.
        index: The point itself, from 0; negative: from the end.

    Raises UsageError where several points have that frequency and there is no index, or where
    there is no such point.
    """
    count = len(frequencies)
    if index is None:
        nearest = (count // 2 if frequency is None
                   else int(np.abs(frequencies - real(frequency, "frequency")).argmin()))
        same = np.flatnonzero(np.isclose(frequencies, frequencies[nearest], rtol=1e-9, atol=0))
        if len(same) > 1:
            raise UsageError(
                f"{len(same)} points are at {frequencies[nearest] / 1e6:g} MHz, of several "
                "incident waves or runs. Say which by its place among the frequencies: "
                f"index={same[0]}, index={same[1]}, ...")
        return nearest
    if frequency is not None:
        raise UsageError("frequency contradicts index. Give one of them.")
    try:
        place = operator.index(index)
    except TypeError:
        raise UsageError(f"index must be a whole number (got {index!r}).") from None
    if not -count <= place < count:
        raise UsageError(f"index must be 0 to {count - 1} (got {place}).")
    return place % count


def place_text(frequency: float, wave: Floats) -> str:
    """Of a title: frequency in Hz, and theta and phi of the incident wave, NaN without one."""
    text = f"{frequency / 1e6:g} MHz"
    return text if np.isnan(wave[0]) else f"{text}, wave from θ {wave[0]:g}°, φ {wave[1]:g}°"
