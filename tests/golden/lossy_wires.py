#!/usr/bin/env python3
"""Impedance per metre of parallel round conductors with skin and proximity effect: tests/mom/lossy_wires_values.h.

    tests/golden/lossy_wires.py > tests/mom/lossy_wires_values.h

Two dimensions, currents along the wires, displacement current neglected. Outside, A is the potential of a layer of
current on every circle, collocated at equidistant nodes (see round_wires.py). Inside, H_phi follows from the surface's
E_z by Bessel functions, harmonic by harmonic; it has to equal the outer H_phi at every node. Nodes are doubled until no
value changes by 1e-9.

Z_ij is E_z + j w A on the surface of wire i (its voltage drop per metre) for one ampere in wire j and none in the others, A zero at
a distance of 1 m. Checked on the way: one wire has its known internal impedance; two thick-skinned wires (a = 300 skin
depths) have 1 / sqrt(1 - (2a/D)^2) times the resistance of distant ones and the inductance of acosh(D/2a).
Needs numpy and scipy.
"""

import numpy as np
from scipy.special import ive

from round_wires import kress_weights

MU0 = 4e-7 * np.pi
COPPER = 5.8e7


def at_skin_depth(depth, sigma, mu_r=1):
    return 1 / (np.pi * depth**2 * mu_r * MU0 * sigma)


def inner_admittance(order, radius, omega, sigma, mu_r):
    """H_phi over E_z on the surface of a round conductor, for cos(order phi)."""
    gamma = np.sqrt(1j * omega * mu_r * MU0 * sigma)
    x = gamma * radius
    ratio = 0.5 * (ive(order - 1, x) + ive(order + 1, x)) / ive(order, x)
    return gamma * ratio / (1j * omega * mu_r * MU0)


def impedances(frequency, wires, sigma, mu_r, count):
    """Z in ohm per metre for `count` nodes on each circle; wires: x, y, radius."""
    omega = 2 * np.pi * frequency
    circle = np.exp(2j * np.pi * np.arange(count) / count)
    shift = (np.arange(count)[:, None] - np.arange(count)[None, :]) % count
    own = kress_weights(count)
    total = len(wires) * count
    potential, field = np.zeros((total, total)), np.zeros((total, total))
    inner = np.zeros((total, total), complex)
    for i, (xi, yi, ri) in enumerate(wires):
        rows = slice(i * count, (i + 1) * count)
        at = xi + 1j * yi + ri * circle
        orders = np.minimum(np.arange(count), count - np.arange(count))
        admittance = np.array([inner_admittance(m, ri, omega, sigma, mu_r) for m in range(count // 2 + 1)])
        inner[rows, rows] = np.fft.ifft(admittance[orders])[shift]
        for j, (xj, yj, rj) in enumerate(wires):
            columns = slice(j * count, (j + 1) * count)
            # Unknowns are amperes per node times the number of nodes.
            if i == j:
                potential[rows, columns] = own[shift] - np.log(ri) / count
                field[rows, columns] = (0.5 / count + 0.5 * np.eye(count)) / ri
            else:
                difference = at[:, None] - (xj + 1j * yj + rj * circle)
                potential[rows, columns] = -np.log(abs(difference)) / count
                field[rows, columns] = (circle[:, None] / difference).real / count
    potential *= MU0 / (2 * np.pi)
    field /= 2 * np.pi
    matrix = np.zeros((total + len(wires), total + len(wires)), complex)
    matrix[:total, :total] = field + 1j * omega * inner @ potential
    for i in range(len(wires)):
        rows = slice(i * count, (i + 1) * count)
        matrix[:total, total + i] = -inner[:, rows].sum(axis=1)
        matrix[total + i, rows] = 1 / count
    right = np.zeros((total + len(wires), len(wires)))
    right[total:] = np.eye(len(wires))
    return np.linalg.solve(matrix, right)[total:]


def converged(*case):
    count = 32
    values = impedances(*case, count)
    while True:
        count *= 2
        finer = impedances(*case, count)
        if abs(finer - values).max() < 1e-9 * abs(finer).max():
            return finer
        values = finer


def check():
    frequency, a = 1e6, 1e-3
    omega = 2 * np.pi * frequency
    alone = converged(frequency, [(0, 0, a)], COPPER, 1)[0, 0]
    outer = 1j * omega * MU0 / (2 * np.pi) * np.log(1 / a)
    known = 1 / (2 * np.pi * a * inner_admittance(0, a, omega, COPPER, 1))
    assert abs(alone - outer - known) < 1e-9 * abs(alone)
    frequency = at_skin_depth(a / 300, COPPER)
    known = 1 / (2 * np.pi * a * inner_admittance(0, a, 2 * np.pi * frequency, COPPER, 1))
    for spacing in (2.5, 4, 10):
        z = converged(frequency, [(0, 0, a), (spacing * a, 0, a)], COPPER, 1)
        line = z[0, 0] + z[1, 1] - z[0, 1] - z[1, 0]
        assert abs(line.real / (2 * known.real) * np.sqrt(1 - 4 / spacing**2) - 1) < 0.01, spacing
        inductance = (line - 2j * known.imag).imag / (2 * np.pi * frequency)
        assert abs(inductance / (MU0 / np.pi * np.arccosh(spacing / 2)) - 1) < 0.01


def cases():
    a = 1e-3
    for depths in (0.5, 1, 2, 5, 20, 100):
        for spacing in (10, 4, 3, 2.2):
            yield (f"copper, D/a = {spacing}, a = {depths} skin depths", at_skin_depth(a / depths, COPPER),
                   [(0, 0, a), (spacing * a, 0, a)], COPPER, 1)
    yield ("copper, 1:2, D/a = 4", at_skin_depth(a / 5, COPPER), [(0, 0, a), (4 * a, 0, 2 * a)], COPPER, 1)
    yield ("copper, three in a row", at_skin_depth(a / 5, COPPER),
           [(0, 0, a), (3 * a, 0, a), (6 * a, 0, a)], COPPER, 1)
    yield ("iron, mu_r = 100, D/a = 3", at_skin_depth(a / 5, 1e7, 100), [(0, 0, a), (3 * a, 0, a)], 1e7, 100)


def main():
    check()
    print("""// Impedances per metre of round conductors, printed by tests/golden/lossy_wires.py, which says what they are.
#pragma once

#include <complex>
#include <vector>

namespace thinwire {

struct LossyWires {
    const char* name;
    double frequency_hz, sigma_s_per_m, mu_r;
    std::vector<std::vector<double>> x_y_radius_m;
    std::vector<std::vector<std::complex<double>>> impedance_ohm_per_m;  // Z_ij
};

inline const std::vector<LossyWires> lossy_wires{""")
    for name, frequency, wires, sigma, mu_r in cases():
        z = converged(frequency, wires, sigma, mu_r)
        assert abs(z - z.T).max() < 1e-7 * abs(z).max()
        places = ", ".join("{" + ", ".join(f"{v:.6g}" for v in row) + "}" for row in wires)
        values = ", ".join("{" + ", ".join(f"{{{v.real:.9g}, {v.imag:.9g}}}" for v in row) + "}" for row in z)
        print(f'    {{"{name}", {frequency:.12g}, {sigma:.6g}, {mu_r},\n     {{{places}}},\n     {{{values}}}}},')
    print("};\n\n}  // namespace thinwire")


if __name__ == "__main__":
    main()
