#include "mom/media/transmitted.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "mom/media/plane_waves.h"

namespace thinwire {

void add_waves_through_ground(GroundSide side, std::span<const Element> elements,
                              std::span<const Complex> end_current_a, GreensKernel kernel,
                              std::span<const Direction> directions, double k,
                              Complex permittivity, std::span<Complex> e_theta_v,
                              std::span<Complex> e_phi_v) {
  const bool lossless = permittivity.imag() == 0;
  const auto arrives = [&](const Direction& way) {
    return std::cos(way.theta) < 0 ? lossless : side == GroundSide::below;
  };
  if (elements.empty() || std::none_of(directions.begin(), directions.end(), arrives))
    return;
  const double n = std::abs(std::sqrt(permittivity));
  const WaveMoments moments(elements, end_current_a, kernel, k, n);
#pragma omp parallel for schedule(static, 4)
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(directions.size()); ++d) {
    if (!arrives(directions[d])) continue;
    const double density = std::cos(directions[d].theta) < 0 ? std::sqrt(n) : 1;
    const Complex factor(0, -k * eta0_ohm / (4 * pi) * density);
    for (const SideWave& wave : waves_met(permittivity, directions[d], side)) {
      const ComplexVec3 met = moments.met_by(wave.u);
      const auto along = [&](const ComplexVec3& e) {
        return factor * (e.x * met.x + e.y * met.y + e.z * met.z);
      };
      e_theta_v[d] += along(wave.theta_v);
      e_phi_v[d] += along(wave.phi_v);
    }
  }
}

}  // namespace thinwire
