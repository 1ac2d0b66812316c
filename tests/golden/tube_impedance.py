#!/usr/bin/env python3
"""Impedance of a tube with a uniform field over a gap: the golden numbers of tests/mom/exact_kernel_test.cpp.

    tests/golden/tube_impedance.py LENGTH RADIUS [FED]

in wavelengths; the gap is 1/21 of the length, in the centre or, with FED = end, at the start. Prints R and X in ohm,
7 digits of them stable against order and grading. Needs numpy.

Hallen's equation, with the vector potential's kernel G the mean of e^{-jkR}/R around the circumference,

    integral I(z') G(z - z') dz' = C cos kz + D sin kz - (j 2 pi / eta) integral E(z') sin k|z - z'| dz',

I = 0 at both ends, solved for C, D and a polynomial on each of many panels by collocation at Gauss points. Panels get
four times smaller towards the ends and the edges of the gap, down to 1e-5 radii. The static part of G is a complete
elliptic integral; near panels are cut towards the point of observation, where G has its logarithm.
"""

import sys

import numpy as np

ETA = 376.730313668
K = 2 * np.pi
ORDER = 10
FINEST_RADII, RATIO, LONGEST = 1e-5, 0.25, 0.1
CIRCLE_X, CIRCLE_W = np.polynomial.legendre.leggauss(16)
PIECE_X, PIECE_W = np.polynomial.legendre.leggauss(14)


def elliptic(m1):
    """Complete elliptic integrals K and E of the complementary parameter m1 (Abramowitz and Stegun 17.6)."""
    a, b = np.ones_like(m1), np.sqrt(m1)
    total, power = 0.5 * (1 - m1), 1.0
    for _ in range(12):
        a, b, c = 0.5 * (a + b), np.sqrt(a * b), 0.5 * (a - b)
        total = total + power * c * c
        power *= 2
    first = np.pi / (2 * a)
    return first, first * (1 - total)


def kernel(z, radius):
    """Mean of e^{-jkR}/R: 1/R and R in closed form, the smooth rest by quadrature around the circumference."""
    far2 = z * z + 4 * radius * radius
    far = np.sqrt(far2)
    first, second = elliptic(z * z / far2)
    value = 2 / (np.pi * far) * first - 1j * K - K * K / np.pi * far * second
    for x, w in zip(CIRCLE_X, CIRCLE_W):
        r = np.sqrt(z * z + (2 * radius * np.sin(np.pi * (x + 1) / 4)) ** 2)
        kr = K * r
        value = value + 0.5 * w * (np.exp(-1j * kr) - 1 + 1j * kr + 0.5 * kr * kr) / np.maximum(r, 1e-300)
    return value


def panel_borders(length, gap, finest):
    """Borders graded towards 0, length and both edges of the gap."""
    borders = [0.0]
    points = sorted({0.0, length, *gap})
    for low, high in zip(points[:-1], points[1:]):
        steps = [0.5 * (high - low)]
        while steps[-1] > finest:
            steps.append(steps[-1] * RATIO)
        inner = [low + s for s in reversed(steps)] + [high - s for s in steps[1:]] + [high]
        for border in inner:
            start, pieces = borders[-1], max(1, int(np.ceil((border - borders[-1]) / LONGEST - 1e-9)))
            borders += [start + (border - start) * i / pieces for i in range(1, pieces + 1)]
    return np.array(borders)


def near_row(point, half, radius, to_nodes):
    """Weights of one panel's nodes in the integral over it, for a point in [-1, 1] units of it: `point` away from
    its middle."""
    foot = np.clip(point, -1, 1)
    clearance = max(0.0, abs(point) - 1)
    cuts = {-1.0, 1.0, float(foot)}
    for end in (-1.0, 1.0):
        step = abs(end - foot)
        while step > max(1e-12, 0.5 * clearance):
            step *= 0.35
            cuts.add(float(foot + np.sign(end - foot) * step))
    cuts = np.array(sorted(cuts))
    centre, reach = 0.5 * (cuts[1:] + cuts[:-1]), 0.5 * (cuts[1:] - cuts[:-1])
    s = (centre[:, None] + reach[:, None] * PIECE_X).ravel()
    w = (reach[:, None] * PIECE_W).ravel()
    basis = np.polynomial.legendre.legvander(s, ORDER - 1) @ to_nodes
    return (kernel(half * np.abs(s - point), radius) * w * half) @ basis


def impedance(length, radius, gap):
    borders = panel_borders(length, gap, FINEST_RADII * radius)
    x, w = np.polynomial.legendre.leggauss(ORDER)
    to_nodes = np.linalg.inv(np.polynomial.legendre.legvander(x, ORDER - 1))
    middle, half = 0.5 * (borders[1:] + borders[:-1]), 0.5 * (borders[1:] - borders[:-1])
    z = (middle[:, None] + half[:, None] * x).ravel()
    weight = (half[:, None] * w).ravel()
    n = len(z)
    matrix, right = np.zeros((n + 2, n + 2), complex), np.zeros(n + 2, complex)
    for i in range(n):
        matrix[i, :n] = kernel(np.abs(z[i] - z), radius) * weight
        for p in np.where(np.abs(z[i] - middle) < 5 * half)[0]:
            # On its own panel the point is known without the loss of digits in z.
            point = x[i - p * ORDER] if p == i // ORDER else (z[i] - middle[p]) / half[p]
            matrix[i, p * ORDER:(p + 1) * ORDER] = near_row(point, half[p], radius, to_nodes)
    from_middle = z - 0.5 * length
    matrix[:n, n], matrix[:n, n + 1] = -np.cos(K * from_middle), -np.sin(K * from_middle)
    swept = [np.sign(edge - z) * (1 - np.cos(K * (edge - z))) / K for edge in gap]
    right[:n] = -2j * np.pi / ETA * (swept[1] - swept[0]) / (gap[1] - gap[0])
    ends = np.polynomial.legendre.legvander(np.array([-1.0, 1.0]), ORDER - 1) @ to_nodes
    matrix[n, :ORDER], matrix[n + 1, n - ORDER:n] = ends
    scale = np.ones(n + 2)
    scale[:n] = 1 / np.abs(matrix[:n, :n]).max(axis=1)
    current = np.linalg.solve(matrix * scale[:, None], right * scale)[:n]
    inside = (z > gap[0]) & (z < gap[1])
    return (gap[1] - gap[0]) / np.sum(weight[inside] * current[inside])


def main():
    length, radius = float(sys.argv[1]), float(sys.argv[2])
    start = 0.0 if sys.argv[3:] == ["end"] else 10 * length / 21
    ohm = impedance(length, radius, (start, start + length / 21))
    print(f"{ohm.real:.7g} {ohm.imag:+.7g}j")


if __name__ == "__main__":
    main()
