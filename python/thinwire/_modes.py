"""Characteristic modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _core
from ._errors import UsageError
from ._geometry import Floats

if TYPE_CHECKING:
    from ._model import Model
    from ._options import SolveOptions


@dataclass(frozen=True)
class Modes:
    """Characteristic modes J of Z = R + jX: X J = eigenvalue R J (Harrington and Mautz 1971), the
    most significant first. Each radiates 1 W: J^T R J / 2 = 1.

    Attributes:
        frequency: Hz.
        eigenvalues: [n]: 0 at resonance, negative where the mode is capacitive.
        coefficients: Of the basis functions, ampere, [n, unknowns].
        currents: At the segments' centres, ampere, [n, S].
    """

    frequency: float
    eigenvalues: Floats
    coefficients: Floats
    currents: Floats

    @property
    def significance(self) -> Floats:
        """1 / |1 + j eigenvalue|, [n]: 1 at resonance."""
        values: Floats = 1 / np.hypot(1, self.eigenvalues)
        return values

    @property
    def angles(self) -> Floats:
        """Characteristic angles, degrees, [n]: 180 at resonance, below where the mode is inductive."""
        values: Floats = 180 - np.rad2deg(np.arctan(self.eigenvalues))
        return values


def modes_of(model: Model, frequency: float, count: int, options: SolveOptions) -> Modes:
    if count < 1:
        raise UsageError(f"modes: count must be 1 or more (got {count}).")
    options["save_matrix"] = True
    options["operator"] = "dense"
    result = model.solve(frequency, **options)
    solution = result._solution("modes")
    z = solution.matrix_ohm
    # Z J = (1 + j eigenvalue) R J. Unlike R, Z can be inverted whatever the rounding.
    values, vectors = np.linalg.eig(np.linalg.solve(z, z.real.astype(complex)))
    largest = np.abs(values).argsort()[::-1][:count]
    values, vectors = values[largest], vectors[:, largest].T
    # They are real but for a factor.
    vectors = (vectors * np.exp(-0.5j * np.angle((vectors ** 2).sum(axis=1)))[:, np.newaxis]).real
    power = np.einsum("ni,ij,nj->n", vectors, z.real, vectors) / 2
    vectors = np.ascontiguousarray(vectors / np.sqrt(np.abs(power))[:, np.newaxis])
    currents = _core.segment_currents(solution, len(result.frequency) - 1, vectors.astype(complex))
    return Modes(float(result.frequency[-1]), (1 / values).imag, vectors, currents.real)
