#!/usr/bin/env python3
"""radials.py THINWIRE [PICTURE]: the vertical beside this file on buried and elevated radials.

Solves buried_radials.nec with other numbers N of radials, buried 5 cm and elevated 2 m over
two soils, prints a table and draws resistance, radiated power and patterns
(buried_radials.png). Needs matplotlib.
"""
import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DECK = pathlib.Path(__file__).with_name("buried_radials.nec")
SOILS = {"average soil, 13, 0.005 S/m": (13, 0.005), "dry soil, 4, 0.001 S/m": (4, 0.001)}
# name -> where the radials meet, and how many there are.
RADIALS = {"buried 5 cm": (-0.05, [2, 4, 8, 16, 32, 64]), "elevated 2 m": (2, [2, 4, 8, 16])}


def solved(thinwire, z_m, count, soil):
    options = [f"Z={z_m}", f"N={count}", f"EPS={soil[0]}", f"SIGMA={soil[1]}"]
    command = [thinwire, "solve", DECK, "-o", "none", "--json", "--quiet"]
    run = subprocess.run(command + [word for o in options for word in ("--set", o)],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    frequency = json.loads(run.stdout)["frequencies"][0]
    resistance, reactance = frequency["ports"][0]["impedance_ohm"]
    efficiency = frequency["radiated_power_w"] / frequency["input_power_w"]
    return resistance, reactance, efficiency, frequency["patterns"][0]["gain_max_dbi"]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: radials.py THINWIRE [PICTURE]")
    picture = sys.argv[2] if len(sys.argv) > 2 else "buried_radials.png"
    figure, axes = plt.subplots(1, 3, figsize=(12, 4))
    labels = ("R, ohm", "power radiated / power in", "largest gain, dBi")
    for soil, line in zip(SOILS, ("-", "--")):
        for (name, (z_m, counts)), colour in zip(RADIALS.items(), ("C0", "C1")):
            rows = [solved(sys.argv[1], z_m, n, SOILS[soil]) for n in counts]
            values = [[row[i] for row in rows] for i in (0, 2, 3)]
            for axis, value in zip(axes, values):
                axis.plot(counts, value, line + "o", color=colour, markersize=4,
                          label=f"{name}, {soil.split(',')[0]}")
            print(f"{soil}, {name}")
            for n, (r, x, efficiency, gain) in zip(counts, rows):
                print(f"  {n:3} radials  {r:7.2f} {x:+7.2f}j ohm  {efficiency:6.1%}  {gain:6.2f} dBi")
    for axis, label in zip(axes, labels):
        axis.set_ylabel(label)
        axis.set_xlabel("radials")
        axis.set_xscale("log", base=2)
        axis.set_xticks([2, 4, 8, 16, 32, 64], ["2", "4", "8", "16", "32", "64"])
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False, fontsize=8)
    figure.suptitle("A quarter-wave vertical on buried and on elevated radials")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
