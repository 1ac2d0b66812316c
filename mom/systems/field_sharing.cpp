#include "mom/systems/field_sharing.h"

#include <array>
#include <numeric>

namespace thinwire {

PlaceRange places_of(std::size_t places, std::size_t owner,
                     std::span<const double> rates) {
  const auto sum = [](std::span<const double> some) {
    return std::accumulate(some.begin(), some.end(), 0.0);
  };
  const auto bound = [&](std::size_t of) {
    if (of == rates.size()) return places;
    return static_cast<std::size_t>(static_cast<double>(places) * sum(rates.first(of)) /
                                    sum(rates));
  };
  return {bound(owner), bound(owner + 1) - bound(owner)};
}

void FieldSharingBackend::far_field(const CurrentMoments& moments,
                                    std::span<const Direction> directions,
                                    double k_rad_per_m, std::span<Complex> e_theta_v,
                                    std::span<Complex> e_phi_v) const {
  const std::array values = {e_theta_v, e_phi_v};
  share({directions.size(), moments.size(), 1, values}, [&](PlaceRange part) {
    far_field_part(moments, directions.subspan(part.first, part.count), k_rad_per_m,
                   e_theta_v.subspan(part.first, part.count),
                   e_phi_v.subspan(part.first, part.count), directions.size());
  });
}

void FieldSharingBackend::electric_field(const NearFieldSources& sources,
                                         std::span<const Vec3> points_m,
                                         double k_rad_per_m,
                                         std::span<Complex> e_v_per_m) const {
  const std::array values = {e_v_per_m};
  share({points_m.size(), sources.x.size(), 3, values}, [&](PlaceRange part) {
    electric_field_part(sources, points_m.subspan(part.first, part.count), k_rad_per_m,
                        e_v_per_m.subspan(3 * part.first, 3 * part.count),
                        points_m.size());
  });
}

void FieldSharingBackend::magnetic_field(const NearFieldSources& sources,
                                         std::span<const Vec3> points_m,
                                         double k_rad_per_m,
                                         std::span<Complex> h_a_per_m) const {
  const std::array values = {h_a_per_m};
  share({points_m.size(), sources.x.size(), 3, values}, [&](PlaceRange part) {
    magnetic_field_part(sources, points_m.subspan(part.first, part.count), k_rad_per_m,
                        h_a_per_m.subspan(3 * part.first, 3 * part.count),
                        points_m.size());
  });
}

}  // namespace thinwire
