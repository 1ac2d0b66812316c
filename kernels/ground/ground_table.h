#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/base/large_vector.h"
#include "kernels/base/sincos.h"
#include "kernels/ground/half_space.h"
#include "kernels/ground/reflection_places.h"

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

/// sum = x sum + c, [8].
#if defined(__GNUC__) && !defined(__CUDACC__)
THINWIRE_INLINE void horner_step(double x, const EightSums& c, EightSums& sum) {
  sum = x * sum + c;
}
THINWIRE_INLINE void horner_step(double x, const double* c, EightSums& sum) {
  EightSums some;
  __builtin_memcpy(&some, c, sizeof some);
  horner_step(x, some, sum);
}
#else
THINWIRE_HD THINWIRE_INLINE void horner_step(double x, const EightSums& c,
                                             EightSums& sum) {
  for (int n = 0; n < 8; ++n) sum[n] = x * sum[n] + c[n];
}
THINWIRE_HD THINWIRE_INLINE void horner_step(double x, const double* c, EightSums& sum) {
#if defined(__CUDA_ARCH__)
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const double2 some = __ldg(reinterpret_cast<const double2*>(c) + n);
    sum[2 * n] = x * sum[2 * n] + some.x;
    sum[2 * n + 1] = x * sum[2 * n + 1] + some.y;
  }
#else
  for (int n = 0; n < 8; ++n) sum[n] = x * sum[n] + c[n];
#endif
}
#endif

/// Reflection of the ground beside the image, for any places: the reflected kernels
/// (half_space.h) less those of an image of strength -C0,
///
///   Gh + C0 G,  Kphi + C0 G,  Kzz - C0 G,  Q,    G = e^{-jkR}/R, R^2 = rho^2 + zeta^2.
///
/// An image is the mirrored element with the current turned round (Medium), so that the
/// ground is that image times C0 and this. All four vanish where eps = 1, and towards a
/// perfect conductor. Below the surface (GroundSide::below), zeta being the sum of both
/// depths and the elements mirrored in z = 0, they are those of buried_kernels.h less an
/// image of strength C0 in a medium of wave number k2,
///
///   Gh - C0 G2,  Kphi - C0 G2 / eps,  Kzz + C0 G2,  Q,    G2 = e^{-j k2 R}/R.
///
/// Stored is each of them over G (below too, where G2 dies), which is smooth, as
/// polynomials on cells of boxes in the plane of rho and zeta. For every octave s of
/// max(rho, zeta) there are three boxes, next to the corner at 0, so that the octave is
/// the exponent of a double:
///
///        zeta
///     2s +-----+-----+
///        |  1  |  2  |      A box is shrunk to the places in use, and halved, in rho or
///      s +-----+-----+      zeta, until 12 by 12 Chebyshev nodes represent it; then it
///        |smaller|  0 |     is cut into equal cells of one short polynomial each.
///      0 +-----+-----+ rho
///        0     s     2s
///
/// Plain arrays: CPU and GPU read the same.
struct GroundTableView {
  static constexpr int degree = 4;  ///< of rho and zeta together
  static constexpr int terms = (degree + 1) * (degree + 2) / 2;

  /// A box: a leaf with its cells, or halved, the halves standing side by side.
  struct Box {
    double rho, rho_scale;    ///< (rho' - rho) scale is counted in cells; or the cut
    double zeta, zeta_scale;  ///< likewise
    std::uint32_t next;       ///< lower half, or number of the first cell
    std::int8_t cut;          ///< 0: halved in rho, 1: in zeta, -1: a leaf
    std::uint8_t rho_cells, zeta_cells;
  };

  const Box* boxes = nullptr;
  /// [cells][terms][8]: of x^i y^j, i + j <= degree, from the highest down, i running
  /// first; x and y from -1 to 1 in the cell; real and imaginary part of the four in the
  /// order of ReflectedKernels. The cells of a box: [zeta][rho].
  const double* coefficients = nullptr;
  std::int32_t first_octave = 0, octaves = 0;

  /// A cell and where in it, x and y from -1 to 1.
  struct Spot {
    std::size_t cell;
    double x, y;
  };

