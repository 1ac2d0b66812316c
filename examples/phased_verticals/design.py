#!/usr/bin/env python3
"""design.py THINWIRE [PICTURE]: line lengths for the two phased verticals beside this file, and what they do.

Takes the impedance matrix of the two verticals, finds the lengths of two lines from one feed that make their currents equal
and 90 degrees apart, solves the deck with these lengths and holds it against the closed form of lines on that matrix. Draws
patterns and the band (phased_verticals.png). Needs h5py, matplotlib, numpy and scipy.
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np
from scipy.optimize import fsolve

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DECK = pathlib.Path(__file__).with_name("phased_verticals.nec")
LINE_OHM = 50
WAVELENGTH_M = 299.792458 / 7.1
WANTED = np.array([-1j, 1])  # the front vertical lags


def solve(thinwire, text, *options):
    """The opened result; closed and removed by the caller's with."""
    folder = tempfile.TemporaryDirectory()
    result = pathlib.Path(folder.name) / "r.h5"
    run = subprocess.run([thinwire, "solve", "-", "-o", str(result), "--quiet", *options], input=text, cwd=folder.name,
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    opened = h5py.File(result)
    opened.folder = folder
    return opened


def without_lines(text):
    kept = [line for line in text.splitlines() if line[:2] not in ("TL", "EX")]
    at = next(i for i, line in enumerate(kept) if line.startswith("FR"))
    return "\n".join(kept[:at] + ["EX 0 1 1 0 1 0", "EX 0 2 1 0 1 0"] + kept[at:]) + "\n"


def feed(matrix, lengths_rad):
    """Impedance at the common end of the lines, and the verticals' currents for one volt there."""
    c, s = np.diag(np.cos(lengths_rad)), np.diag(np.sin(lengths_rad))
    currents = np.linalg.solve(c @ matrix + 1j * LINE_OHM * s, np.ones(2))
    into = (c + 1j / LINE_OHM * s @ matrix) @ currents
    return 1 / into.sum(), currents


def shortest_lines(matrix):
    """The lengths, radians, at which the wanted currents ask for one voltage at the other ends."""
    voltages = matrix @ WANTED

    def mismatch(lengths):
        at_feed = voltages * np.cos(lengths) + 1j * LINE_OHM * WANTED * np.sin(lengths)
        return (at_feed[0] - at_feed[1]).real, (at_feed[0] - at_feed[1]).imag

    found = []
    for start in itertools.product(np.linspace(0.2, 2.9, 10), repeat=2):
        lengths, _, converged, _ = fsolve(mismatch, start, full_output=True)
        if converged == 1 and all(0.05 < length < np.pi for length in lengths):
            found.append(tuple(lengths))
    return np.array(min(found, key=sum))


def draw(picture, mhz, impedance, ratio, patterns):
    figure = plt.figure(figsize=(11, 7), layout="constrained")
    azimuth = figure.add_subplot(2, 2, 1, projection="polar")
    elevation = figure.add_subplot(2, 2, 2)
    for f, (phi, cut, theta, rise) in patterns.items():
        azimuth.plot(np.radians(phi), np.maximum(cut, -30), label=f"{f:g} MHz")
        elevation.plot(theta, np.maximum(rise, -30))
    azimuth.set_ylim(-30, 10)
    azimuth.set_rgrids([-20, -10, 0])
    azimuth.set_title("gain, dBi, 20° above the horizon", fontsize=10)
    azimuth.legend(loc="lower left", bbox_to_anchor=(-0.45, -0.1), fontsize=8, frameon=False)
    elevation.set_xlabel("theta, degrees; front to the right")
    elevation.set_ylabel("gain, dBi")
    currents = figure.add_subplot(2, 2, 3)
    currents.plot(mhz, np.abs(ratio), color="C0")
    currents.set_ylabel("front / back current", color="C0")
    phase = currents.twinx()
    phase.plot(mhz, np.degrees(np.angle(ratio)), color="C1")
    phase.set_ylabel("its phase, degrees", color="C1")
    z = figure.add_subplot(2, 2, 4)
    z.plot(mhz, impedance.real, label="R")
    z.plot(mhz, impedance.imag, "--", label="X")
    z.set_ylabel("impedance at the feed, ohm")
    z.legend(frameon=False)
    for axes in (elevation, currents, z):
        axes.grid(alpha=0.3)
    for axes in (currents, z):
        axes.set_xlabel("MHz")
    figure.suptitle("Two phased verticals")
    figure.savefig(picture, dpi=95)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: design.py THINWIRE [PICTURE]")
    thinwire, text = sys.argv[1], DECK.read_text()
    with solve(thinwire, without_lines(text), "--touchstone", "z") as result:
        mhz = result["frequency_hz"][:] / 1e6
        matrices = result["port/impedance_matrix_ohm"][:]
    matrix = matrices[np.argmin(np.abs(mhz - 7.1))]
    lengths = shortest_lines(matrix)
    front, back = lengths / (2 * np.pi) * WAVELENGTH_M
    driven = matrix @ WANTED / WANTED
    print(f"self impedance {matrix[0, 0]:.2f} ohm, mutual {matrix[0, 1]:.2f} ohm")
    print(f"driven: front {driven[0]:.2f} ohm, back {driven[1]:.2f} ohm")
    print(f"lines of {LINE_OHM} ohm: front {front:.4f} m ({np.degrees(lengths[0]):.2f} degrees), "
          f"back {back:.4f} m ({np.degrees(lengths[1]):.2f} degrees)")
    with solve(thinwire, text, "--set", f"FRONT={front}", "--set", f"BACK={back}") as result:
        at = [list(result["network/tag"][:]).index(tag) for tag in (1, 2)]
        current = result["network/current_a"][:, at]
        impedance = result["port/impedance_ohm"][:, 0]
        patterns = {f: (result["pattern/0/phi_deg"][:], result["pattern/0/gain_dbi"][i, 0, :],
                        result["pattern/1/theta_deg"][:], result["pattern/1/gain_dbi"][i, :, 0])
                    for i, f in enumerate(mhz) if round(f, 3) in (6.94, 7.1, 7.26)}
    ratio = current[:, 0] / current[:, 1]
    worst = 0.0
    print("    MHz   Z at the feed, ohm    front / back current")
    for f, z, m, i in zip(mhz, impedance, matrices, current):
        expected, currents = feed(m, lengths * f / 7.1)
        worst = max(worst, abs(z / expected - 1), np.max(np.abs(i / currents - 1)))
        print(f"{f:7.3f} {z.real:10.2f} {z.imag:+8.2f}j {abs(i[0] / i[1]):10.4f} {np.degrees(np.angle(i[0] / i[1])):+8.2f} degrees")
    print(f"largest difference from the closed form: {worst:.1e}")
    for f, (phi, cut, _, _) in patterns.items():
        print(f"{f:g} MHz, 20 degrees up: {cut[0]:.2f} dBi forward, {cut[len(cut) // 2]:.2f} dBi back")
    draw(sys.argv[2] if len(sys.argv) > 2 else "phased_verticals.png", mhz, impedance, ratio, patterns)


if __name__ == "__main__":
    main()
