"""Radar cross sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from . import _core
from ._angles import Angles, grid
from ._errors import Error
from ._geometry import Complexes, Floats
from ._options import SolveOptions
from ._progress import ProgressBar
from ._warnings import warn_of

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True)
class CrossSection:
    """Monostatic radar cross sections, ports short-circuited, at F frequencies.

    Attributes:
        frequency: Hz, [F].
        theta, phi: Where the wave comes from and is scattered to, degrees, [T] and [A].
        total: Square metres, all of the scattered field, [F, T, A].
        copolar: Of its part along the incident field, [F, T, A].
    """

    frequency: Floats
    theta: Floats
    phi: Floats
    total: Floats
    copolar: Floats


def rcs_of(model: Model, frequencies: Floats | None, theta: Angles, phi: Angles, eta: float,
           progress: bool | None, options: SolveOptions) -> CrossSection:
    try:
        problem = model._read(frequencies)
        steps = grid(theta, phi, problem.has_ground)
        problem.set_waves(*steps, eta)
        with ProgressBar(progress) as bar:
            solution = _core.solve(problem, dict(options), bar)
        with ProgressBar(progress) as bar:
            back = _core.backscatter(solution, bar)
    except Error as error:
        raise model._translated(error) from None
    warn_of([model._in_user_terms(text) for text in solution.warnings])
    (t0, dt, t), (p0, dp, p) = steps
    # Theta runs fastest.
    field: Complexes = np.swapaxes(back.reshape(-1, p, t, 2), 1, 2)
    along = field @ np.array([np.cos(np.deg2rad(eta)), np.sin(np.deg2rad(eta))])
    hertz = solution.find("/frequency_hz").reshape(-1, p * t)[:, 0]
    # 4 pi |r E|^2 / |E_0|^2, of an incident field of 1 V/m.
    return CrossSection(hertz, (t0 + dt * np.arange(t)).astype(float),
                        (p0 + dp * np.arange(p)).astype(float),
                        4 * np.pi * (np.abs(field) ** 2).sum(axis=-1), 4 * np.pi * np.abs(along) ** 2)