  /// Where k rho, k zeta lie: a place that the table was made for. Smaller distances than
  /// the table's are met as those of the first octave in the same direction.
  THINWIRE_HD THINWIRE_INLINE Spot find(double rho, double zeta) const {
    int octave = exponent_of(rho > zeta ? rho : zeta) - first_octave;
    double r = rho, z = zeta;
    if (octave < 0) {
      const double larger = power_of_two(-octave);
      r *= larger;
      z *= larger;
      octave = 0;
    }
    if (octave >= octaves) octave = octaves - 1;
    const double s = power_of_two(octave + first_octave);
    const Box* box = boxes + (3 * octave + (z < s ? 0 : r < s ? 1 : 2));
    while (box->cut >= 0) {
      const bool upper = box->cut == 0 ? r >= box->rho : z >= box->zeta;
      box = boxes + box->next + (upper ? 1 : 0);
    }
    const double x = (r - box->rho) * box->rho_scale,
                 y = (z - box->zeta) * box->zeta_scale;
    const int i = cell_of(x, box->rho_cells), j = cell_of(y, box->zeta_cells);
    return {std::size_t{box->next} + j * box->rho_cells + i, 2 * (x - i) - 1,
            2 * (y - j) - 1};
  }

  /// Sets `sum` to the four over G, there.
  THINWIRE_HD THINWIRE_INLINE void over_g(double rho, double zeta, EightSums& sum) const {
    const Spot at = find(rho, zeta);
    polynomial(coefficients + at.cell * (8 * terms), at.x, at.y, sum);
  }

  /// The four, times 1/k.
  THINWIRE_HD THINWIRE_INLINE ReflectedKernels at(double rho, double zeta) const {
    const double distance = std::sqrt(rho * rho + zeta * zeta);
    EightSums sum;
    over_g(rho, zeta, sum);
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
  THINWIRE_HD static THINWIRE_INLINE int cell_of(double x, int cells) {
    const int cell = static_cast<int>(x);
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
  }
  THINWIRE_HD static THINWIRE_INLINE void polynomial(const double* c, double x, double y,
                                                     EightSums& sum) {
    sum = EightSums{};
    for (int j = degree; j >= 0; --j) {
      EightSums row{};
      for (int i = degree - j; i >= 0; --i, c += 8) horner_step(x, c, row);
      horner_step(y, row, sum);
    }
  }
};

// Where its boxes are fitted (box_fitter.h).
class BoxFitter;
using MakeBoxFitter = std::unique_ptr<BoxFitter> (*)(Complex eps, GroundSide side);
std::unique_ptr<BoxFitter> cpu_box_fitter(Complex eps, GroundSide side);

/// Error of a ground's tables, of an image (below: of 1/R, and of 1/(|eps| R) for
/// charges; across: of G, and of 2 G / |eps + 1|).
inline constexpr double default_table_error = 1e-7;

/// How tables of the ground are made: how exactly, 1e-10 or more, and where. Fitted on
/// the CPU or on a GPU, tables differ by rounding.
struct TableMaking {
  double error = default_table_error;
  MakeBoxFitter make_fitter = cpu_box_fitter;
};

/// The table of one ground at one frequency, for currents on one side of its surface.
class GroundTable {
 public:
  /// For k R from `least` to `most`.
  GroundTable(Complex eps, double least, double most, GroundSide side = GroundSide::above)
      : GroundTable(eps, ReflectionPlaces::all(least, most), side) {}
  /// For these places only.
  GroundTable(Complex eps, const ReflectionPlaces& places,
              GroundSide side = GroundSide::above, const TableMaking& making = {});

  /// Sets Kphi to zero, for currents that leave no charges.
  void leave_out_charges();

  Complex eps() const { return eps_; }
  GroundTableView view() const {
    return {boxes_.data(), coefficients_.data(), first_octave_, octaves_};
  }
  const std::vector<GroundTableView::Box>& boxes() const { return boxes_; }
  const LargeVector<double>& coefficients() const { return coefficients_; }
  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  Complex eps_;
  std::int32_t first_octave_ = 0, octaves_ = 0;
  std::vector<GroundTableView::Box> boxes_;
  LargeVector<double> coefficients_;
};

}  // namespace thinwire
