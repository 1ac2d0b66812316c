"""Far fields."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ._counted import counted
from ._geometry import Complexes, Floats
from ._optional import need
from ._points import point_of
from ._tables import html_table

Scale: TypeAlias = Literal["arrl", "linear", "db"]
Cut: TypeAlias = Literal["azimuth", "elevation"]


class Peak(NamedTuple):
    """The direction of most gain: dBi (of an incident wave dB of λ²), and degrees."""

    gain: float
    theta: float
    phi: float


class Pattern:
    """The far field on a grid of directions at F points: frequencies, and of each the incident
    waves and runs. Where a frequency has several points, `index` chooses one of them.

    Attributes:
        frequency: Hz, [F].
        index: Of these among the result's frequencies.
        waves: Theta and phi that the incident wave comes from, degrees, [F, 2]; NaN without one.
        theta: Degrees from +z, [T].
        phi: Degrees from +x towards +y, [A].
        e_theta, e_phi: r E exp(+j k r), volt, peak, [F, T, A].
        gain: dBi, [F, T, A]; -999.99 where nothing is radiated. Of an incident wave 10 log10 of
            the scattering cross section over the wavelength squared.
        average_gain: Of the whole sphere, or the half above ground, 1 without losses: a check
            of the solution, [F]; NaN where the grid does not cover it.
    """

    def __init__(self, arrays: dict[str, Any], frequency: Floats, waves: Floats,
                 index: list[int]) -> None:
        self.frequency, self.waves = frequency[index], waves[index]
        self.index = index
        self.theta, self.phi = arrays["theta_deg"], arrays["phi_deg"]
        self.e_theta: Complexes = arrays["e_theta_v"]
        self.e_phi: Complexes = arrays["e_phi_v"]
        self.gain, self.average_gain = arrays["gain_dbi"], arrays["average_gain"]

    def _unit(self, index: int) -> str:
        return "dBi" if np.isnan(self.waves[index, 0]) else "dB of λ²"

    def peak_at(self, frequency: float | None = None, *, index: int | None = None) -> Peak:
        """The most gain at one point.

        Args:
            frequency: Hz, the nearest one (default: the middle).
            index: Or the point itself, from 0 to F - 1.

        Raises UsageError where several points have that frequency and there is no index.
        """
        gain = self.gain[point_of(self.frequency, frequency, index)]
        # The first of those that differ by rounding, as all azimuths at a pole do.
        t, p = np.unravel_index((gain >= gain.max() - 1e-9).argmax(), gain.shape)
        return Peak(float(gain[t, p]), float(self.theta[t]), float(self.phi[p]))

    @property
    def peak(self) -> Peak:
        """The most gain at the middle frequency: `gain, theta, phi = p.peak`. Raises UsageError
        where that has several points: peak_at(index=...) then."""
        return self.peak_at()

    def cut(self, kind: Cut, frequency: float | None = None, *, index: int | None = None,
            phi: float | None = None) -> tuple[Floats, Floats]:
        """A plane through the peak: angles in degrees, ascending, and gain as `gain` has it.

        Args:
            kind: "azimuth": around the z axis, angles phi. "elevation": from the horizon in the
                peak's direction (0) over the zenith (90) to the other side (180) and below.
            frequency, index: The point, as peak_at() has it.
            phi: Of an elevation cut, degrees, the nearest one (default: the peak's).
        """
        index = point_of(self.frequency, frequency, index)
        peak = self.peak_at(index=index)
        theta, phi = peak.theta, peak.phi if phi is None else phi
        if kind == "azimuth":
            return self.phi, self.gain[index, np.abs(self.theta - theta).argmin()]
        away = np.abs((self.phi - phi - 180 + 180) % 360 - 180)
        front = self.gain[index, :, np.abs(self.phi - phi).argmin()]
        angles, gain = 90 - self.theta, front
        if away.min() < 1e-6:
            angles = np.concatenate([angles, 90 + self.theta])
            gain = np.concatenate([gain, self.gain[index, :, away.argmin()]])
        order = np.argsort(angles, kind="stable")
        return angles[order], gain[order]

    @property
    def dataset(self) -> Any:
        """As an xarray.Dataset. Raises MissingPackage."""
        from ._dataset import pattern_variables

        xarray = need("xarray", "dataset")
        coordinates: dict[str, Any] = {"frequency": ("frequency", self.frequency, {"units": "Hz"})}
        return xarray.Dataset(*pattern_variables(self, coordinates, ""))

    def plot_polar(self, scale: Scale = "arrl", *, cut: Cut | None = None,
                   frequency: float | None = None, index: int | None = None,
                   ax: Any = None) -> Any:
        """A cut through the peak as a polar diagram.

        Args:
            scale: "arrl", the ARRL's logarithmic scale, "linear" in field strength, or "db".
            cut: "azimuth" or "elevation" (default: azimuth, where there are several phi).
            frequency, index: The point, as peak_at() has it.
            ax: Polar axes of matplotlib to draw into.

        Returns the axes.
        """
        from ._plots import plot_polar

        return plot_polar(self, scale, cut, point_of(self.frequency, frequency, index), ax)

    def plot_3d(self, *, frequency: float | None = None, index: int | None = None,
                ax: Any = None) -> Any:
        """The gain as a surface, 40 dB from centre to peak, at a point as peak_at() has it.
        Returns matplotlib's axes."""
        from ._plots import plot_surface

        return plot_surface(self, point_of(self.frequency, frequency, index), ax)

    def _repr_html_(self) -> str:
        """A table of the peaks, for notebooks."""
        rows = []
        for i, f in enumerate(self.frequency):
            gain, theta, phi = self.peak_at(index=i)
            rows.append([f"{f / 1e6:g}", f"{gain:.2f} {self._unit(i)}", f"{theta:g}", f"{phi:g}",
                         f"{self.average_gain[i]:.4g}"])
        return html_table(self, ["MHz", "greatest gain", "θ / °", "φ / °", "average gain"], rows)

    def __repr__(self) -> str:
        middle = len(self.frequency) // 2
        gain, theta, phi = self.peak_at(index=middle)
        return (f"<Pattern: {counted(len(self.frequency), 'frequency')}, {len(self.theta)} x "
                f"{len(self.phi)} directions, {gain:.2f} {self._unit(middle)} at theta {theta:g}, "
                f"phi {phi:g}>")
