#include "kernels/ground/transmission_places.h"

#include <algorithm>
#include <cmath>

#include "kernels/ground/octaves.h"

namespace thinwire {

// max(rho, z, depth) is R / sqrt 5 at least.
TransmissionPlaces::TransmissionPlaces(double least, double most)
    : first_octave_(octave_of(least / std::sqrt(5.0))),
      parts_(boxes_an_octave *
             (octave_of(most * (1 + place_slack)) - first_octave_ + 1)) {}

TransmissionRange TransmissionPlaces::box(std::int32_t number) const {
  const double s = std::ldexp(1.0, number / boxes_an_octave + first_octave_);
  const int far = number % boxes_an_octave + 1;
  const double rho = far & 1 ? s : 0, z = far & 2 ? s : 0, depth = far & 4 ? s : 0;
  return {rho, rho + s, z, z + s, depth, depth + s};
}

void TransmissionPlaces::add(const TransmissionRange& range) {
  const TransmissionRange wider = {
      (1 - place_slack) * range.rho_0,   (1 + place_slack) * range.rho_1,
      (1 - place_slack) * range.z_0,     (1 + place_slack) * range.z_1,
      (1 - place_slack) * range.depth_0, (1 + place_slack) * range.depth_1};
  const double start = std::ldexp(1.0, first_octave_);
  const bool nearer = std::max({wider.rho_0, wider.z_0, wider.depth_0}) < start;
  for (std::int32_t n = 0; n < static_cast<std::int32_t>(parts_.size()); ++n) {
    const TransmissionRange whole = box(n);
    if (nearer && n < boxes_an_octave) {
      parts_[n] = {{whole}};
      continue;
    }
    const TransmissionRange part = {
        std::max(wider.rho_0, whole.rho_0),     std::min(wider.rho_1, whole.rho_1),
        std::max(wider.z_0, whole.z_0),         std::min(wider.z_1, whole.z_1),
        std::max(wider.depth_0, whole.depth_0), std::min(wider.depth_1, whole.depth_1)};
    if (part.rho_0 <= part.rho_1 && part.z_0 <= part.z_1 && part.depth_0 <= part.depth_1)
      parts_[n].push_back({part});
  }
}

}  // namespace thinwire
