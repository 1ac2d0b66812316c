"""What a solve warns of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import numpy as np

from . import _core
from ._geometry import Floats


class ModelWarning(UserWarning):
    """What makes the numbers of a solve doubtful, a line for each: Result.warnings. Where it is
    to be an error: `warnings.simplefilter("error", tw.ModelWarning)`."""


def warn_of(texts: Sequence[str]) -> None:
    """Issues them as one warning, at the line of the user's call, except that a deck requests
    nothing: patterns and fields are methods of the result."""
    texts = [text for text in texts if ": no XQ or RP card;" not in text]
    if not texts:
        return
    frame, level = sys._getframe(0), 1
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn("\n".join(texts), ModelWarning, stacklevel=level)


# Antennas are seldom this much smaller than the wave, and in megahertz or gigahertz they are not.
_SMALLEST_WAVELENGTHS = 1e-5
# Nobody means 100 GHz who gives less than this.
_MOST_HZ = 1e5
_LIGHT_M_PER_S = 299792458.0


def hint_of_hertz(problem: _core.Problem, hertz: Floats | None) -> list[str]:
    """A line where frequencies seem to be given in megahertz or gigahertz."""
    highest = 0.0 if hertz is None else float(hertz.max())
    if not 0 < highest < _MOST_HZ or not problem.segments:
        return []
    ends = np.concatenate([problem.start_m, problem.end_m])
    across = float(np.linalg.norm(ends.max(axis=0) - ends.min(axis=0)))
    wavelengths = across * highest / _LIGHT_M_PER_S
    if wavelengths > _SMALLEST_WAVELENGTHS:
        return []
    # The unit in which it is nearest to a wavelength across.
    unit = "e6" if abs(np.log(wavelengths * 1e6)) < abs(np.log(wavelengths * 1e9)) else "e9"
    return [f"at {highest:g} Hz the antenna is {wavelengths:.1g} wavelengths across: frequencies "
            f"are in Hz, did you mean {highest:g}{unit}?"]
