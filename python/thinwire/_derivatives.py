"""Derivatives of gains by a model's symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._errors import UsageError
from ._geometry import Floats

if TYPE_CHECKING:
    from ._result_values import ResultValues


class GainDerivatives(NamedTuple):
    """Of the power gain towards a pattern's maximum, that direction held fixed, and of its
    front-to-back ratio: over the gain at the same theta, phi + 180 degrees. NaN where there are
    none: over two grounds, or where nothing is radiated.

    Attributes:
        frequency: Hz, [f].
        theta, phi: The direction, degrees, [f].
        gain: dB for each unit of the symbol, [f, V].
        front_to_back: dB for each unit of the symbol, [f, V].
    """

    frequency: Floats
    theta: Floats
    phi: Floats
    gain: Floats
    front_to_back: Floats


def gain_derivatives_of(result: ResultValues, pattern: int) -> GainDerivatives:
    """What Result.gain_derivatives() gives."""
    if not result.parameters:
        raise UsageError("gain_derivatives: the solve had no gradient. Give it one: "
                         'solve(..., gradient=["h1"]).')
    patterns = result._stored_patterns()
    if not 0 <= pattern < len(patterns):
        raise UsageError(f"gain_derivatives: pattern must be 0 to {len(patterns) - 1} (got {pattern})."
                         if patterns else "gain_derivatives: the solve had no pattern. Give it "
                         "directions: solve(..., theta=[90], phi=[0]).")
    arrays = patterns[pattern]
    index = arrays["index"]
    none = np.full((len(index), len(result.parameters)), np.nan)

    def values(name: str, missing: Floats) -> Floats:
        found: Floats = arrays.get(name, missing)
        return found

    return GainDerivatives(
        result.frequency[index], values("gain_derivative_theta_deg", none[:, 0]),
        values("gain_derivative_phi_deg", none[:, 0]), values("gain_derivative_db", none),
        values("front_to_back_derivative_db", none))
