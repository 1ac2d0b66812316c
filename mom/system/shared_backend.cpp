#include "mom/system/shared_backend.h"

#include <array>
#include <vector>

namespace thinwire {
namespace {

/// Sums of fewer terms take a rank less time than what it would wait for the others'.
constexpr double worth_sharing_terms = 1e6;

}  // namespace

/// Calls field(first, count) for this rank's part of `count` places, of which it writes
/// `numbers_each` to each span of whole, and gathers those of all ranks there.
template <class Field>
void SharedBackend::share(std::size_t count, std::size_t terms_each,
                          std::size_t numbers_each,
                          std::span<const std::span<Complex>> whole,
                          const Field& field) const {
  if (static_cast<double>(count) * static_cast<double>(terms_each) < worth_sharing_terms)
    return field(0, count);
  const auto rank = static_cast<std::size_t>(ranks_.rank()),
             ranks = static_cast<std::size_t>(ranks_.ranks());
  const std::size_t first = count * rank / ranks,
                    mine = count * (rank + 1) / ranks - first;
  field(first, mine);
  for (const std::span<Complex> values : whole) {
    const auto part = values.subspan(numbers_each * first, numbers_each * mine);
    const std::vector<Complex> own(part.begin(), part.end());
    ranks_.gather(std::span<const Complex>(own), values);
  }
}

void SharedBackend::far_field(const CurrentMoments& moments,
                              std::span<const Direction> directions, double k_rad_per_m,
                              std::span<Complex> e_theta_v,
                              std::span<Complex> e_phi_v) const {
  const std::array whole = {e_theta_v, e_phi_v};
  share(directions.size(), moments.size(), 1, whole,
        [&](std::size_t first, std::size_t count) {
          own_.far_field(moments, directions.subspan(first, count), k_rad_per_m,
                         e_theta_v.subspan(first, count), e_phi_v.subspan(first, count));
        });
}

void SharedBackend::electric_field(const NearFieldSources& sources,
                                   std::span<const Vec3> points_m, double k_rad_per_m,
                                   std::span<Complex> e_v_per_m) const {
  share(points_m.size(), sources.x.size(), 3, std::array{e_v_per_m},
        [&](std::size_t first, std::size_t count) {
          own_.electric_field(sources, points_m.subspan(first, count), k_rad_per_m,
                              e_v_per_m.subspan(3 * first, 3 * count));
        });
}

void SharedBackend::magnetic_field(const NearFieldSources& sources,
                                   std::span<const Vec3> points_m, double k_rad_per_m,
                                   std::span<Complex> h_a_per_m) const {
  share(points_m.size(), sources.x.size(), 3, std::array{h_a_per_m},
        [&](std::size_t first, std::size_t count) {
          own_.magnetic_field(sources, points_m.subspan(first, count), k_rad_per_m,
                              h_a_per_m.subspan(3 * first, 3 * count));
        });
}

}  // namespace thinwire
