#!/usr/bin/env python3
"""reciprocity.py THINWIRE [PICTURE]: the flag beside this file as a transmitting and as a receiving antenna.

What a wave of 1 V/m leaves at the receiver, direction by direction (EX 1, solved anew for each), against what the transmitting
pattern (EX 0, RP) says that it must be. Draws both (receiving_flag.png). Needs h5py, matplotlib and numpy.
"""
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DECK = pathlib.Path(__file__).with_name("receiving_flag.nec")
RECEIVER_OHM = 950
ETA_OHM = 376.730313668
WAVE_NUMBER = 2 * np.pi * 1.83e6 / 299792458


def solve(thinwire):
    """angles of three cuts, the voltages received there and those that reciprocity asks for."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "r.h5"
        run = subprocess.run([thinwire, "solve", str(DECK), "-o", str(result), "--quiet"], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        with h5py.File(result) as data:
            runs = data["run_index"][:]
            received = [data["network/voltage_v"][runs == run, 0] for run in (1, 2, 3)]
            current, impedance = data["port/current_a"][0, 0], data["port/impedance_ohm"][0, 0]
            # r E e^{jkr} = -j k eta / (4 pi) I h: the effective length h, by which the open circuit has the voltage h . E.
            cuts = [data["pattern/0/e_theta_v"][0, 0, :], data["pattern/0/e_phi_v"][0, 0, :],
                    data["pattern/1/e_theta_v"][0, :, 0]]
            lengths = [4 * np.pi * cut / (-1j * WAVE_NUMBER * ETA_OHM * current) for cut in cuts]
            phi, theta = data["pattern/0/phi_deg"][:], data["pattern/1/theta_deg"][:]
    # A source's voltage drives the current, that at a receiver is driven by it: minus.
    expected = [-h * RECEIVER_OHM / (impedance + RECEIVER_OHM) for h in lengths]
    return phi, theta, received, expected


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: reciprocity.py THINWIRE [PICTURE]")
    phi, theta, received, expected = solve(sys.argv[1])
    strongest = max(np.abs(cut).max() for cut in expected)
    for name, got, wanted in zip(("azimuth, theta", "azimuth, phi", "elevation, theta"), received, expected):
        print(f"{name:17} up to {1e3 * np.abs(got).max():7.3f} mV at 1 V/m, off by {np.abs(got - wanted).max() / strongest:.1e}")
    ratio = np.abs(received[0][phi == 180]) / np.abs(received[0][phi == 0])
    print(f"towards the feed over towards the resistor, 20 degrees up: {20 * np.log10(ratio[0]):.1f} dB")

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.4), subplot_kw={"projection": "polar"}, layout="constrained")
    for axis, angle, shown in ((axes[0], phi, (0, 1)), (axes[1], theta, (2,))):
        for cut in shown:
            label = ("E theta", "E phi", "E theta")[cut]
            axis.plot(np.radians(angle), 1e3 * np.abs(expected[cut]), color=f"C{cut % 2}", label=f"{label}, from the transmitting pattern")
            axis.plot(np.radians(angle), 1e3 * np.abs(received[cut]), ".", color=f"C{cut % 2}", markersize=4, label=f"{label}, received")
        axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)
    axes[0].set_title("mV at the receiver for 1 V/m, 20° above the horizon", fontsize=10, pad=18)
    axes[1].set_title("up and down, the feed to the left", fontsize=10, pad=18)
    axes[1].set_theta_zero_location("N")
    axes[1].set_theta_direction(-1)
    axes[1].set_thetamin(-90)
    axes[1].set_thetamax(90)
    figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "receiving_flag.png", dpi=95)


if __name__ == "__main__":
    main()
