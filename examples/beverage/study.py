#!/usr/bin/env python3
"""study.py THINWIRE [PICTURE]: the Beverage antenna beside this file with other terminations and grounds.

Prints impedance, gain and front-to-back ratio against the terminating resistor, and holds the wave along the wire
against the theory of a line over lossy ground; draws both (beverage.png). Needs h5py, matplotlib, numpy and scipy.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np
from scipy.integrate import quad

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DECK = pathlib.Path(__file__).with_name("beverage.nec")
HEIGHT_M, RADIUS_M, FREQUENCY_HZ = 2.5, 0.001, 1.83e6
MU0, EPS0, C = 4e-7 * np.pi, 8.8541878e-12, 299792458.0
OMEGA = 2 * np.pi * FREQUENCY_HZ
TERMINATIONS = [0.001, 100, 200, 300, 350, 400, 450, 500, 550, 600, 700, 800, 1000, 1500, 3000, 1e7]
GROUNDS = {"sea, 81, 5 S/m": (81, 5), "wet soil, 20, 0.03 S/m": (20, 0.03), "average soil, 13, 0.005 S/m": (13, 0.005),
           "dry soil, 4, 0.001 S/m": (4, 0.001)}


class Solved:
    """Impedance, gain (elevation cut, azimuth cut 30 degrees up) and current along the horizontal wire."""

    def __init__(self, thinwire, **symbols):
        with tempfile.TemporaryDirectory() as folder:
            options = [word for name, value in symbols.items() for word in ("--set", f"{name}={value}")]
            result = pathlib.Path(folder) / "r.h5"
            run = subprocess.run([thinwire, "solve", str(DECK), "-o", str(result), "--quiet", *options],
                                 capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(run.stderr)
            with h5py.File(result) as data:
                self.impedance = data["port/impedance_ohm"][0, 0]
                self.theta = data["pattern/0/theta_deg"][:]
                self.elevation = data["pattern/0/gain_dbi"][0, :, 0]
                self.phi = data["pattern/1/phi_deg"][:]
                self.azimuth = data["pattern/1/gain_dbi"][0, 0, :]
                wire = data["mesh/tag"][:] == 2
                self.current = data["current/segment_current_a"][0, wire]
                self.x = (data["mesh/start_m"][wire, 0] + data["mesh/end_m"][wire, 0]) / 2

    @property
    def front_to_back_db(self):
        return self.azimuth[0] - self.azimuth[len(self.azimuth) // 2]

    def propagation(self):
        """gamma, 1/m: whatever runs both ways, I(x - d) + I(x + d) = 2 cosh(gamma d) I(x). Away from the ends."""
        d = 12
        middle = self.current[2 * d:-2 * d]
        both = self.current[d:-3 * d] + self.current[3 * d:-d]
        gamma = np.arccosh(np.vdot(middle, both) / (2 * np.vdot(middle, middle))) / (d * (self.x[1] - self.x[0]))
        return gamma if gamma.real > 0 else -gamma


def line(permittivity, conductivity):
    """gamma, 1/m, and wave impedance, ohm, of a wire low over lossy ground: Carson (1926) with displacement currents for the
    series impedance, Wise (1948) for the shunt admittance."""
    index2 = permittivity - 1j * conductivity / (OMEGA * EPS0)
    k2 = (OMEGA / C) ** 2 * (1 - index2)

    def integral(weight):
        def integrand(u, part):
            return part(np.exp(-2 * HEIGHT_M * u) / (weight * u + np.sqrt(u * u + k2)))
        return sum(unit * quad(integrand, 0, 20 / HEIGHT_M, args=(part,), limit=400)[0]
                   for unit, part in ((1, np.real), (1j, np.imag)))

    log = np.log(2 * HEIGHT_M / RADIUS_M)
    series = 1j * OMEGA * MU0 / (2 * np.pi) * (log + 2 * integral(1))
    shunt = 1j * OMEGA * 2 * np.pi * EPS0 / (log + 2 * integral(index2))
    return np.sqrt(series * shunt), np.sqrt(series / shunt)


def draw(picture, studied, shown):
    figure = plt.figure(figsize=(11, 8), layout="constrained")
    azimuth = figure.add_subplot(2, 2, 1, projection="polar")
    for name, solved in shown.items():
        azimuth.plot(np.radians(solved.phi), np.maximum(solved.azimuth, -45), label=name)
    azimuth.set_ylim(-45, -5)
    azimuth.set_rgrids([-30, -20, -10], angle=90)
    azimuth.set_title("gain, dBi, 30° above the horizon", fontsize=10)
    azimuth.legend(loc="lower left", bbox_to_anchor=(-0.35, -0.1), fontsize=8, frameon=False)
    elevation = figure.add_subplot(2, 2, 2)
    for name, solved in shown.items():
        elevation.plot(90 - np.abs(solved.theta), np.where(solved.theta > 0, solved.elevation, np.nan), label=f"{name}, front")
        elevation.plot(90 - np.abs(solved.theta), np.where(solved.theta < 0, solved.elevation, np.nan), "--",
                       color=elevation.lines[-1].get_color(), label="back")
    elevation.set_ylim(-45, -5)
    elevation.set_xlabel("degrees above the horizon")
    elevation.set_ylabel("gain, dBi")
    elevation.legend(fontsize=7, frameon=False, ncols=3, loc="lower center")
    ratio = figure.add_subplot(2, 2, 3)
    inner = [(r, s) for r, s in studied.items() if 50 < r < 5000]
    ratio.semilogx([r for r, _ in inner], [s.front_to_back_db for _, s in inner], "o-", markersize=3, color="C0")
    ratio.set_ylabel("front-to-back, dB, 30° up", color="C0")
    ratio.set_xlabel("termination, ohm")
    swing = ratio.twinx()
    swing.plot([r for r, _ in inner], [s.impedance.real for _, s in inner], color="C1")
    swing.plot([r for r, _ in inner], [s.impedance.imag for _, s in inner], color="C1", linestyle="--")
    swing.set_ylabel("R and X (dashed) at the feed, ohm", color="C1")
    ratio.set_xticks([100, 200, 500, 1000, 3000], ["100", "200", "500", "1000", "3000"])
    current = figure.add_subplot(2, 2, 4)
    for name, solved in shown.items():
        current.plot(solved.x, 1e3 * np.abs(solved.current), label=name)
    current.set_xlabel("metres from the feed")
    current.set_ylabel("current, mA at 1 V")
    current.legend(fontsize=8, frameon=False)
    for axes in (elevation, ratio, current):
        axes.grid(alpha=0.3)
    figure.suptitle("A Beverage antenna, 160 m long, 2.5 m above average soil, 1.83 MHz")
    figure.savefig(picture, dpi=95)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: study.py THINWIRE [PICTURE]")
    thinwire = sys.argv[1]
    studied = {r: Solved(thinwire, R=r) for r in TERMINATIONS}
    print("termination      Z ohm             gain 30 deg up  front-to-back dB")
    for r, solved in studied.items():
        z = solved.impedance
        print(f"{r:11g} {z.real:8.1f} {z.imag:+8.1f}j {solved.azimuth[0]:14.2f} {solved.front_to_back_db:16.1f}")
    print("\nground: attenuation dB / 100 m, velocity / c, wave impedance")
    for name, (permittivity, conductivity) in GROUNDS.items():
        ground = {"EPS": permittivity, "SIGMA": conductivity}
        theory, impedance = line(permittivity, conductivity)
        # Where neither end is near a resonance, so that the wires down to the ground matter least.
        ends = [Solved(thinwire, R=r, L=143, **ground).impedance for r in (0.001, 1e7)]
        gamma = Solved(thinwire, R=450, **ground).propagation()
        for who, g, z in (("thinwire", gamma, np.sqrt(ends[0] * ends[1])), ("line", theory, impedance)):
            print(f"{name:28} {who:9} {868.589 * g.real:6.3f} {OMEGA / C / g.imag:7.4f} {z.real:7.1f} {z.imag:+6.1f}j")
    draw(sys.argv[2] if len(sys.argv) > 2 else "beverage.png", studied,
         {"450 ohm": studied[450], "short": studied[0.001], "open": studied[1e7]})


if __name__ == "__main__":
    main()
