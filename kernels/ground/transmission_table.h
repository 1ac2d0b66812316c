#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/ground/buried_kernels.h"
#include "kernels/ground/ground_table.h"
#include "kernels/ground/transmission_places.h"
#include "kernels/ground/transmission_tree.h"

namespace thinwire {

/// The kernels across the surface (buried_kernels.h) less their static part,
///
///   Gh - G,  Kphi - 2 G / (eps + 1),  Kzz - G,  Q,    G = e^{-jkR}/R,
///
/// R^2 = rho^2 + (z + depth)^2, for any places. Kzz is Gh, so there are three. Q goes
/// over into its static part, -C0 rho / (R (R + z + depth)), near by; what goes on from
/// there and the others vanish as k2 R. Stored is each over G as polynomials of rho, z
/// and depth (transmission_tree.h). Plain arrays, as in ground_table.h.
struct TransmissionTableView {
  TransmissionBoxes boxes;
  /// [terms][8]: real and imaginary parts of Gh, Kphi and Q and two zeros.
  const double* coefficients = nullptr;
  HdComplex c0;  ///< image_strength

  /// The four, times 1/k, at k rho, k z >= 0, k depth >= 0 (not all 0) that the table was
  /// made for.
  THINWIRE_HD THINWIRE_INLINE ReflectedKernels at(double rho, double z,
                                                  double depth) const {
    EightSums sum;
    over_g(rho, z, depth, sum);
    const double zeta = z + depth, distance = std::sqrt(rho * rho + zeta * zeta);
    const double turn = rho > 0 ? rho / (distance + zeta) : 0;
    sum[4] -= turn * c0.re;
    sum[5] -= turn * c0.im;
    double sine, cosine;
    sincos_simd(distance, sine, cosine);
    const HdComplex g = (1 / distance) * HdComplex{cosine, -sine};
    const HdComplex h = g * HdComplex{sum[0], sum[1]};
    return {h, g * HdComplex{sum[2], sum[3]}, h, g * HdComplex{sum[4], sum[5]}};
  }

  /// Sets `sum` to what is stored, Gh, Kphi and Q over G. Nearer places than the table's
  /// are met in its first octave in the same direction.
  THINWIRE_HD THINWIRE_INLINE void over_g(double rho, double z, double depth,
                                          EightSums& sum) const {
    double at[3] = {rho, z, depth};
    int octave = TransmissionBoxes::octave_of(at);
    if (octave < boxes.first_octave) {
      const double larger = TransmissionBoxes::power_of_two(boxes.first_octave - octave);
      for (double& x : at) x *= larger;
      octave = boxes.first_octave;
    }
    const int last = boxes.first_octave + boxes.octaves - 1;
    const TransmissionBox& box = boxes.find(at, octave < last ? octave : last);
    polynomial(box, coefficients + std::size_t{8} * box.next, 8, at, sum);
  }
};

/// The table of one ground at one frequency.
class TransmissionTable {
 public:
  /// For these places only.
  TransmissionTable(Complex eps, const TransmissionPlaces& places,
                    double error = default_table_error);

  Complex eps() const { return eps_; }
  TransmissionTableView view() const {
    const Complex c0 = image_strength(eps_);
    return {{boxes_.data(), first_octave_, octaves_},
            coefficients_.data(),
            {c0.real(), c0.imag()}};
  }
  const std::vector<TransmissionBox>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }
  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  Complex eps_;
  std::int32_t first_octave_ = 0, octaves_ = 0;
  std::vector<TransmissionBox> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace thinwire
