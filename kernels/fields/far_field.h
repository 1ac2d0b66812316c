#pragma once

#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// A current as short straight pieces, each with what it sends in a direction u: its
/// middle is at `position`, and the integral of I(s) J0(ka sin psi) e^{jk u . (r(s) -
/// middle)} along it, which depends on u by t . u only, is a polynomial in that. (The
/// polynomials' coefficients are moments of the current along the piece.) An array for
/// each number, so that sums over pieces vectorise.
struct CurrentMoments {
  static constexpr int terms = 8;
  static constexpr int numbers = 6 + 2 * terms;  ///< of a piece

  /// Position, m; tangent; coefficients of (t . u)^n, A m, real parts and imaginary.
  std::vector<double> number[numbers];

  static constexpr int tangent = 3, re = 6, im = re + terms;  ///< where in `number`
  std::size_t size() const { return number[0].size(); }
};

/// Computes the moments of the piecewise-sinusoidal current with the given values at the
/// two ends of every element (end_current_a: [2 elements], start then end), and of its
/// images in the medium. A piece is a part of an element, or where `join` says so several
/// in a line, and at most `longest_rad` radian of a wave long; wire without current has
/// none. Pieces of an element stand behind those of the elements before it. A polynomial
/// is accurate to 1e-9 of the integral of |I| for k a up to 0.5, 3e-8 up to 1, 1e-5 up
/// to 2. With the exact kernel the current flows on the wire's circumference; with the
/// reduced one on its axis, and J0 is 1.
CurrentMoments current_moments(std::span<const Element> elements,
                               std::span<const Complex> end_current_a, double k_rad_per_m,
                               GreensKernel kernel, Medium medium, double longest_rad = 1,
                               bool join = true);

/// Adds each piece's current moment seen from the direction u, e^{jk u . r}, r its
/// middle, times its polynomial, along a field, [x y z], V/m: re + j im, V A, [size()].
void add_pieces_along(const CurrentMoments& moments, Vec3 u,
                      std::span<const Complex, 3> field, double k_rad_per_m,
                      std::span<double> re, std::span<double> im);

/// Pieces of all elements, as current_moments() cuts them, where all carry current;
/// without images.
std::size_t piece_count(std::span<const Element> elements, double k_rad_per_m,
                        double longest_rad = 1);

/// A direction of the far field, radian.
struct Direction {
  double theta, phi;
};

/// The far field r E e^{+jkr}, volt, of the moments in every direction: e_theta, e_phi:
/// [directions].
void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
               double k_rad_per_m, std::span<Complex> e_theta_v,
               std::span<Complex> e_phi_v);

/// Computes the far field on the current GPU: the same sums, to rounding, bitwise
/// repeatable. The grouping of the pieces depends on the number of directions: where
/// several GPUs share them, each is given the total (0: no others), so that the bits are
/// those of one GPU. Throws Error{device}, Error{memory}.
void device_far_field(const CurrentMoments& moments,
                      std::span<const Direction> directions, double k_rad_per_m,
                      std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                      std::size_t directions_in_all = 0);

}  // namespace thinwire
