#include "kernels/fill/dipole_groups.h"

namespace thinwire {
namespace {

Complex coupling(const DipoleCoupling<double>& of, const DipoleGroups& groups,
                 std::size_t a, std::size_t b) {
  double re = 0, im = 0;
  for (std::uint32_t i = groups.first[a]; i < groups.first[a + 1]; ++i)
    for (std::uint32_t j = groups.first[b]; j < groups.first[b + 1]; ++j)
      add_reaction(of, groups.dipole[i], groups.dipole[j], re, im);
  return Complex(0, of.k_rad_per_m * eta0_ohm / (4 * pi)) * Complex(re, im);
}

DipoleCoupling<double> coupling_of(const DipoleGroups& groups, double k_rad_per_m,
                                   Medium medium) {
  return {k_rad_per_m, groups.min_distance_m * groups.min_distance_m, medium};
}

}  // namespace

Complex group_coupling(const DipoleGroups& groups, std::size_t a, std::size_t b,
                       double k_rad_per_m, Medium medium) {
  return coupling(coupling_of(groups, k_rad_per_m, medium), groups, a, b);
}

std::vector<Complex> group_couplings(const DipoleGroups& groups, double k_rad_per_m,
                                     Medium medium) {
  const DipoleCoupling<double> of = coupling_of(groups, k_rad_per_m, medium);
  const std::size_t n = groups.size();
  std::vector<Complex> z(n * n);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      z[a + b * n] = z[b + a * n] = coupling(of, groups, a, b);
  return z;
}

}  // namespace thinwire
