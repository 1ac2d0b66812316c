#include "mom/media/ground_cache.h"

namespace thinwire {
namespace {

/// A table for many wave numbers covers all that lies between their places: it ends here,
/// at 20 wavelengths.
constexpr int max_shared_octave = 7;

}  // namespace

const RealGround& GroundCache::at(const Ground& ground, double k,
                                  const Monitor& monitor) {
  if (now_ && ground == ground_ && k == k_rad_per_m_) return *now_;
  now_.reset();
  if (!(ground == ground_)) shared_.reset();
  ground_ = ground;
  k_rad_per_m_ = k;
  return now_.emplace(elements_, table_at(k), k, kernel_, monitor, making_, near_pairs_);
}

void GroundCache::put_in(FillInput& fill, const Ground& ground, const Monitor& monitor) {
  if (ground.kind == Ground::Kind::sommerfeld) {
    at(ground, fill.k_rad_per_m, monitor).put_in(fill);
  } else if (ground.kind == Ground::Kind::coefficients) {
    surface_ = reflecting_surface(ground, fill.k_rad_per_m);
    fill.surface = &surface_;
  }
}

std::shared_ptr<const GroundTable> GroundCache::table_at(double k) {
  if (shared_) return shared_;
  const auto make = [&](const ReflectionPlaces& places) {
    return std::make_shared<const GroundTable>(ground_.permittivity(k), places,
                                               GroundSide::above, making_);
  };
  if (range_.count > 1 &&
      ground_.permittivity(range_.first) == ground_.permittivity(range_.last)) {
    const ReflectionPlaces all = reflection_places(elements_, range_);
    if (all.first_octave() + all.octaves() <= max_shared_octave)
      return shared_ = make(all);
  }
  return make(reflection_places(elements_, {k, k, 1}));
}

}  // namespace thinwire
