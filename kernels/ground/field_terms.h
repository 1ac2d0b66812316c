#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/ground/field_kernels.h"
#include "kernels/ground/source_points.h"

namespace thinwire {

struct ComplexVector {
  Complex x, y, z;

  ComplexVector& operator+=(const ComplexVector& v) {
    x += v.x;
    y += v.y;
    z += v.z;
    return *this;
  }
};

/// Returns the brackets of ground_field.h for one source point, by wave number. cosine,
/// sine: of the horizontal direction from it to the observer.
inline ComplexVector electric_terms(const SourcePoint& s, double cosine, double sine,
                                    const FieldKernels& g) {
  const auto& [h, zz, q, charge_out, charge_up] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const Complex out = s.derivative * charge_out - s.moment * s.tangent.z * q;
  return {s.moment * s.tangent.x * h + out * cosine,
          s.moment * s.tangent.y * h + out * sine,
          s.moment * (s.tangent.z * zz + along_r * q) + s.derivative * charge_up};
}

inline ComplexVector magnetic_terms(const SourcePoint& s, double cosine, double sine,
                                    const FieldKernels& g) {
  const auto& [h_out, h_up, v_out, q_out, q_over_rho] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const double along_phi = s.tangent.y * cosine - s.tangent.x * sine;
  // grad Gh x t_h, and the curl of the vertical components.
  const Complex around = -s.tangent.z * v_out - along_r * q_out;
  const Complex out = along_phi * q_over_rho;
  return {s.moment * (-s.tangent.y * h_up + out * cosine - around * sine),
          s.moment * (s.tangent.x * h_up + out * sine + around * cosine),
          s.moment * (along_phi * h_out)};
}

inline ComplexVector field_terms(FieldKind kind, const SourcePoint& s, double cosine,
                                 double sine, const FieldKernels& g) {
  return kind == FieldKind::electric ? electric_terms(s, cosine, sine, g)
                                     : magnetic_terms(s, cosine, sine, g);
}

/// Sum of terms at one observer.
class FieldSum {
 public:
  explicit FieldSum(const CurrentSources&) {}

  void add(FieldKind kind, const SourcePoint& s, double cosine, double sine,
           const FieldKernels& g) {
    sum_ += field_terms(kind, s, cosine, sine, g);
  }
  /// Calls visit(0, sum).
  template <class Visit>
  void visit(const Visit& visit) const {
    visit(std::size_t{0}, sum_);
  }
  static std::size_t place(std::size_t, std::span<const std::size_t>) { return 0; }

 private:
  ComplexVector sum_;
};

/// Sums of terms at one observer for one ampere at each end of each element.
class FieldSumsOfEnds {
 public:
  explicit FieldSumsOfEnds(const CurrentSources& sources)
      : sums_(2 * sources.elements.size()) {}

  void add(FieldKind kind, const SourcePoint& s, double cosine, double sine,
           const FieldKernels& g) {
    for (int end = 0; end < 2; ++end)
      sums_[2 * s.element + static_cast<std::size_t>(end)] +=
          field_terms(kind, s.for_one_ampere(end), cosine, sine, g);
  }
  /// Calls visit(end, sum), end: 2 element or 2 element + 1.
  template <class Visit>
  void visit(const Visit& visit) const {
    for (std::size_t end = 0; end < sums_.size(); ++end) visit(end, sums_[end]);
  }
  /// Returns the end among those of all elements. numbers: of these elements there.
  static std::size_t place(std::size_t end, std::span<const std::size_t> numbers) {
    return 2 * numbers[end / 2] + end % 2;
  }

 private:
  std::vector<ComplexVector> sums_;
};

/// Factor of the sum of terms that gives V/m or A/m: the kernels are times 1/k, or 1/k^2
/// where they stand without k in the sum.
inline Complex field_factor(FieldKind kind, double k_rad_per_m) {
  const double k2 = k_rad_per_m * k_rad_per_m / (4 * pi);
  return kind == FieldKind::electric ? Complex(0, -k2 * eta0_ohm) : Complex(k2);
}

}  // namespace thinwire
