#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/ground/buried_kernels.h"
#include "kernels/ground/ground_table.h"
#include "kernels/ground/transmission_places.h"

namespace thinwire {

/// The kernels across the surface (buried_kernels.h) less their static part,
///
///   Gh - G,  Kphi - 2 G / (eps + 1),  Kzz - G,  Q,    G = e^{-jkR}/R,
///
/// R^2 = rho^2 + (z + depth)^2, for any places. Kzz is Gh, so there are three. Q goes
/// over into its static part, -C0 rho / (R (R + z + depth)), near by; what goes on from
/// there and the others vanish as k2 R. Stored is each over G as polynomials of rho, z
/// and depth, on boxes next to the corner at 0 for every octave (TransmissionPlaces),
/// shrunk to the places in use and halved in one of the three until few powers do. A box
/// that is thin in one of them, as where all radials lie at one depth, has no powers of
/// it.
///
/// Plain arrays, as in ground_table.h.
struct TransmissionTableView {
  static constexpr int octave_boxes = TransmissionPlaces::boxes_an_octave;

  /// A box: a leaf with its polynomial, or halved, the halves standing side by side.
  struct Box {
    double middle[3];      ///< of rho, z, depth; or where it is cut
    double scale[3];       ///< (rho - middle) scale is -1 .. 1
    std::uint32_t next;    ///< lower half, or the first of the coefficients, in eights
    std::int8_t cut;       ///< which of the three is halved, -1: a leaf
    std::uint8_t degree;   ///< of the three together
    std::uint8_t most[3];  ///< of each
  };

  const Box* boxes = nullptr;
  /// [terms][8]: of x^i y^j w^l, i + j + l <= degree, each at most its own, from the
  /// highest down, i running first, then j; real and imaginary parts of Gh, Kphi and Q
  /// and two zeros.
  const double* coefficients = nullptr;
  std::int32_t first_octave = 0, octaves = 0;
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
    const double largest = std::fmax(rho, std::fmax(z, depth));
    int octave = exponent_of(largest) - first_octave;
    double at[3] = {rho, z, depth};
    if (octave < 0) {
      for (double& x : at) x *= power_of_two(-octave);
      octave = 0;
    }
    if (octave >= octaves) octave = octaves - 1;
    const double s = power_of_two(octave + first_octave);
    int far = 0;
    for (int n = 0; n < 3; ++n) far |= (at[n] >= s ? 1 : 0) << n;
    const Box* box = boxes + (octave_boxes * octave + far - 1);
    while (box->cut >= 0)
      box = boxes + box->next + (at[box->cut] >= box->middle[box->cut] ? 1 : 0);
    for (int n = 0; n < 3; ++n) at[n] = (at[n] - box->middle[n]) * box->scale[n];
    polynomial(*box, at, sum);
  }

 private:
  THINWIRE_HD static THINWIRE_INLINE int exponent_of(double x) {  // x > 0
    return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52) - 1023;
  }
  THINWIRE_HD static THINWIRE_INLINE double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  THINWIRE_HD THINWIRE_INLINE void polynomial(const Box& box, const double* at,
                                              EightSums& sum) const {
    const auto least = [](int a, int b) { return a < b ? a : b; };
    const double* c = coefficients + std::size_t{8} * box.next;
    sum = EightSums{};
    for (int l = box.most[2]; l >= 0; --l) {
      EightSums plane{};
      for (int j = least(box.most[1], box.degree - l); j >= 0; --j) {
        EightSums row{};
        for (int i = least(box.most[0], box.degree - l - j); i >= 0; --i, c += 8)
          horner_step(at[0], c, row);
        horner_step(at[1], row, plane);
      }
      horner_step(at[2], plane, sum);
    }
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
    return {boxes_.data(),
            coefficients_.data(),
            first_octave_,
            octaves_,
            {c0.real(), c0.imag()}};
  }
  const std::vector<TransmissionTableView::Box>& boxes() const { return boxes_; }
  const std::vector<double>& coefficients() const { return coefficients_; }
  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  Complex eps_;
  std::int32_t first_octave_ = 0, octaves_ = 0;
  std::vector<TransmissionTableView::Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace thinwire
