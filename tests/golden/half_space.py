#!/usr/bin/env python3
"""Kernels of a half space: the golden numbers of tests/kernels/ground/half_space_test.cpp and buried_kernels_test.cpp.

    tests/golden/half_space.py > tests/kernels/ground/half_space_values.h
    tests/golden/half_space.py below > tests/kernels/ground/below_values.h
    tests/golden/half_space.py across > tests/kernels/ground/across_values.h

Adaptive quadrature in 80-bit numbers (Gauss-Legendre, panels halved until the sum stands) on another path than the
program's: from 0 up to (0.3 + j) h, along jh to b + jh, right of every singularity, then straight on or, where
e^{-u1 z - u2 depth} decays slowly, J0 = (H0(1) + H0(2)) / 2 with the two halves turned by 70 and -55 degrees. Where the wave in the ground
dies out before rho (e^-60), b lies left of its branch point. Bessel functions by the trapezoid rule in their integrals.
Needs numpy.
"""

import sys

import numpy as np

REAL, COMPLEX = np.longdouble, np.clongdouble
PI = REAL("3.14159265358979323846264338328")
OMEGA_EPS0 = 2e6 * np.pi / (376.730313668 * 299792458)  # at 1 MHz

# eps_r, sigma in S/m, frequency in MHz; then rho, zeta (times k); across: rho, z, depth
GROUNDS = [(1.0001, 0, 10), (3, 1e-4, 30), (13, 5e-3, 14), (13, 5e-3, 0.1), (20, 0.03, 1000), (81, 0, 100),
           (81, 1e-3, 1000), (81, 5, 3), (81, 5, 0.1), (81, 5, 1000)]
PLACES = [(6e-7, 0), (0, 6e-7), (4e-7, 5e-7), (1e-4, 1e-7), (3e-3, 1e-3), (0.05, 0.02), (0.03, 0.2), (0.8, 0.0),
          (1.1, 0.6), (0.2, 3), (7, 0.01), (20, 9), (3, 40), (62, 0), (55, 30)]

ACROSS_PLACES = [(6e-7, 0, 0), (0, 4e-7, 2e-7), (4e-7, 5e-7, 1e-7), (1e-4, 1e-7, 1e-5), (3e-3, 1e-3, 1e-3),
                 (0.05, 0.0, 0.02), (0.03, 0.2, 0.01), (0.8, 0.0, 1e-4), (1.1, 0.6, 0.05), (0.2, 3, 0.3), (0.1, 0.01, 2),
                 (7, 0.01, 0.1), (20, 9, 0.02), (3, 40, 0.5), (62, 0, 0), (55, 30, 0.003)]


def gauss_rule(n):
    x = np.polynomial.legendre.leggauss(n)[0].astype(REAL)
    for _ in range(3):
        p0, p1 = np.ones_like(x), x.copy()
        for m in range(2, n + 1):
            p0, p1 = p1, ((2 * m - 1) * x * p1 - (m - 1) * p0) / m
        slope = n * (x * p1 - p0) / (x * x - 1)
        x = x - p1 / slope
    return x, 2 / ((1 - x * x) * slope * slope)


RULE = gauss_rule(24)


def hankel_1(z):
    """H0 and H1 of the first kind: -(2j / pi) K0(-jz), -(2 / pi) K1(-jz), along a path on which w cosh t is real soon."""
    w = (-1j * z)[:, None]
    turn = -1j * np.angle(w)
    step = min(REAL(1) / 32, REAL(0.2) / np.sqrt(np.max(abs(w))))
    x = step * np.arange(0, int(np.arccosh(1 + 120 / np.min(abs(w))) / step + 8)).astype(REAL)
    c = np.cosh(x + turn * np.tanh(x))
    e = np.exp(-w * c) * (1 + turn / np.cosh(x) ** 2) * step
    e[:, 0] /= 2
    return -2j / PI * np.sum(e, axis=1), -2 / PI * np.sum(e * c, axis=1)


def hankel_2(z):
    return tuple(np.conj(h) for h in hankel_1(np.conj(z)))


def bessel(z):
    n = int(1.1 * np.max(np.abs(z))) + 60
    theta = PI * (np.arange(n).astype(REAL) + REAL(0.5)) / n
    c = np.exp(1j * z[:, None] * np.cos(theta))
    return np.mean(c, axis=1), np.mean(c * np.cos(theta), axis=1) / 1j


def above_spectra(eps, kr, u1, u2):
    """[4] Gh, Kphi, Kzz, Q of what is reflected above; J0 has the weight kr of the first three, J1 that of Q."""
    rh = (eps - 1) / (u1 + u2) ** 2
    pt = -2 * (eps - 1) / (u1 + u2) / (eps * u1 + u2)
    phi = rh + u1 * u1 * pt
    return rh / u1, phi / u1, (rh - 2 * phi - pt) / u1, kr * pt


