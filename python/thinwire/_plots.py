"""Pictures by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._counted import counted
from ._errors import UsageError
from ._geometry import Complexes, Floats
from ._optional import need
from ._points import place_text

if TYPE_CHECKING:
    from ._pattern import Cut, Pattern, Scale
    from ._result import Result

# From the centre of a diagram in dB to its rim.
_RANGE_DB = 40


def _axes(ax: Any, what: str, **subplot: Any) -> Any:
    if ax is not None:
        return ax
    return need("matplotlib.pyplot", what).figure(layout="constrained").add_subplot(**subplot)


def _over_frequency(result: Result, ax: Any, what: str) -> tuple[Any, Floats]:
    axes = _axes(ax, what)
    axes.set_xlabel("frequency / MHz")
    axes.grid(alpha=0.4)
    return axes, result.frequency / 1e6


def _port_label(result: Result, text: str, port: str) -> str:
    return text if len(result.ports) == 1 else f"{text}, port {port}"


def _need_ports(result: Result, what: str) -> None:
    if not result.ports:
        raise UsageError(f"{what}: the result has no ports, and so no impedances. Look at "
                         "plot_3d() or patterns.")


def plot_z(result: Result, ax: Any) -> Any:
    """Result.plot_z()."""
    _need_ports(result, "plot_z")
    axes, mhz = _over_frequency(result, ax, "plot_z")
    for port, z in zip(result.ports, result.z.T, strict=True):
        line, = axes.plot(mhz, z.real, ".-", label=_port_label(result, "R", port))
        axes.plot(mhz, z.imag, ".--", color=line.get_color(), label=_port_label(result, "X", port))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_ylabel("impedance / Ω")
    axes.legend()
    return axes


def plot_vswr(result: Result, z0: float | None, ax: Any) -> Any:
    """Result.plot_vswr()."""
    _need_ports(result, "plot_vswr")
    axes, mhz = _over_frequency(result, ax, "plot_vswr")
    ratios = result.vswr(z0)
    for port, ratio in zip(result.ports, ratios.T, strict=True):
        axes.plot(mhz, ratio, ".-", label=f"port {port}")
    axes.set_ylabel(f"VSWR at {z0 or result.z0:g} Ω")
    known = ratios[np.isfinite(ratios)]
    # Room for what can be used; of what cannot, the best.
    top = max(3.0, min(10.0, 1.05 * known.max()), 1.5 * known.min()) if known.size else 3.0
    axes.set_ylim(1, top)
    if len(result.ports) > 1:
        axes.legend()
    return axes


def _draw_smith_grid(axes: Any) -> None:
    angle = np.linspace(0, 2 * np.pi, 181)
    grey = {"color": "0.75", "linewidth": 0.7, "zorder": 0}
    for r in (0.2, 0.5, 1, 2, 5):
        centre, radius = r / (1 + r), 1 / (1 + r)
        axes.plot(centre + radius * np.cos(angle), radius * np.sin(angle), **grey)
        axes.annotate(f"{r:g}", (centre - radius, 0), fontsize=7, color="0.4", ha="right")
    resistance = np.concatenate([[0], np.geomspace(1e-3, 1e3, 300)])
    for x in (0.2, 0.5, 1, 2, 5):
        gamma = (resistance + 1j * x - 1) / (resistance + 1j * x + 1)
        for sign in (1, -1):
            axes.plot(gamma.real, sign * gamma.imag, **grey)
            axes.annotate(f"{sign * x:+g}j", (1.07 * gamma[0].real, sign * 1.07 * gamma[0].imag),
                          fontsize=7, color="0.4", ha="center", va="center")
    axes.plot([-1, 1], [0, 0], **grey)
    axes.plot(np.cos(angle), np.sin(angle), color="0.4", linewidth=1, zorder=0)


def plot_smith(result: Result, z0: float | None, ax: Any) -> Any:
    """Result.plot_smith()."""
    _need_ports(result, "plot_smith")
    axes = _axes(ax, "plot_smith")
    _draw_smith_grid(axes)
    mhz = result.frequency / 1e6
    for port, gamma in zip(result.ports, result.reflection(z0).T, strict=True):
        line, = axes.plot(gamma.real, gamma.imag, ".-", markersize=4, label=f"port {port}")
        for i in {0, len(mhz) - 1}:
            # The lower frequency below, the higher above: a loop ends where it begins.
            axes.annotate(f"{mhz[i]:g} MHz", (gamma[i].real, gamma[i].imag), fontsize=8,
                          color=line.get_color(), xytext=(6, 12 if i else -18),
                          textcoords="offset points",
                          bbox={"boxstyle": "round,pad=0.1", "color": "white", "alpha": 0.8})
    axes.set_aspect("equal")
    axes.set_xlim(-1.2, 1.2)
    axes.set_ylim(-1.2, 1.2)
    axes.set_axis_off()
    axes.set_title(f"Smith chart, {z0 or result.z0:g} Ω")
    if len(result.ports) > 1:
        axes.legend()
    return axes


def _radius(below_peak_db: npt.NDArray[Any], scale: Scale) -> Floats:
    """Of a polar diagram, 1 at its rim: what gains in dB relative to the peak are drawn at."""
    if scale == "arrl":
        return np.asarray(0.89 ** (-below_peak_db / 2))
    if scale == "linear":
        return np.asarray(10 ** (below_peak_db / 20))
    return np.maximum(1 + below_peak_db / _RANGE_DB, 0)


def _emptiest(angles: Floats, radius: Floats) -> float:
    """The direction in the upper half, between the grid's, in which a curve of a polar diagram
    leaves most room for labels."""
    return min((15.0, 45.0, 75.0, 105.0, 135.0, 165.0), key=lambda angle: float(
        radius[np.abs(angles - angle) <= max(10, np.abs(angles - angle).min())].max()))


def plot_polar(pattern: Pattern, scale: Scale, cut: Cut | None, index: int, ax: Any) -> Any:
    """Pattern.plot_polar()."""
    if scale not in ("arrl", "linear", "db"):
        raise UsageError(f"scale must be 'arrl', 'linear' or 'db' (got {scale!r}).")
    if cut not in (None, "azimuth", "elevation"):
        raise UsageError(f"cut must be 'azimuth' or 'elevation' (got {cut!r}).")
    kind: Cut = cut or ("azimuth" if len(pattern.phi) > 1 else "elevation")
    axes = _axes(ax, "plot_polar", projection="polar")
    peak, theta, phi = pattern.peak_at(index=index)
    if abs(np.sin(np.deg2rad(theta))) < 1e-6:  # in all planes: the first
        phi = pattern.phi[0]
    angles, gain = pattern.cut(kind, index=index, phi=phi)
    radius = _radius(gain - peak, scale)
    line, = axes.plot(np.deg2rad(angles), radius)
    if np.ptp(angles) > 350:
        axes.fill(np.deg2rad(angles), radius, color=line.get_color(), alpha=0.12, linewidth=0)
    rings = np.array([0, -3, -10, -20, -30] if scale != "linear" else [0, -3, -6, -10, -20])
    axes.set_rmax(1)
    axes.set_thetagrids(np.arange(0, 360, 30), fontsize=9)
    if angles.min() > -1 and angles.max() < 181:
        axes.set_thetamin(0)
        axes.set_thetamax(180)
    # Rings near the centre are too small for a name.
    axes.set_rgrids(_radius(rings, scale), [f"{db}" if r > 0.2 else "" for db, r in
                                            zip(rings, _radius(rings, scale), strict=True)],
                    fontsize=7, color="0.3", angle=_emptiest(angles, radius))
    axes.grid(color="0.85", linewidth=0.7)
    axes.spines["polar"].set_color("0.5")
    place = place_text(pattern.frequency[index], pattern.waves[index])
    plane = f"theta {theta:g}°" if kind == "azimuth" else f"elevation at phi {phi:g}°"
    axes.set_title(f"{place}, {plane}\n0 dB = {peak:.2f} {pattern._unit(index)}", fontsize=10)
    return axes


def _circuit_nodes(starts: Floats, ends: Floats, wavelength_m: float) -> npt.NDArray[np.bool_]:
    """True for segments that are joined to none and too short to radiate: decks put them
    anywhere, often far away, for networks to meet at."""
    _, joint, count = np.unique(np.round(np.concatenate([starts, ends]) / wavelength_m, 9), axis=0,
                                return_inverse=True, return_counts=True)
    alone: npt.NDArray[np.bool_] = (count[joint.reshape(2, -1)] == 1).all(axis=0)
    short: npt.NDArray[np.bool_] = np.linalg.norm(ends - starts, axis=1) < 1e-3 * wavelength_m
    return alone & short


def _set_space(axes: Any, points: Floats) -> None:
    """Axes of equal scale around points, [n, 3]. One tick of each axis names it: names beside the
    ticks would lie over them or over the colour bar."""
    ticker = need("matplotlib.ticker", "plot_3d")
    centre = (points.max(axis=0) + points.min(axis=0)) / 2
    half = max(float(np.ptp(points, axis=0).max()) / 2, 1e-9)
    spread = np.maximum(np.ptp(points, axis=0) / 2, 0.2 * half) * 1.05
    for name, c, s in zip("xyz", centre, spread, strict=True):
        getattr(axes, f"set_{name}lim")(c - s, c + s)
        ticks = np.array([c])  # of an axis with hardly any extent
        if s > half / 3:
            ticks = ticker.MaxNLocator(4 if s > half / 2 else 2).tick_values(c - s, c + s)
            ticks = ticks[abs(ticks - c) <= s]
        texts = [f"{tick:.3g}" for tick in ticks]
        named = 0 if name == "x" else -1
        texts[named] = f"{name} = {texts[named]} m"
        getattr(axes, f"set_{name}ticks")(ticks, texts, ha="right" if name == "x" else "left")
    axes.set_box_aspect(tuple(spread), zoom=0.85)
    axes.tick_params(labelsize=7)


def plot_antenna(result: Result, index: int, ax: Any) -> Any:
    """Result.plot_3d()."""
    axes = _axes(ax, "plot_3d", projection="3d")
    lines = need("mpl_toolkits.mplot3d.art3d", "plot_3d").Line3DCollection
    start, end = result.segment_starts, result.segment_ends
    nodes = _circuit_nodes(start, end, 299792458.0 / float(result.frequency[index]))
    drawn = ~nodes | nodes.all()
    wires = lines(np.stack([start, end], axis=1)[drawn], cmap="viridis", linewidths=2)
    current: Complexes = result.currents[index]
    wires.set_array(np.abs(current[drawn]) * 1e3)
    wires.set_clim(0)
    axes.add_collection3d(wires)
    _set_space(axes, np.concatenate([start[drawn], end[drawn]]))
    tags, marked = result.segment_tags, False
    for port in result.ports:
        tag, number = map(int, port.split("/"))
        at = (np.flatnonzero(tags == tag) if tag else np.arange(len(tags)))[number - 1]
        if drawn[at]:
            axes.plot(*((start[at] + end[at]) / 2), "o", color="red", markersize=4)
            marked = True
    axes.figure.colorbar(wires, ax=axes, shrink=0.6, pad=0.08, label="current / mA, peak")
    place = place_text(result.frequency[index], result.waves[index])
    axes.set_title(f"{place}, ports red" if marked else place, fontsize=10)
    return axes


def plot_model(problem: _core.Problem, ax: Any) -> Any:
    """Model.plot_3d()."""
    axes = _axes(ax, "plot_3d", projection="3d")
    lines = need("mpl_toolkits.mplot3d.art3d", "plot_3d").Line3DCollection
    start, end = problem.start_m, problem.end_m
    tags, number = np.unique(problem.tag, return_inverse=True)
    axes.add_collection3d(lines(np.stack([start, end], axis=1), linewidths=2,
                                colors=[f"C{n % 10}" for n in number]))
    points = np.concatenate([start, end])
    for at in problem.port_segments:
        axes.plot(*((start[at] + end[at]) / 2), "o", color="red", markersize=4)
    if problem.has_ground:
        low, high = points.min(axis=0), points.max(axis=0)
        x, y = np.meshgrid([low[0], high[0]], [low[1], high[1]])
        axes.plot_surface(x, y, 0 * x, color="tan", alpha=0.3)
        points = np.concatenate([points, [[low[0], low[1], 0]]])
    _set_space(axes, points)
    axes.set_title(counted(len(tags), "tag") + (", ports red" if problem.port_segments else ""),
                   fontsize=10)
    return axes


def plot_surface(pattern: Pattern, index: int, ax: Any) -> Any:
    """Pattern.plot_3d()."""
    axes = _axes(ax, "plot_3d", projection="3d")
    gain = pattern.gain[index]
    peak = pattern.peak_at(index=index).gain
    radius = _radius(gain - peak, "db")
    theta, phi = np.meshgrid(np.deg2rad(pattern.theta), np.deg2rad(pattern.phi), indexing="ij")
    points = [radius * np.sin(theta) * np.cos(phi), radius * np.sin(theta) * np.sin(phi),
              radius * np.cos(theta)]
    colours = need("matplotlib", "plot_3d").colormaps["viridis"]
    faces = (radius[1:, 1:] + radius[1:, :-1] + radius[:-1, 1:] + radius[:-1, :-1]) / 4
    axes.plot_surface(*points, facecolors=colours(faces), rstride=1, cstride=1, linewidth=0,
                      antialiased=False, shade=False)
    _set_space(axes, np.stack([p.ravel() for p in points], axis=1))
    axes.set_axis_off()
    unit = pattern._unit(index)
    scale = need("matplotlib.cm", "plot_3d").ScalarMappable(cmap="viridis")
    scale.set_clim(peak - _RANGE_DB, peak)
    label = f"{'gain' if unit == 'dBi' else 'cross section'} / {unit}"
    axes.figure.colorbar(scale, ax=axes, shrink=0.6, label=label)
    place = place_text(pattern.frequency[index], pattern.waves[index])
    axes.set_title(f"{place}, {peak:.2f} {unit}", fontsize=10)
    return axes
