"""Variants out of a file of `thinwire sweep`, as results that the page can compare."""

from __future__ import annotations

import numpy as np

from .._result import Result
from .._sweep_file import SweepFile
from .numbers import evenly

# Variants on a page, evenly chosen, in the order of the file.
_MOST_VARIANTS = 12


def variants(file: SweepFile) -> tuple[list[tuple[str, Result]], int]:
    """Some of the file's variants, each with the values of its symbols as its name, and how many
    there are in all."""
    found, count = [], int(np.prod(file.shape))
    for number in evenly(range(count), _MOST_VARIANTS):
        index = tuple(int(i) for i in np.unravel_index(number, file.shape))
        name = ", ".join(f"{symbol} = {value:g}"
                         for symbol, value in file.values_at(index).items())
        found.append((name or file.model.name, file[index]))
    return found, count