def below_spectra(eps, kr, u1, u2):
    """The same with u1 and u2 exchanged and lengths in waves of the ground; 1/eps for charges."""
    rh = (1 - eps) / (u1 + u2) ** 2
    pt = -2 * (1 - eps) / (u1 + u2) / (u2 / eps + u1)
    phi = rh + u2 * u2 / eps * pt
    return rh / u2, phi / u2 / eps, (rh - 2 * phi - pt) / u2, kr * pt / eps


def across_spectra(eps, kr, u1, u2):
    """Between above and below: Kzz as it was derived, although it is Gh; Q = d/drho, with J1 for -J0."""
    weighted = eps * u1 + u2
    zz = 2 * ((1 + eps) * kr * kr - eps) / (kr * kr + u1 * u2) / weighted
    return 2 / (u1 + u2), 2 / weighted, zz, -kr * 2 * (eps - 1) / (u1 + u2) / weighted


def kernels(spectra, eps, rho, z, depth):
    zeta = z + depth
    k2 = np.sqrt(COMPLEX(eps))
    size = abs(k2)
    early = size > 6 and -k2.imag * rho > 60
    b = REAL(1.8) if early else 1.5 * max(REAL(1), size) + REAL(0.5)
    h = min(REAL(0.5), REAL(1.5) / rho) if rho else REAL(0.5)

    def integral(kr_of, slope_of, points, function):
        def panel(lo, hi):
            t = lo + (hi - lo) * (1 + RULE[0]) / 2
            kr, d = kr_of(t), slope_of(t) * RULE[1] * (hi - lo) / 2
            u1, u2 = np.sqrt(kr * kr - 1), np.sqrt(kr * kr - eps)
            j0, j1 = function(kr * rho)
            e = d * kr * np.exp(-u1 * z - u2 * depth)
            h, phi, zz, q = spectra(eps, kr, u1, u2)
            return np.array([np.sum(e * h * j0), np.sum(e * phi * j0), np.sum(e * zz * j0), np.sum(e * q * j1)])

        def adaptive(lo, hi, whole, halvings=0):
            middle = (lo + hi) / 2
            left, right = panel(lo, middle), panel(middle, hi)
            if np.max(abs(whole - left - right)) * np.hypot(rho, zeta) < 1e-15 or halvings > 14:
                return left + right
            return adaptive(lo, middle, left, halvings + 1) + adaptive(middle, hi, right, halvings + 1)

        return sum(adaptive(lo, hi, panel(lo, hi)) for lo, hi in zip(points, points[1:]))

    step = 10 / (rho + zeta)

    def cuts(lo, hi):
        n = int(np.ceil((hi - lo) / step))
        return [lo + (hi - lo) * i / n for i in range(n + 1)]

    corner = h * (REAL(0.3) + 1j)
    total = integral(lambda t: corner * t, lambda t: corner, [REAL(0), REAL(1)], bessel)
    fall = 50 / zeta + 2 if zeta else np.inf
    if depth:
        fall = 50 / zeta + 2 * b
    total = total + integral(lambda t: t + 1j * h, lambda t: 1, cuts(corner.real, min(b, fall)), bessel)
    if fall < b:
        return total
    if zeta > rho:
        points = [b]
        while points[-1] < fall:
            points.append(min(2 * points[-1], points[-1] + step, fall))
        return total + integral(lambda t: t + 1j * h, lambda t: 1, points, bessel)
    for angle, hankel in ((70, hankel_1), (-55, hankel_2)):
        way = np.exp(1j * PI * angle / 180)
        stop = 50 / (rho * np.sin(PI * 55 / 180))
        points = [REAL(0)]
        while points[-1] < stop:
            points.append(min(points[-1] + min(step, 0.8 * (points[-1] + 0.5 * b)), stop))
        total = total + integral(lambda t: b + 1j * h + t * way, lambda t: way / 2, points, hankel)
    return total


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "above"
    spectra = {"above": above_spectra, "below": below_spectra, "across": across_spectra}[kind]
    names = "k rho, k z, k depth" if kind == "across" else "k rho, k zeta"
    print("// Made by tests/golden/half_space.py" + (f" {kind}." if kind != "above" else "."))
    print(f"// eps_r, sigma / (w eps0), {names}; Gh, Kphi, Kzz, Q")
    print("// clang-format off")
    for eps_r, sigma, megahertz in GROUNDS:
        loss = sigma / (OMEGA_EPS0 * megahertz)
        for place in ACROSS_PLACES if kind == "across" else PLACES:
            rho, *vertical = place
            z, depth = {"above": lambda: (vertical[0], 0), "below": lambda: (0, vertical[0]),
                        "across": lambda: vertical}[kind]()
            k = kernels(spectra, COMPLEX(eps_r - 1j * loss), REAL(rho), REAL(z), REAL(depth))
            numbers = ", ".join(f"{float(x.real)!r}, {float(x.imag)!r}" for x in k)
            lengths = ", ".join(repr(x) for x in place)
            print(f"{{{eps_r!r}, {loss!r}, {lengths}, {{{numbers}}}}},", flush=True)


if __name__ == "__main__":
    main()
