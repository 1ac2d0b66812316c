"""Noise temperatures of antennas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ._errors import UsageError
from ._geometry import Floats
from ._source import FileSource

if TYPE_CHECKING:
    from ._result import Result

Sky: TypeAlias = float | Literal["galactic"] | Callable[[Floats, Floats], Floats]


def _sky_at(sky: Sky, frequency: float, theta: Floats, phi: Floats) -> Floats:
    if callable(sky):
        return np.broadcast_to(sky(theta, phi), np.broadcast(theta, phi).shape)
    if sky == "galactic":
        # ITU-R P.372: Fam = 52 - 23 log10(f / MHz), above the cosmic background.
        kelvin = 290 * 10 ** (5.2 - 2.3 * np.log10(frequency / 1e6)) + 2.7
    else:
        kelvin = float(sky)
    return np.full(np.broadcast(theta, phi).shape, kelvin)


def temperature_of(result: Result, sky: Sky, ground: float, physical: float) -> Floats:
    if isinstance(sky, str) and sky != "galactic":
        raise UsageError(f"sky must be kelvin, 'galactic' or a function of theta and phi (got {sky!r}).")
    if not np.isnan(result.waves).all():
        raise UsageError("antenna_temperature: the antenna receives a wave. Feed a port.")
    patterns = ([result.pattern(1, 1)] if not isinstance(result._source, FileSource)
                else [p for p in result.patterns if not np.isnan(p.average_gain).all()])
    if not patterns:
        raise UsageError("antenna_temperature: the file holds no pattern in all directions. Solve "
                         "with `thinwire solve --pattern 1`.")
    pattern = patterns[0]
    theta, phi = np.deg2rad(pattern.theta), np.deg2rad(pattern.phi)
    # Solid angles around the directions; the first and the last azimuth are the same.
    half = (theta[1] - theta[0]) / 2
    bands = np.cos(np.clip(theta - half, 0, np.pi)) - np.cos(np.clip(theta + half, 0, theta[-1]))
    turns = np.full(len(phi), phi[1] - phi[0])
    if abs(phi[-1] - phi[0] - 2 * np.pi) < 1e-9:
        turns[[0, -1]] /= 2
    solid = bands[:, np.newaxis] * turns
    # Directions on the horizon are half in the sky, unless the pattern ends there.
    above = (theta < np.pi / 2 - 1e-9) + 0.5 * (np.abs(theta - np.pi / 2) <= 1e-9)
    if theta[-1] < np.pi / 2 + 1e-9:
        above[-1] = 1
    of_sky = solid * above[:, np.newaxis]
    kelvin = np.empty(len(pattern.frequency))
    for i, f in enumerate(pattern.frequency):
        gain = 10 ** (pattern.gain[i] / 10)
        seen = gain * of_sky / (4 * np.pi)
        at = pattern.index[i]
        lost = float(result.loss_power[at] / result.input_power[at])
        brightness = _sky_at(sky, f, pattern.theta[:, np.newaxis], pattern.phi)
        # By reciprocity the ground is seen by what neither the sky nor the antenna's losses get.
        kelvin[i] = ((seen * brightness).sum() + lost * physical
                     + max(0.0, 1 - float(seen.sum()) - lost) * ground)
    return kelvin
