#!/usr/bin/env python3
"""sweep.py THINWIRE [PICTURE]: the dipole beside this file at many heights over four grounds.

Solves dipole_height.nec with other values of H, EPS and SIGMA, prints a table and draws
impedance, efficiency and gain against height (dipole_height.png). Needs matplotlib.
"""
import json
import pathlib
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DECK = pathlib.Path(__file__).with_name("dipole_height.nec")
WAVELENGTH_M = 299.792458 / 14.1
# name -> EPS, SIGMA; perfect ground is another card.
GROUNDS = {"sea, 81, 5 S/m": (81, 5), "average soil, 13, 0.005 S/m": (13, 0.005),
           "dry soil, 4, 0.001 S/m": (4, 0.001), "perfect": None}
# In wavelengths: even on a logarithmic scale, then even.
HEIGHTS = [0.02 * 1.08**i for i in range(35)] + [0.3 + 0.025 * i for i in range(49)]


def solved(thinwire, height_m, ground):
    text = DECK.read_text()
    options = ["--set", f"H={height_m}"]
    if ground is None:
        text = text.replace("GN 2 0 0 0 EPS SIGMA", "GN 1")
    else:
        options += ["--set", f"EPS={ground[0]}", "--set", f"SIGMA={ground[1]}"]
    run = subprocess.run([thinwire, "solve", "-", "-o", "none", "--json", "--quiet", *options],
                         input=text, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stderr)
    frequency = json.loads(run.stdout)["frequencies"][0]
    resistance, reactance = frequency["ports"][0]["impedance_ohm"]
    efficiency = frequency["radiated_power_w"] / frequency["input_power_w"]
    return resistance, reactance, efficiency, frequency["patterns"][0]["gain_max_dbi"]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: sweep.py THINWIRE [PICTURE]")
    picture = sys.argv[2] if len(sys.argv) > 2 else "dipole_height.png"
    figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex=True, layout="constrained")
    labels = ("R, ohm", "X, ohm", "power radiated / power in", "largest gain, dBi")
    for name, ground in GROUNDS.items():
        rows = [solved(sys.argv[1], h * WAVELENGTH_M, ground) for h in HEIGHTS]
        for axis, values in zip(axes.flat, zip(*rows)):
            axis.plot(HEIGHTS, values, label=name, linewidth=1.5,
                      linestyle="--" if ground is None else "-")
        print(name)
        for h, (r, x, efficiency, gain) in list(zip(HEIGHTS, rows))[::8]:
            print(f"  {h:6.3f} wavelengths  {r:8.2f} {x:+8.2f}j ohm  {efficiency:6.1%}  {gain:6.2f} dBi")
    for axis, label in zip(axes.flat, labels):
        axis.set_ylabel(label)
        axis.set_xscale("log")
        axis.grid(alpha=0.3)
    for axis in axes[1]:
        axis.set_xlabel("height, wavelengths")
        axis.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.5], ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "1.5"])
        axis.minorticks_off()
    figure.legend(*axes[0][0].get_legend_handles_labels(), frameon=False, loc="outside lower center",
                  ncols=4)
    figure.suptitle("A half-wave dipole over ground")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main()
