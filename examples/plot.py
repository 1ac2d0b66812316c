#!/usr/bin/env python3
"""Draws a result of `thinwire solve`: antenna with its currents, impedance, VSWR, patterns.

usage: plot.py RESULT.h5 PICTURE [--z0 OHM] [--view ELEVATION,AZIMUTH]

PICTURE is a .png or .svg file; needs h5py, numpy and matplotlib. Every run and port of the
deck is drawn: as a curve over frequency, or as dots where a run has one frequency. A pattern
is drawn where theta or phi alone varies: a cut, the same cut of several runs in one diagram,
each at its run's last frequency. --z0 is the reference of the VSWR (default: the file's),
--view the direction from which the antenna is seen, in degrees.
"""
import argparse
import sys

try:
    import h5py
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from mpl_toolkits.mplot3d.art3d import Line3DCollection
except ModuleNotFoundError as missing:
    sys.exit(f"plot.py: needs h5py, numpy and matplotlib ({missing}). On Debian and Ubuntu: "
             "sudo apt install python3-h5py python3-matplotlib.")

RANGE_DB = 40  # from the centre of a polar diagram to its rim
MAX_LABELS = 8  # in a legend


def draw_antenna(axes, result, view):
    """The segments in three dimensions, coloured by the magnitude of their current. One tick of
    each axis names it: names beside the ticks would lie over them."""
    start, end = result["mesh/start_m"][:], result["mesh/end_m"][:]
    current = np.abs(result["current/segment_current_a"][-1]) * 1e3
    lines = Line3DCollection(np.stack([start, end], axis=1), cmap="viridis", linewidths=2)
    lines.set_array(current)
    axes.add_collection3d(lines)
    points = np.concatenate([start, end])
    centre = (points.max(axis=0) + points.min(axis=0)) / 2
    half = max(np.ptp(points, axis=0).max() / 2, 1e-9)
    spread = np.maximum(np.ptp(points, axis=0) / 2, 0.2 * half) * 1.05
    axes.set_box_aspect(tuple(spread), zoom=0.85)
    axes.view_init(*view)
    for name, middle, width in zip("xyz", centre, spread):
        getattr(axes, f"set_{name}lim")(middle - width, middle + width)
        ticks = np.array([middle])  # of an axis with hardly any extent
        if width > half / 3:
            locator = plt.MaxNLocator(4 if width > half / 2 else 2, steps=[1, 2, 5, 10])
            ticks = locator.tick_values(middle - width, middle + width)
            ticks = ticks[abs(ticks - middle) <= width]
        texts = [f"{tick:.3g}" for tick in ticks]
        named = 0 if name == "x" else -1
        texts[named] = f"{name} = {texts[named]} m"
        getattr(axes, f"set_{name}ticks")(ticks, texts, ha="right" if name == "x" else "left")
    axes.tick_params(labelsize=7, pad=-1)
    bar = axes.figure.colorbar(lines, ax=axes, shrink=0.7, pad=0.08)
    bar.set_label("current / mA at 1 V" if one_volt(result) else "current / mA")
    tag, segment = result["port/tag"][:], result["port/segment"][:]
    tags = result["mesh/tag"][:]
    for t, s in zip(tag, segment):
        at = np.flatnonzero(tags == t)[s - 1] if t else s - 1
        axes.plot(*((start[at] + end[at]) / 2), "o", color="red", markersize=3)
    axes.set_title("Antenna, feed red", fontsize=10)


def one_volt(result):
    return np.all(np.abs(result["port/voltage_v"][-1] - 1) < 1e-12)


def curves(result):
    """For every run and each port that it feeds: label, frequency in MHz, impedance."""
    run = result["run_index"][:]
    mhz = result["frequency_hz"][:] / 1e6
    z = result["port/impedance_ohm"][:]
    tag, segment = result["port/tag"][:], result["port/segment"][:]
    for r in np.unique(run):
        rows = np.flatnonzero(run == r)
        for port in range(tag.size):
            if np.isnan(z[rows[0], port].real):
                continue  # not fed in this run
            names = [f"run {r}"] if run[-1] > 0 else []
            names += [f"{tag[port]}/{segment[port]}"] if tag.size > 1 else []
            yield ", ".join(names), mhz[rows], z[rows, port]


def draw_over_frequency(axes, mhz, values, **style):
    """A line, or a dot for a single frequency."""
    if mhz.size == 1:
        style.update(marker="o" if style.get("linestyle") != "--" else "x", markersize=4)
    axes.plot(mhz, values, **style)


def draw_legend(axes, extra=()):
    """Of the curves that have a label, the first MAX_LABELS."""
    handles, labels = axes.get_legend_handles_labels()
    left_out = len(labels) - MAX_LABELS
    if left_out > 0:
        labels[MAX_LABELS - 1] += f" and {left_out} more"
    handles = [*extra, *handles[:MAX_LABELS]]
    labels = [*(h.get_label() for h in extra), *labels[:MAX_LABELS]]
    axes.legend(handles, labels, fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))


def draw_impedance(axes, found):
    for i, (label, mhz, z) in enumerate(found):
        draw_over_frequency(axes, mhz, z.real, color=f"C{i}", label=label or None)
        draw_over_frequency(axes, mhz, z.imag, color=f"C{i}", linestyle="--")
    axes.axhline(0, color="grey", linewidth=0.5)
    axes.set_title("Input impedance / ohm", fontsize=10)
    draw_legend(axes, [plt.Line2D([], [], color="black", label="R"),
                       plt.Line2D([], [], color="black", linestyle="--", label="X")])


