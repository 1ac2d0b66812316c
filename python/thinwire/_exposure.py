"""Distances at which fields exceed limits of human exposure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._geometry import Floats, positive
from ._points import point_of

if TYPE_CHECKING:
    from ._result import Result


class Limits(NamedTuple):
    """Electric and magnetic field, rms: V/m and A/m."""

    e: float
    h: float


# Factor and exponent of the frequency in MHz, of E and H up to 30, 400 and 2000 MHz, and the power
# density beyond, W/m^2. ICNIRP, Guidelines for limiting exposure to electromagnetic fields (100 kHz
# to 300 GHz), Health Physics 118 (2020), table 5: whole body, averaged over 30 minutes.
_ICNIRP_2020 = {
    "public": ((300, -0.7, 2.2, -1), (27.7, 0, 0.073, 0), (1.375, 0.5, 0.0037, 0.5), 10),
    "occupational": ((660, -0.7, 4.9, -1), (61, 0, 0.16, 0), (3, 0.5, 0.008, 0.5), 50),
}


def icnirp_2020(frequency: float, who: str = "public") -> Limits:
    """ICNIRP's reference levels of 2020 for the whole body, averaged over 30 minutes.

    Above 2 GHz they are a power density, here as the fields of a plane wave. Below 10 MHz ICNIRP's
    limits of 2010 apply besides.

    Args:
        frequency: Hz, 100 kHz to 300 GHz.
        who: "public" or "occupational".
    """
    if who not in _ICNIRP_2020:
        raise UsageError(f"ICNIRP's limits are for {' or '.join(_ICNIRP_2020)} (got {who!r}).")
    mhz = frequency / 1e6
    if not 0.1 <= mhz <= 300e3:
        raise UsageError(f"ICNIRP's limits of 2020 are for 0.1 MHz to 300 GHz (got {mhz:g} MHz). Give "
                         "limits of your own: (V/m, A/m).")
    *ranges, density = _ICNIRP_2020[who]
    for top, (e, e_power, h, h_power) in zip((30, 400, 2000), ranges, strict=True):
        if mhz <= top:
            return Limits(e * mhz ** e_power, h * mhz ** h_power)
    eta = 376.730313
    return Limits((density * eta) ** 0.5, (density / eta) ** 0.5)


@dataclass(frozen=True)
class Exposure:
    """Where |E| or |H| exceeds its limit: up to which horizontal distance from the vertical axis
    through the antenna's centre.

    Attributes:
        frequency: Hz.
        limits: E and H, rms.
        centre: x and y of the axis, metres.
        heights: z of the contours, metres, [Z].
        azimuth: Degrees from +x towards +y, [A].
        distance: Metres, [Z, A]; 0 where the limits are met everywhere.
    """

    frequency: float
    limits: Limits
    centre: tuple[float, float]
    heights: Floats
    azimuth: Floats
    distance: Floats

    @property
    def contours(self) -> Floats:
        """x, y, z of the contours, metres, [Z, A, 3]."""
        angle = np.deg2rad(self.azimuth)
        x = self.centre[0] + self.distance * np.cos(angle)
        y = self.centre[1] + self.distance * np.sin(angle)
        return np.stack([x, y, np.broadcast_to(self.heights[:, np.newaxis], x.shape)], axis=-1)


def exposure_of(result: Result, power: float, limits: str | tuple[float, float],
                heights: npt.ArrayLike | None, step: float, frequency: float | None,
                index: int | None) -> Exposure:
    power = positive(power, "power", "W")
    at = point_of(result.frequency, frequency, index)
    hertz = float(result.frequency[at])
    if isinstance(limits, str):
        body, _, who = limits.partition("-")
        if body != "icnirp2020":
            raise UsageError("limits must be 'icnirp2020-public', 'icnirp2020-occupational' or "
                             f"(V/m, A/m) (got {limits!r}).")
        limits = icnirp_2020(hertz, who)
    if len(limits) != 2:
        raise UsageError(f"limits must be two numbers, (V/m, A/m) (got {limits!r}).")
    limit = Limits(*(positive(value, "limits", "V/m and A/m, rms") for value in limits))
    fed = float(result.input_power[at])
    if not fed > 0:
        raise UsageError("exposure: no power goes into the antenna. Feed a port.")
    scale = (power / fed / 2) ** 0.5  # to rms values at that power
    ends = np.concatenate([result.segment_starts, result.segment_ends])
    low, high = ends.min(axis=0), ends.max(axis=0)
    centre = (low + high) / 2
    z = np.atleast_1d(np.asarray(centre[2] if heights is None else heights, dtype=float))
    count = round(360 / step) if step > 0 else 0
    if count < 1 or abs(count * step - 360) > 1e-9:
        raise UsageError(f"exposure: step must divide 360 degrees (got {step:g}).")
    azimuth = np.arange(count, dtype=np.float64) * float(step)
    angle = np.deg2rad(azimuth)
    out = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)

    def exceeds(distance: Floats) -> npt.NDArray[np.bool_]:
        """At distances [Z, A, n]."""
        points = distance[..., np.newaxis] * out[:, np.newaxis]
        points = points + np.array([centre[0], centre[1], 0])
        points[..., 2] += z[:, np.newaxis, np.newaxis]
        ratio = np.maximum(*(
            np.linalg.norm(result.near_field(points, magnetic=magnetic, index=at)[0], axis=-1)
            * (scale / level) for magnetic, level in ((False, limit.e), (True, limit.h))))
        inside: npt.NDArray[np.bool_] = ratio > 1
        return inside

    # Far away |E| is at most sqrt(30 P G) / r, twice that over ground.
    size = float(np.linalg.norm(high - low)) + float(np.abs(z - centre[2]).max())
    gain = float(result.pattern(5, 5, index=at).gain.max())
    e = min(limit.e, limit.h * 376.73)
    reach = 2 * (size + 299792458 / hertz / 6 + (30 * power * 10 ** (gain / 10)) ** 0.5 / e)
    shape = (len(z), count, 1)
    while exceeds(np.full(shape, reach)).any():
        reach *= 2
    steps = np.geomspace(1e-3 * min(size, reach), reach, 100)
    inside = exceeds(np.broadcast_to(steps, (len(z), count, len(steps))))
    last = len(steps) - 1 - inside[..., ::-1].argmax(axis=-1)
    low_end, high_end = steps[last], steps[np.minimum(last + 1, len(steps) - 1)]
    for _ in range(20):
        middle = (low_end + high_end) / 2
        is_inside = exceeds(middle[..., np.newaxis])[..., 0]
        low_end, high_end = np.where(is_inside, middle, low_end), np.where(is_inside, high_end, middle)
    distance = np.where(inside.any(axis=-1), high_end, 0.0)
    return Exposure(hertz, limit, (float(centre[0]), float(centre[1])), z, azimuth, distance)
