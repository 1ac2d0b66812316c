#!/usr/bin/env python3
"""Draws a result of `thinwire solve`: antenna with its currents, impedance, VSWR, patterns.

usage: plot.py RESULT.h5 PICTURE [--z0 OHM] [--view ELEVATION,AZIMUTH]

PICTURE is a .png or .svg file; needs h5py, numpy and matplotlib. A pattern is drawn where
theta or phi alone varies: a cut. --z0 is the reference of the VSWR (default: the file's),
--view the direction from which the antenna is seen, in degrees.
"""
import argparse

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection

RANGE_DB = 40  # from the centre of a polar diagram to its rim


def draw_antenna(axes, result, view):
    """The segments in three dimensions, coloured by the magnitude of their current."""
    start, end = result["mesh/start_m"][:], result["mesh/end_m"][:]
    current = np.abs(result["current/segment_current_a"][-1]) * 1e3
    lines = Line3DCollection(np.stack([start, end], axis=1), cmap="viridis", linewidths=2)
    lines.set_array(current)
    axes.add_collection3d(lines)
    points = np.concatenate([start, end])
    centre = (points.max(axis=0) + points.min(axis=0)) / 2
    half = max(np.ptp(points, axis=0).max() / 2, 1e-9)
    spread = np.maximum(np.ptp(points, axis=0) / 2, 0.2 * half) * 1.05
    axes.set_xlim(centre[0] - spread[0], centre[0] + spread[0])
    axes.set_ylim(centre[1] - spread[1], centre[1] + spread[1])
    axes.set_zlim(centre[2] - spread[2], centre[2] + spread[2])
    axes.set_box_aspect(tuple(spread), zoom=0.92)
    axes.view_init(*view)
    for name, width in zip("xyz", spread):
        getattr(axes, f"set_{name}label")(name, labelpad=0)
        ticks = plt.MaxNLocator(5, steps=[1, 2, 5, 10])
        thin = plt.FixedLocator([centre["xyz".index(name)]])
        getattr(axes, f"{name}axis").set_major_locator(thin if width < half / 3 else ticks)
    axes.tick_params(labelsize=7, pad=-1)
    bar = axes.figure.colorbar(lines, ax=axes, shrink=0.6, pad=0.12)
    bar.set_label("segment current / mA at 1 V" if one_volt(result) else "current / mA")
    tag, segment = result["port/tag"][:], result["port/segment"][:]
    tags = result["mesh/tag"][:]
    for t, s in zip(tag, segment):
        at = np.flatnonzero(tags == t)[s - 1] if t else s - 1
        axes.plot(*((start[at] + end[at]) / 2), "o", color="red", markersize=3)
    axes.set_title("Antenna in metres, feed red", fontsize=10)


def one_volt(result):
    return np.all(np.abs(result["port/voltage_v"][-1] - 1) < 1e-12)


def longest_sweep(result):
    """Row numbers of the run with the most frequencies."""
    run = result["run_index"][:]
    numbers, counts = np.unique(run, return_counts=True)
    return np.flatnonzero(run == numbers[counts.argmax()])


def draw_impedance(axes, frequency_mhz, z):
    axes.plot(frequency_mhz, z.real, label="R")
    axes.plot(frequency_mhz, z.imag, label="X")
    axes.axhline(0, color="grey", linewidth=0.5)
    axes.set_ylabel("impedance / ohm")
    axes.set_title("Input impedance", fontsize=10)
    axes.legend()


def draw_vswr(axes, frequency_mhz, z, z0):
    reflection = np.abs((z - z0) / (z + z0))
    vswr = (1 + reflection) / (1 - reflection)
    axes.plot(frequency_mhz, vswr)
    axes.set_ylim(1, min(max(3, 1.1 * vswr.max()), 10))
    axes.set_ylabel(f"VSWR at {z0:g} ohm")
    axes.set_title("VSWR", fontsize=10)


def draw_port_table(axes, z):
    """For a single frequency: R and X port by port."""
    axes.plot(np.arange(1, z.size + 1), z.real, ".", label="R")
    axes.plot(np.arange(1, z.size + 1), z.imag, ".", label="X")
    axes.set_xlabel("port")
    axes.set_ylabel("impedance / ohm")
    axes.set_title("Impedance of every port", fontsize=10)
    axes.legend()


def cuts(result):
    """Name, angle from the top of the diagram (degrees) and gain of every pattern cut of
    the last frequency."""
    for k in sorted(result.get("pattern", {}), key=int):
        pattern = result["pattern"][k]
        theta, phi = pattern["theta_deg"][:], pattern["phi_deg"][:]
        gain = pattern["gain_dbi"][-1]
        if theta.size > 20 and phi.size == 1:
            yield f"elevation, phi = {phi[0]:g}°", theta, gain[:, 0], pattern
        elif phi.size > 20 and theta.size == 1:
            yield f"azimuth, theta = {theta[0]:g}°", phi, gain[0], pattern


def draw_polar(axes, cut, peak):
    name, angle_deg, gain, pattern = cut
    rim = 3 * np.ceil((peak + 0.5) / 3)
    axes.plot(np.radians(angle_deg), np.maximum(gain, rim - RANGE_DB))
    if name.startswith("elevation"):
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
    axes.set_ylim(rim - RANGE_DB, rim)
    axes.set_yticks(np.arange(rim - RANGE_DB + 10, rim + 1, 10))
    axes.tick_params(labelsize=7)
    mhz = pattern["frequency_hz"][-1] / 1e6
    axes.set_title(f"Gain / dBi, {name}\n{mhz:g} MHz, at most {gain.max():.2f} dBi",
                   fontsize=9)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("result")
    parser.add_argument("picture")
    parser.add_argument("--z0", type=float)
    parser.add_argument("--view", default="20,-60")
    arguments = parser.parse_args()

    with h5py.File(arguments.result) as result:
        figure = plt.figure(figsize=(11, 7), layout="constrained")
        grid = figure.add_gridspec(2, 6)
        view = [float(angle) for angle in arguments.view.split(",")]
        antenna = figure.add_subplot(grid[0, :3], projection="3d")
        draw_antenna(antenna, result, view)

        found = [c for c in cuts(result) if c[3]["frequency_hz"].size == 1][:2]
        peak = max((c[2].max() for c in found), default=0)
        for i, cut in enumerate(found):
            place = figure.add_subplot(grid[1, 3 * i:3 * i + 3], projection="polar")
            draw_polar(place, cut, peak)

        rows = longest_sweep(result)
        z = result["port/impedance_ohm"][:][rows]
        if rows.size == 1:
            draw_port_table(figure.add_subplot(grid[0, 3:]), z[0])
        else:
            mhz = result["frequency_hz"][:][rows] / 1e6
            inner = grid[0, 3:].subgridspec(2, 1)
            above = figure.add_subplot(inner[0])
            below = figure.add_subplot(inner[1], sharex=above)
            draw_impedance(above, mhz, z[:, 0])
            z0 = arguments.z0 or result["port"].attrs.get("reference_impedance_ohm", 50)
            draw_vswr(below, mhz, z[:, 0], z0)
            below.set_xlabel("frequency / MHz")
            for axes in (above, below):
                axes.grid(alpha=0.3)
        deck = result["input/deck"].attrs["file_name"]
        deck = deck.decode() if isinstance(deck, bytes) else deck
        figure.suptitle(deck, fontsize=12)
        figure.savefig(arguments.picture, dpi=85)


if __name__ == "__main__":
    main()
