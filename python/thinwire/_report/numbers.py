"""Numbers as the page takes them: short, and never NaN, which JSON does not have."""

from __future__ import annotations

import base64
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt


def number(value: float, digits: int = 7) -> float | None:
    """Rounded to significant digits; None where it is not finite."""
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def numbers(values: npt.ArrayLike, digits: int = 7) -> list[float | None]:
    """Of a row, all rounded as number() does."""
    return [number(value, digits) for value in np.asarray(values, dtype=float).ravel()]


def decibels(values: npt.ArrayLike) -> list[float]:
    """To hundredths, what is nothing at all at -999.99."""
    found: list[float] = np.round(np.nan_to_num(values, nan=-999.99), 2).tolist()
    return found


def packed(values: npt.ArrayLike, dtype: str) -> str:
    """An array's bytes in base64, little-endian, "<f4" or "<i2"."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode()


def evenly(of: Iterable[int], most: int) -> list[int]:
    """At most `most` of these, evenly, the first and the last with them."""
    choice = list(of)
    if len(choice) <= most:
        return choice
    if most == 1:
        return [choice[len(choice) // 2]]
    return [choice[i] for i in np.round(np.linspace(0, len(choice) - 1, most)).astype(int)]
