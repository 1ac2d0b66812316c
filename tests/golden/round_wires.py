#!/usr/bin/env python3
"""Potential coefficients of parallel round wires: the golden numbers of tests/mom/round_wires_values.h.

    tests/golden/round_wires.py > tests/mom/round_wires_values.h

Two-dimensional boundary elements: the charge density on every circle is a trigonometric polynomial through equidistant
nodes, the potential -ln R is collocated there. The logarithm of the circle itself has Kress's weights (Linear Integral
Equations, section 12.3), other circles the trapezoid rule. Both converge exponentially; nodes are doubled until no value
changes by 1e-10.

P_ij is the potential of wire i for the unit charge per length on wire j, in units of 1 / (2 pi eps), zero at a distance
of 1 (the unit in which the decks are written): the charges of the other wires are zero. With perfect conductors the same
numbers times mu / (2 pi) are the inductances per length. Over a ground plane, y = 0, the potential is that over the plane.
Uniform charge would give P_ij = -ln(distance), P_ii = -ln(radius). Checked on the way against acosh where it applies.
Needs numpy.
"""

import numpy as np

# Name; (x, y, radius) of each wire; whether a ground plane is at y = 0.
CASES = []


def case(name, *wires, ground=False):
    CASES.append((name, np.array(wires, float), ground))


for spacing in (20, 10, 5, 4, 3, 2.5, 2.2):
    case(f"two equal, D/a = {spacing}", (0, 0, 1), (spacing, 0, 1))
for ratio, spacings in ((2, (12, 6, 4.5, 4)), (5, (24, 12, 8, 7))):
    for spacing in spacings:
        case(f"radii 1:{ratio}, D/a = {spacing}", (0, 0, 1), (spacing, 0, ratio))
case("wire between two, off the middle", (-4, 0, 1), (0, 0, 1), (3, 0, 1))
case("three in a triangle", (0, 0, 1), (4, 0, 1), (2, 3.4641016151377544, 1))
case("three in a row, unequal", (-5, 0, 2), (0, 0, 1), (3, 0, 0.5))
case("square of four", (0, 0, 1), (4, 0, 1), (4, 4, 1), (0, 4, 1))
case("four in a row", (0, 0, 1), (3, 0, 1), (6, 0, 1), (9, 0, 1))
for count, ring in ((4, 5), (6, 8), (8, 10)):
    angles = 2 * np.pi * np.arange(count) / count
    case(f"cage of {count} on a ring of {ring} a around a wire of 2 a",
         *((ring * c, ring * s, 1) for c, s in zip(np.cos(angles), np.sin(angles))), (0, 0, 2))
for height in (5, 3, 2, 1.5, 1.25, 1.1):
    case(f"over ground, h/a = {height}", (0, height, 1), ground=True)
case("two over ground", (0, 1.5, 1), (3, 2.5, 1), ground=True)


def kress_weights(count):
    """Weights of -ln|4 sin^2((t - t_j) / 2)| / 2 times the density's mean, for t = t_0 and count (even) nodes."""
    order = np.arange(1, count // 2)
    nodes = 2 * np.pi * np.arange(count) / count
    weights = (np.cos(np.outer(nodes, order)) / order).sum(axis=1) + np.cos(count // 2 * nodes) / count
    return weights / count


def coefficients(wires, ground, count):
    """P for `count` nodes on each circle."""
    circle = np.exp(2j * np.pi * np.arange(count) / count)
    places = [x + 1j * y + radius * circle for x, y, radius in wires]
    total = len(wires) * count
    matrix = np.zeros((total + len(wires), total + len(wires)))
    own = kress_weights(count)
    shift = (np.arange(count)[None, :] - np.arange(count)[:, None]) % count
    for i, at in enumerate(places):
        rows = slice(i * count, (i + 1) * count)
        for j, source in enumerate(places):
            columns = slice(j * count, (j + 1) * count)
            matrix[rows, columns] = (own[shift] - np.log(wires[i][2]) / count if i == j else
                                     -np.log(abs(at[:, None] - source)) / count)
            if ground:
                matrix[rows, columns] += np.log(abs(at[:, None] - np.conj(source))) / count
        matrix[rows, total + i] = -1  # minus the unknown potential of wire i
        matrix[total + i, rows] = 1 / count  # total charge of wire i
    right = np.zeros((total + len(wires), len(wires)))
    right[total:] = np.eye(len(wires))
    return np.linalg.solve(matrix, right)[total:]


def converged(wires, ground):
    count = 32
    values = coefficients(wires, ground, count)
    while True:
        count *= 2
        finer = coefficients(wires, ground, count)
        if abs(finer - values).max() < 1e-10:
            return finer
        values = finer


def closed_form(wires, ground):
    """Potential difference of unit opposite charges of two wires, or that of a wire over ground; otherwise nothing."""
    if ground and len(wires) == 1:
        return np.arccosh(wires[0][1] / wires[0][2])
    if not ground and len(wires) == 2:
        (x, _, a), (y, _, b) = wires
        return np.arccosh(((x - y) ** 2 - a * a - b * b) / (2 * a * b))
    return None


def main():
    print("// Potential coefficients of round wires, printed by tests/golden/round_wires.py, which says what they are.\n"
          "#pragma once\n\n#include <vector>\n\nnamespace thinwire {\n\n"
          "struct RoundWires {\n    const char* name;\n    std::vector<std::vector<double>> x_y_radius;\n"
          "    bool over_ground;\n    std::vector<std::vector<double>> potential;  // P_ij, see round_wires.py\n};\n\n"
          "inline const std::vector<RoundWires> round_wires{")
    for name, wires, ground in CASES:
        values = converged(wires, ground)
        expected = closed_form(wires, ground)
        if expected is not None:
            drive = np.array([1, -1][:len(wires)])
            assert abs(drive @ values @ drive - expected) < 1e-9, name
        rows = ["{" + ", ".join("{" + ", ".join(f"{v:.10g}" for v in row) + "}" for row in table) + "}"
                for table in (wires, values)]
        print(f'    {{"{name}",\n     {rows[0]},\n     {str(ground).lower()},\n     {rows[1]}}},')
    print("};\n\n}  // namespace thinwire")


if __name__ == "__main__":
    main()
