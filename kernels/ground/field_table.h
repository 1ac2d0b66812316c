#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/ground/field_kernels.h"

namespace thinwire {

/// The field kernels of one ground less those of an image of strength C0 (half_space.h),
/// interpolated: over e^{-jR}(1 + R)/R^2 they are smooth, and stored as polynomials on
/// the dyadic boxes of ground_table.h. Near fields want them at few places, which may lie
/// far away, so that only those boxes are filled that places lie in. A box's numbers do
/// not depend on which others are there.
class FieldTable {
 public:
  FieldTable(FieldKind kind, Complex eps);

  FieldKind kind() const { return kind_; }
  Complex eps() const { return eps_; }

  /// Calls `visit` with a function of (rho, zeta), times k, to be called with all places
  /// that at() will be asked for, until their boxes are there. `visit` may call it from
  /// several threads.
  using Mark = std::function<void(double rho, double zeta)>;
  void cover(const std::function<void(const Mark&)>& visit);

  /// Returns the kernels at a covered place, times 1/k, or 1/k^2 as in field_kernels.h.
  /// Error 3e-8 of the image's e^{-jR}(1 + R)/R^2. Distances below 1e-8 are replaced by
  /// that distance in the same direction.
  FieldKernels at(double rho, double zeta) const;

  std::size_t leaves() const { return coefficients_.size() / (terms * numbers); }

 private:
  static constexpr int degree = 10;  ///< of rho and zeta together
  static constexpr int terms = (degree + 1) * (degree + 2) / 2;
  static constexpr int nodes = degree + 2;  ///< one degree more, to see what is left out
  static constexpr int numbers = 10;        ///< real and imaginary parts of the kernels

  enum : std::int8_t { unknown = -2, leaf = -1, in_rho = 0, in_zeta = 1 };
  struct Box {
    ReflectionRange range;
    std::uint32_t next = 0;  ///< lower half, or which leaf
    std::int8_t cut = unknown;
    std::int8_t cuts = 0;  ///< how often its first box was halved
  };
  /// Result of fitting a box.
  struct Fit {
    std::int8_t cut;
    std::vector<double> coefficients;  ///< [terms][numbers] of a leaf
  };

  /// Where a place lies: the box, and the place scaled into the table's octaves.
  struct Found {
    std::size_t box;
    double rho, zeta;
  };
  Found find(double rho, double zeta) const;
  Fit fit(const Box& box) const;

  FieldKind kind_;
  Complex eps_;
  std::vector<Box> boxes_;
  std::vector<double> coefficients_;
};

}  // namespace thinwire
