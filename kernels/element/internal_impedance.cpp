#include "kernels/element/internal_impedance.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Complex = std::complex<double>;

// From here on the asymptotic series serve: what they leave out is e^{-2 Re z} < 1e-18,
// and their smallest term is below that.
constexpr double large = 30;

// z I0(z) / (2 I1(z)) by the continued fraction
//   z I0 / I1 = 2 + z^2 / (4 + z^2 / (6 + z^2 / (8 + ...)))
// (from I_{n-1} - I_{n+1} = 2 n I_n / z, Abramowitz and Stegun 9.6.26). On the ray
// arg z = pi/4 every partial denominator has a positive real part, so that evaluation
// from the tail is stable; a tail of 80 terms is exact to rounding for |z| < 30.
Complex ratio_of_small(Complex z) {
  const Complex z2 = z * z;
  Complex tail = 160;
  for (int n = 79; n >= 1; --n) tail = 2.0 * n + z2 / tail;
  return 0.5 * tail;
}

// sum_k prod_{i<=k} -(4 nu^2 - (2 i - 1)^2) / (8 i z): the asymptotic series of
// sqrt(2 pi z) e^{-z} I_nu(z), nu2 = 4 nu^2 (Abramowitz and Stegun 9.7.1).
Complex asymptotic_series(double nu2, Complex z) {
  Complex sum = 1, term = 1;
  for (int k = 1; k <= 40 && std::abs(term) > 1e-18; ++k) {
    const double odd = 2 * k - 1;
    term *= -(nu2 - odd * odd) / (8.0 * k) / z;
    sum += term;
  }
  return sum;
}

Complex ratio_of_large(Complex z) {
  return 0.5 * z * asymptotic_series(0, z) / asymptotic_series(4, z);
}

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(
        ErrorKind::numeric,
        fmt::format("internal impedance: {} must be positive and finite (got {}).", what,
                    value));
}

}  // namespace

Complex internal_impedance_ohm_per_m(double frequency_hz, double radius_m,
                                     double conductivity_s_per_m,
                                     double relative_permeability) {
  require_positive(radius_m, "radius in m");
  require_positive(conductivity_s_per_m, "conductivity in S/m");
  require_positive(relative_permeability, "relative permeability");
  if (frequency_hz != 0) require_positive(frequency_hz, "frequency in Hz");
  const double direct_current_ohm_per_m =
      1 / (pi * radius_m * radius_m * conductivity_s_per_m);
  const double radius_in_skin_depths =
      radius_m * std::sqrt(pi * frequency_hz * mu0_h_per_m * relative_permeability *
                           conductivity_s_per_m);
  const Complex z(radius_in_skin_depths, radius_in_skin_depths);
  return direct_current_ohm_per_m *
         (std::abs(z) < large ? ratio_of_small(z) : ratio_of_large(z));
}

Complex harmonic_amplitude(double frequency_hz, double radius_m,
                           double conductivity_s_per_m, double relative_permeability) {
  const Complex x_i0_over_i1 =
      2 * pi * radius_m * radius_m * conductivity_s_per_m *
      internal_impedance_ohm_per_m(frequency_hz, radius_m, conductivity_s_per_m,
                                   relative_permeability);
  return (x_i0_over_i1 - 1.0 - relative_permeability) /
         (x_i0_over_i1 - 1.0 + relative_permeability);
}

}  // namespace thinwire