def draw_vswr(axes, found, z0):
    highest = 1
    for i, (_, mhz, z) in enumerate(found):
        reflection = np.abs((z - z0) / (z + z0))
        vswr = (1 + reflection) / (1 - reflection)
        draw_over_frequency(axes, mhz, vswr, color=f"C{i}")
        highest = max(highest, vswr.max())
    axes.set_ylim(1, min(max(3, 1.1 * highest), 10))
    axes.set_title(f"VSWR at {z0:g} ohm", fontsize=10)


def draw_port_table(axes, result):
    """Where no run has more than one frequency: R and X port by port."""
    run = result["run_index"][:]
    for r, z in zip(run, result["port/impedance_ohm"][:]):
        of_run = f", run {r}" if run[-1] > 0 else ""
        port = np.arange(1, z.size + 1)
        axes.plot(port, z.real, ".", color=f"C{2 * r}", label="R" + of_run)
        axes.plot(port, z.imag, ".", color=f"C{2 * r + 1}", label="X" + of_run)
    axes.set_xlabel("port")
    axes.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
    axes.set_title("Impedance of every port / ohm", fontsize=10)
    draw_legend(axes)


def cuts(result):
    """Every pattern cut at its last frequency, by name: lists of (angle from the top of the
    diagram in degrees, gain, MHz, run). Of sweeps only where there is nothing else."""
    found = {}
    patterns = [result["pattern"][k] for k in sorted(result.get("pattern", {}), key=int)]
    single = [p for p in patterns if p["frequency_hz"].size == 1]
    for pattern in single or patterns:
        theta, phi = pattern["theta_deg"][:], pattern["phi_deg"][:]
        gain = pattern["gain_dbi"][-1]
        more = pattern["frequency_hz"][-1] / 1e6, pattern.attrs["run"]
        if theta.size > 20 and phi.size == 1:
            name = f"elevation, phi = {phi[0]:g}°"
            found.setdefault(name, []).append((theta, gain[:, 0], *more))
        elif phi.size > 20 and theta.size == 1:
            name = f"azimuth, theta = {theta[0]:g}°"
            found.setdefault(name, []).append((phi, gain[0], *more))
    return found


def emptiest(found, lowest):
    """The direction between the diagram's angles in which the curves leave most room."""
    def reach(direction):
        return max(gain[abs((angle - direction + 180) % 360 - 180) <= 10].max(initial=lowest)
                   for angle, gain, _, _ in found)

    return min(np.arange(22.5, 360, 45), key=reach)


def draw_polar(axes, name, found, peak):
    rim = 5 * np.ceil((peak + 0.5) / 5)
    for angle_deg, gain, mhz, run in found:
        axes.plot(np.radians(angle_deg), np.maximum(gain, rim - RANGE_DB),
                  label=f"run {run}, {mhz:g} MHz" if len(found) > 1 else None)
    if name.startswith("elevation"):
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
    axes.set_ylim(rim - RANGE_DB, rim)
    axes.set_rgrids(10 * np.arange(np.ceil((rim - RANGE_DB) / 10 + 1), rim / 10 + 0.01),
                    angle=emptiest(found, rim - RANGE_DB))
    axes.tick_params(labelsize=7)
    at = f"{found[0][2]:g} MHz, at most" if len(found) == 1 else "at most"
    most = max(gain.max() for _, gain, _, _ in found)
    axes.set_title(f"Gain / dBi, {name}\n{at} {most:.2f} dBi", fontsize=9)
    if len(found) > 1:
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[:MAX_LABELS], labels[:MAX_LABELS], fontsize=7,
                    loc="lower left", bbox_to_anchor=(0.95, 0))


def picture(result, z0=None, view=(20, -60)):
    """The figure of an opened result."""
    found = cuts(result)
    columns = max(6, 3 * len(found))
    figure = plt.figure(figsize=(11 * columns / 6, 7.5), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.1, w_pad=0.1)
    grid = figure.add_gridspec(2, columns, height_ratios=(1.15, 1))
    half = columns // 2
    draw_antenna(figure.add_subplot(grid[0, :half], projection="3d"), result, view)

    peak = max((gain.max() for cut in found.values() for _, gain, _, _ in cut), default=0)
    for i, (name, cut) in enumerate(found.items()):
        place = figure.add_subplot(grid[1, 3 * i:3 * i + 3], projection="polar")
        draw_polar(place, name, cut, peak)

    swept = list(curves(result))
    if all(mhz.size == 1 for _, mhz, _ in swept):
        draw_port_table(figure.add_subplot(grid[0, half:]), result)
    else:
        inner = grid[0, half:].subgridspec(2, 1)
        above = figure.add_subplot(inner[0])
        below = figure.add_subplot(inner[1], sharex=above)
        draw_impedance(above, swept)
        draw_vswr(below, swept, z0 or result["port"].attrs.get("reference_impedance_ohm", 50))
        below.set_xlabel("frequency / MHz")
        for axes in (above, below):
            axes.grid(alpha=0.3)
            axes.xaxis.set_major_locator(plt.MaxNLocator(6))
    deck = result["input/deck"].attrs["file_name"]
    figure.suptitle(deck.decode() if isinstance(deck, bytes) else deck, fontsize=12)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result")
    parser.add_argument("picture")
    parser.add_argument("--z0", type=float)
    parser.add_argument("--view", default="20,-60")
    arguments = parser.parse_args()
    view = [float(angle) for angle in arguments.view.split(",")]
    with h5py.File(arguments.result) as result:
        picture(result, arguments.z0, view).savefig(arguments.picture, dpi=85)


if __name__ == "__main__":
    main()
