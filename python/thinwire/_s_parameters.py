"""Reflection and scattering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._counted import counted
from ._errors import UsageError
from ._geometry import Complexes, Floats
from ._optional import need


def reflection(z: Complexes, z0: float) -> Complexes:
    """(Z - z0) / (Z + z0)."""
    gamma: Complexes = (z - z0) / (z + z0)
    return gamma


def vswr(gamma: Complexes) -> Floats:
    """Of reflection coefficients; inf where all is reflected, or more."""
    size = np.abs(gamma)
    # Closer to 1 than this, rounding decides.
    all_back = ~(size < 1 - 1e-12)
    size = np.where(all_back, 0, size)
    ratio: Floats = np.where(np.isnan(gamma), np.nan,
                             np.where(all_back, np.inf, (1 + size) / (1 - size)))
    return ratio


@dataclass(frozen=True, eq=False, repr=False)
class SParameters:
    """S-parameters: an array, [F, P, P], with what it refers to.

    Attributes:
        values: [F, P, P]; numpy takes the object itself for it, too.
        frequency: Hz, [F].
        z0: Ohm, of all ports.
    """

    values: Complexes
    frequency: Floats
    z0: float

    def __array__(self, dtype: npt.DTypeLike | None = None,
                  copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    @property
    def shape(self) -> tuple[int, ...]:
        """(F, P, P)."""
        return self.values.shape

    def __repr__(self) -> str:
        count, ports, _ = self.shape
        return f"<SParameters: {counted(count, 'frequency')}, {counted(ports, 'port')}, {self.z0:g} ohm>"

    def to_network(self) -> Any:
        """As a Network of scikit-rf, its frequencies ascending. Raises MissingPackage, and
        UsageError where a frequency is there twice: of several runs or waves."""
        skrf = need("skrf", "to_network")
        order = np.argsort(self.frequency)
        frequency = self.frequency[order]
        if (np.diff(frequency) <= 0).any():
            raise UsageError("to_network: a network has each frequency once, and here "
                             f"{frequency[:-1][np.diff(frequency) <= 0][0]:g} Hz is there twice. "
                             "Solve without repeated frequencies or runs.")
        return skrf.Network(f=frequency, f_unit="Hz", s=self.values[order], z0=self.z0)
