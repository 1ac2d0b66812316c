#!/usr/bin/env python3
"""Input conductance of a circular loop of thin wire, fed by a gap without width: the values of tests/mom/circular_loop_test.cpp.

Storer (1956, Trans. AIEE 75, 606-619) expands the current in a Fourier series, I(phi) = sum I_n e^{j n phi}; Wu (1962, J.
Math. Phys. 3, 1301-1304) gives the coefficients that stay right for all n:

    Y = 1/(j pi eta) [1/a_0 + 2 sum_{n=1}^inf 1/a_n],    a_n = (kb/2) (N_{n+1} + N_{n-1}) - (n^2/kb) N_n,
    N_n = (1/pi) [K0(n a/b) I0(n a/b) + C_n] - (1/2) int_0^{2 k b} (Omega_{2n}(x) + j J_{2n}(x)) dx,  N_{-n} = N_n,
    N_0 = (1/pi) ln(8 b/a) - (1/2) int_0^{2 k b} (Omega_0(x) + j J_0(x)) dx,
    C_n = ln(4 n) + gamma - 2 sum_{m=0}^{n-1} 1/(2 m + 1),

b the loop's radius, a the wire's, Omega the Lommel-Weber function (1/pi) int_0^pi sin(x sin t - n t) dt. The susceptance's sum
grows without bound, as the capacitance of such a gap does; the conductance's has its limit after ten terms (20 are taken).
The series is for thin wires: it leaves out a/b and (ka)^2 against 1. Prints Omega = 2 ln(2 pi b/a), kb and the conductance
in mS. Needs SciPy and NumPy.
"""
import numpy as np
from scipy.integrate import quad
from scipy.special import ive, kve

ETA_OHM = 376.730313412


def lommel_weber_integral(order, to):
    """int_0^to Omega_order(x) + j J_order(x) dx, from (1/pi) int_0^pi j e^{-j (x sin t - order t)} dt integrated in x."""
    def part(t, real):
        s = np.sin(t)
        phase = -1j * order * t
        # int_0^to e^{j (x s - order t)} dx
        value = np.exp(phase) * (to if s < 1e-12 else np.expm1(1j * to * s) / (1j * s))
        return value.imag if real else value.real

    count = 4 * (order + int(to)) + 40
    omega = quad(part, 0, np.pi, args=(True,), limit=count, epsabs=1e-12)[0] / np.pi
    bessel = quad(part, 0, np.pi, args=(False,), limit=count, epsabs=1e-12)[0] / np.pi
    return omega + 1j * bessel


def kernel(n, kb, a_over_b):
    n = abs(n)
    if n == 0:
        static = np.log(8 / a_over_b)
    else:
        x = n * a_over_b
        c = np.log(4 * n) + np.euler_gamma - 2 * sum(1 / (2 * m + 1) for m in range(n))
        static = kve(0, x) * ive(0, x) + c
    return static / np.pi - 0.5 * lommel_weber_integral(2 * n, 2 * kb)


def admittance(kb, a_over_b, terms):
    kernels = [kernel(n, kb, a_over_b) for n in range(terms + 2)]
    total = 0
    for n in range(terms + 1):
        a = kb / 2 * (kernels[n + 1] + kernels[abs(n - 1)]) - n * n / kb * kernels[n]
        total += (1 if n == 0 else 2) / a
    return total / (1j * np.pi * ETA_OHM)


def main():
    for omega in (10, 12, 15):
        a_over_b = 2 * np.pi / np.exp(omega / 2)
        for kb in (0.3, 0.6, 1.0, 1.4, 2.0, 2.5):
            print(f"{{{omega}, {kb}, {1e3 * admittance(kb, a_over_b, 20).real:.6f}}},")


if __name__ == "__main__":
    main()
