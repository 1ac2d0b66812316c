#pragma once

#include <memory>
#include <optional>
#include <span>

#include "mom/media/real_ground.h"

namespace thinwire {

/// The real ground of a mesh from one fill to the next. At the same wave number all of it
/// stays; where the permittivity is the same at all wave numbers to come (no
/// conductivity, or a negative SIGMA), one table of what is above serves them all, unless
/// it reaches far.
class GroundCache {
 public:
  /// elements must outlive this. range: of the wave numbers to come. near_pairs: as
  /// RealGround's.
  GroundCache(std::span<const Element> elements, WavenumberRange range,
              GreensKernel kernel, const TableMaking& making = {}, bool near_pairs = true)
      : elements_(elements),
        range_(range),
        kernel_(kernel),
        making_(making),
        near_pairs_(near_pairs) {}

  /// Valid until the next call. Throws as RealGround does.
  const RealGround& at(const Ground& ground, double k_rad_per_m,
                       const Monitor& monitor = {});
  /// Sets a real ground in the input of a fill of these elements, which is valid until
  /// the next call; leaves the input as it is over any other. Throws as RealGround does.
  void put_in(FillInput& fill, const Ground& ground, const Monitor& monitor = {});
  /// The table of the real ground that put_in() has set; null: none.
  const GroundTable* table_in(const FillInput& fill) const {
    return fill.ground ? &now_->table() : nullptr;
  }

 private:
  std::shared_ptr<const GroundTable> table_at(double k_rad_per_m);

  std::span<const Element> elements_;
  WavenumberRange range_;
  GreensKernel kernel_;
  TableMaking making_;
  bool near_pairs_;
  Ground ground_;
  double k_rad_per_m_ = 0;
  std::shared_ptr<const GroundTable> shared_;  ///< of all wave numbers
  std::optional<RealGround> now_;
  ReflectingSurface surface_;  ///< of a ground by reflection coefficients
};

}  // namespace thinwire
