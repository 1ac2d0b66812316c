#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/base/sincos.h"
#include "kernels/ground/half_space.h"

namespace thinwire {

/// Eight numbers that are added up together: one register where the CPU has such.
#if defined(__GNUC__) && !defined(__CUDACC__)
using EightSums = double __attribute__((vector_size(64)));
#else
struct EightSums {
  double sum[8];
  THINWIRE_HD double operator[](int n) const { return sum[n]; }
  THINWIRE_HD double& operator[](int n) { return sum[n]; }
};
#endif

/// sum += factor * c, [8].
template <class Eight>
THINWIRE_HD THINWIRE_INLINE void add_eight(double factor, const Eight& c,
                                           EightSums& sum) {
  for (int n = 0; n < 8; ++n) sum[n] += factor * c[n];
}
#if defined(__GNUC__) && !defined(__CUDACC__)
THINWIRE_INLINE void add_eight(double factor, const double* c, EightSums& sum) {
  EightSums some;
  __builtin_memcpy(&some, c, sizeof some);
  sum += factor * some;
}
THINWIRE_INLINE void add_eight(double factor, const EightSums& c, EightSums& sum) {
  sum += factor * c;
}
#endif

/// What the ground reflects beside the image, for any places: the reflected kernels
/// (half_space.h) less those of an image of strength -C0,
///
///   Gh + C0 G,  Kphi + C0 G,  Kzz - C0 G,  Q,    G = e^{-jkR}/R, R^2 = rho^2 + zeta^2.
///
/// An image is the mirrored element with the current turned round (Medium), so that the
/// ground is that image times C0 and this. All four vanish where eps = 1, and towards a
/// perfect conductor.
///
/// Stored is each of them over G, which is smooth, as polynomials on boxes in the plane
/// of rho and zeta. For every octave s of max(rho, zeta) there are three boxes, next to
/// the corner at 0, so that the octave is the exponent of a double:
///
///        zeta
///     2s +-----+-----+
///        |  1  |  2  |      A box that 66 coefficients do not represent to 4e-8 is
///      s +-----+-----+      halved, in rho or zeta, whichever needs it more.
///        |smaller|  0 |
///      0 +-----+-----+ rho
///        0     s     2s
///
/// Plain arrays: CPU and GPU read the same.
struct GroundTableView {
  static constexpr int degree = 10;  ///< of rho and zeta together
  static constexpr int terms = (degree + 1) * (degree + 2) / 2;

  /// A box: a leaf with its coefficients, or halved, the halves standing side by side.
  struct Box {
    double rho_middle, rho_scale;    ///< x = (rho - middle) scale lies in -1 .. 1
    double zeta_middle, zeta_scale;  ///< y likewise
    std::uint32_t next;              ///< lower half, or place of the coefficients
    std::int32_t cut;                ///< 0: halved in rho, 1: in zeta, -1: a leaf
  };

  const Box* boxes = nullptr;
  /// [leaves][terms][8]: of T_i(x) T_j(y), i + j <= degree, i running first; real and
  /// imaginary part of the four in the order of ReflectedKernels.
  const double* coefficients = nullptr;
  std::int32_t first_octave = 0, octaves = 0;

  /// At k rho, k zeta, times 1/k. Smaller distances than the table's are met as those of
  /// the first octave in the same direction; none may be larger.
  THINWIRE_HD THINWIRE_INLINE ReflectedKernels at(double rho, double zeta) const {
    const double distance = std::sqrt(rho * rho + zeta * zeta);
    int octave = exponent_of(rho > zeta ? rho : zeta) - first_octave;
    double r = rho, z = zeta;
    if (octave < 0) {
      const double larger = power_of_two(-octave);
      r *= larger;
      z *= larger;
      octave = 0;
    }
    const double s = power_of_two(octave + first_octave);
    const Box* box = boxes + (3 * octave + (z < s ? 0 : r < s ? 1 : 2));
    while (box->cut >= 0) {
      const bool upper = box->cut == 0 ? r >= box->rho_middle : z >= box->zeta_middle;
      box = boxes + box->next + (upper ? 1 : 0);
    }
    EightSums sum{};
    evaluate(coefficients + std::size_t{box->next} * (8 * terms),
             (r - box->rho_middle) * box->rho_scale,
             (z - box->zeta_middle) * box->zeta_scale, sum);
    double sine, cosine;
    sincos_simd(distance, sine, cosine);
    const HdComplex g = (1 / distance) * HdComplex{cosine, -sine};
    return {g * HdComplex{sum[0], sum[1]}, g * HdComplex{sum[2], sum[3]},
            g * HdComplex{sum[4], sum[5]}, g * HdComplex{sum[6], sum[7]}};
  }

 private:
  THINWIRE_HD static THINWIRE_INLINE int exponent_of(double x) {  // x > 0
    return static_cast<int>(__builtin_bit_cast(std::uint64_t, x) >> 52) - 1023;
  }
  THINWIRE_HD static THINWIRE_INLINE double power_of_two(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }

  /// Adds the sums of T_i(x) T_j(y) times the coefficients.
  THINWIRE_HD static THINWIRE_INLINE void evaluate(const double* c, double x, double y,
                                                   EightSums& sum) {
    double tx[degree + 1];
    tx[0] = 1;
    tx[1] = x;
    for (int i = 2; i <= degree; ++i) tx[i] = 2 * x * tx[i - 1] - tx[i - 2];
    double ty = 1, ty_before = y;  // T_1 = T_-1
    for (int j = 0; j <= degree; ++j) {
      EightSums row{};
      for (int i = 0; i <= degree - j; ++i, c += 8) add_eight(tx[i], c, row);
      add_eight(ty, row, sum);
      const double ty_next = 2 * y * ty - ty_before;
      ty_before = ty;
      ty = ty_next;
    }
  }
};

/// The table of one ground at one frequency.
class GroundTable {
 public:
  /// For k R from `least` to `most`. 1e-7 of an image. All octaves of an antenna of 10
  /// wavelengths take 0.1 s on two cores.
  GroundTable(Complex eps, double least, double most);

  Complex eps() const { return eps_; }
  GroundTableView view() const {
    return {boxes_.data(), coefficients_.data(), first_octave_, octaves_};
  }
  std::size_t boxes() const { return boxes_.size(); }
  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  Complex eps_;
  std::int32_t first_octave_ = 0, octaves_ = 0;
  std::vector<GroundTableView::Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace thinwire
