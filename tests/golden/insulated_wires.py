#!/usr/bin/env python3
"""Capacitance of parallel round wires in round insulation: the golden numbers of tests/mom/insulated_wires_values.h.

    tests/golden/insulated_wires.py > tests/mom/insulated_wires_values.h

Two-dimensional boundary elements as in round_wires.py, with the total (free and bound) charge on every wire and on the
surface of every sheath as unknowns. The potential is constant on a wire; at a sheath's surface eps_r times the inner normal
field is the outer one. P_ij is the potential of wire i for the unit free charge on wire j, in units of 1 / (2 pi eps0),
zero at a distance of 1. The inductances are those of round_wires.py for the bare wires. Checked on the way: one wire has
ln(b/a) / eps_r - ln b, and eps_r = 1 gives the bare wires (a bare wire among the cases has such a sheath). Needs numpy.
"""

import numpy as np

import round_wires
from round_wires import kress_weights


def coefficients(wires, count):
    """P for `count` nodes on each circle; wires: x, y, radius, radius of the sheath, eps_r."""
    circle = np.exp(2j * np.pi * np.arange(count) / count)
    shift = (np.arange(count)[None, :] - np.arange(count)[:, None]) % count
    own = kress_weights(count)
    circles = [(x + 1j * y, radius) for x, y, inner, outer, _ in wires for radius in (inner, outer)]
    total = len(circles) * count
    matrix = np.zeros((total + len(wires), total + len(wires)))
    for i, (centre, radius) in enumerate(circles):
        rows = slice(i * count, (i + 1) * count)
        wire, is_sheath = divmod(i, 2)
        eps = wires[wire][4]
        at = centre + radius * circle
        for j, (other, other_radius) in enumerate(circles):
            columns = slice(j * count, (j + 1) * count)
            difference = at[:, None] - (other + other_radius * circle)
            if is_sheath:
                # Mean of the radial fields inside and outside, in units of 1 / (2 pi eps0); they differ by the charge.
                field = np.full((count, count), 0.5 / radius) if i == j else (circle[:, None] / difference).real
                matrix[rows, columns] = (1 - eps) * field / count
                if i == j:
                    matrix[rows, columns] += 0.5 * (1 + eps) * np.eye(count) / radius
            else:
                matrix[rows, columns] = (own[shift] - np.log(radius) / count if i == j else
                                         -np.log(abs(difference)) / count)
        if is_sheath:
            continue
        matrix[rows, total + wire] = -1
        matrix[total + wire, rows] = eps / count  # free charge
    right = np.zeros((total + len(wires), len(wires)))
    right[total:] = np.eye(len(wires))
    return np.linalg.solve(matrix, right)[total:]


def converged(wires):
    count = 32
    values = coefficients(wires, count)
    while True:
        count *= 2
        finer = coefficients(wires, count)
        if abs(finer - values).max() < 1e-9:
            return finer
        values = finer


def check():
    assert abs(converged([(0, 0, 1, 2, 2.3)])[0, 0] - (np.log(2) / 2.3 - np.log(2))) < 1e-9
    bare = round_wires.converged(np.array([(0, 0, 1), (5, 0, 1)]), False)
    assert abs(converged([(0, 0, 1, 2, 1), (5, 0, 1, 2, 1)]) - bare).max() < 1e-8


def cases():
    for spacing, outer, eps in ((10, 2, 2.3), (5, 1.5, 2.3), (5, 2.2, 2.3), (4, 1.5, 2.3), (4, 1.9, 2.3), (3, 1.4, 3.5)):
        yield (f"two equal, D/a = {spacing}, b/a = {outer}, eps_r = {eps}",
               [(0, 0, 1, outer, eps), (spacing, 0, 1, outer, eps)])
    yield "one of two insulated", [(0, 0, 1, 2, 3), (4.5, 0, 1, 1.001, 1)]
    yield "unequal", [(0, 0, 1, 1.8, 2.3), (6, 0, 2, 3, 3)]


def main():
    check()
    print("""// Potential coefficients of insulated wires, printed by tests/golden/insulated_wires.py, which says what they are.
#pragma once

#include <vector>

namespace thinwire {

struct InsulatedWires {
    const char* name;
    std::vector<std::vector<double>> x_y_radius_sheath_eps;
    std::vector<std::vector<double>> potential;  // P_ij
};

inline const std::vector<InsulatedWires> insulated_wires{""")
    for name, wires in cases():
        rows = ["{" + ", ".join("{" + ", ".join(f"{v:.9g}" for v in row) + "}" for row in table) + "}"
                for table in (wires, converged(wires))]
        print(f'    {{"{name}",\n     {rows[0]},\n     {rows[1]}}},')
    print("};\n\n}  // namespace thinwire")


if __name__ == "__main__":
    main()
