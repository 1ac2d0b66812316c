#!/usr/bin/env python3
"""Capacitances of thick dipoles fed through thin wires: the golden numbers of tests/mom/stepped_feeds_values.h.

    tests/golden/stepped_feeds.py > tests/mom/stepped_feeds_values.h

(half a minute on one core). Statics of bodies of revolution: Laplace's equation on the conductors' surfaces, flat end faces
included. Charge per length of the generating curve is a polynomial on each of many panels, by collocation at Gauss points.
Panels get two times smaller towards all edges. The potential of a ring is a complete elliptic integral; near panels are
cut towards the point of observation. The lower half is the mirror image with the opposite charge.

The thin wire's middle third is the source, along which the potential rises evenly from -1 to 1. The capacitance is that of
the charges' energy, so that it is the one of the mean current over the source. All digits printed are stable against
order (5, 8) and the smallest panels (1e-2, 1e-3 radii). Needs numpy.
"""

from itertools import pairwise

import numpy as np

EPSILON = 8.8541878128e-12
ORDER, FINEST_RADII = 6, 1e-2
X, W = np.polynomial.legendre.leggauss(ORDER)
PIECE_X, PIECE_W = np.polynomial.legendre.leggauss(16)
TO_COEFFICIENTS = np.linalg.inv(np.polynomial.legendre.legvander(X, ORDER - 1))

# name, radii and lengths of half the dipole, metre: the thin wire, then what follows it outwards.
CASES = [
    ("gap of half a radius", [(0.002, 0.025), (0.1, 10)]),
    ("gap of a fifth", [(0.002, 0.01), (0.1, 10)]),
    ("gap of two radii", [(0.002, 0.1), (0.1, 10)]),
    ("short dipole", [(0.002, 0.025), (0.1, 1)]),
    ("ratio of five", [(0.02, 0.025), (0.1, 10)]),
    ("thin tips", [(0.002, 0.025), (0.1, 5), (0.02, 5)]),
]


def ring(r, z, of_r, of_z):
    """Mean of 1/R from a point to a ring, by the arithmetic-geometric mean (Abramowitz and Stegun 17.6)."""
    a, b = np.hypot(r + of_r, z - of_z), np.hypot(r - of_r, z - of_z)
    for _ in range(9):
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return 1 / a


def source(r, z, of_r, of_z):
    """A ring and its image."""
    return ring(r, z, of_r, of_z) - ring(r, z, of_r, -of_z)


def cuts(length, first, last):
    """Borders that are graded towards both ends, down to these lengths."""
    def half(finest):
        steps = [0.5 * length]
        while steps[-1] > 2 * finest:
            steps.append(0.5 * steps[-1])
        return [0.0, *reversed(steps)]
    return np.array(half(first) + [length - x for x in reversed(half(last))][1:])


def panels_of(sections, closed):
    """Panels of the generating curve, [n, 2 ends, (r, z)]."""
    gap = sections[0][1] / 3
    corners, z = [(sections[0][0], 0.0), (sections[0][0], gap)], 0.0
    for radius, length in sections:
        if z > 0:
            corners.append((radius, z))
        z += length
        corners.append((radius, z))
    if closed:
        corners.append((0.0, z))
    panels = []
    for p, q in pairwise(np.array(corners)):
        length = np.hypot(*(q - p))
        at = cuts(length, FINEST_RADII * max(p[0], 1e-9 + 0.01 * q[0]), FINEST_RADII * max(q[0], 0.1 * p[0]))
        panels += [(p + (q - p) * a / length, p + (q - p) * b / length) for a, b in pairwise(at)]
    return np.array(panels)


def near_row(at, middle, half):
    """Potentials at a point of the polynomials on a panel near it."""
    width = np.hypot(*half)
    foot = np.clip((at - middle) @ half / width**2, -1, 1)
    distance = np.hypot(*(at - middle - foot * half)) / width
    points, weights = [], []
    for end in (-1.0, 1.0):
        far = end - foot
        while far:
            near = 0.35 * far if abs(far) > max(0.5 * distance, 1e-13) else 0.0
            points.append(foot + 0.5 * (far + near) + 0.5 * (far - near) * PIECE_X)
            weights.append(0.5 * abs(far - near) * PIECE_W)
            far = near
    points, weights = np.concatenate(points), np.concatenate(weights)
    q = middle + points[:, None] * half
    values = source(at[0], at[1], q[:, 0], q[:, 1]) * weights * width
    return values @ np.polynomial.legendre.legvander(points, ORDER - 1) @ TO_COEFFICIENTS


def capacitance(sections, closed):
    panels = panels_of(sections, closed)
    middle, half = 0.5 * (panels[:, 0] + panels[:, 1]), 0.5 * (panels[:, 1] - panels[:, 0])
    width = np.hypot(*half.T)
    nodes = (middle[:, None] + X[:, None] * half[:, None]).reshape(-1, 2)
    matrix = source(nodes[:, None, 0], nodes[:, None, 1], nodes[:, 0], nodes[:, 1])
    matrix *= (width[:, None] * W).ravel()
    for j in range(len(panels)):
        along = np.clip((nodes - middle[j]) @ half[j] / width[j] ** 2, -1, 1)
        distance = np.hypot(*(nodes - middle[j] - along[:, None] * half[j]).T)
        for i in np.nonzero(distance < 4 * width[j])[0]:
            matrix[i, j * ORDER:(j + 1) * ORDER] = near_row(nodes[i], middle[j], half[j])
    potential = np.minimum(1, nodes[:, 1] / (sections[0][1] / 3))
    charge = np.linalg.solve(matrix / (4 * np.pi * EPSILON), potential)
    return 0.5 * np.sum(charge * potential * (width[:, None] * W).ravel())


def main():
    print("""// Capacitances of thick dipoles fed through thin wires, printed by
// tests/golden/stepped_feeds.py, which says what they are.
#pragma once

#include <vector>

namespace thinwire {

struct SteppedFeed {
  const char* name;
  /// Radii and lengths of half the dipole, metre: the thin wire, then what follows it.
  std::vector<std::vector<double>> radius_length;
  double open_f, closed_f;  ///< without and with faces at the far ends
};

inline const std::vector<SteppedFeed> stepped_feeds{""")
    for name, sections in CASES:
        values = ", ".join("{%g, %g}" % section for section in sections)
        print(f'    {{"{name}",\n     {{{values}}},\n     {capacitance(sections, False):.5g},\n'
              f"     {capacitance(sections, True):.5g}}},", flush=True)
    print("};\n\n}  // namespace thinwire")


if __name__ == "__main__":
    main()
