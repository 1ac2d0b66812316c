#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "mom/systems/backend.h"

namespace thinwire {

/// Some of the places of a field: directions of a far field, points of a near field.
struct PlaceRange {
  std::size_t first, count;
};

/// Returns the part of one of several owners, in proportion to the owners' rates (each >
/// 0): the ranges of all owners are consecutive and make up the whole.
PlaceRange places_of(std::size_t places, std::size_t owner,
                     std::span<const double> rates);

/// A Backend whose fields several owners share by places, where there is enough to share:
/// ranks (SharedBackend), GPUs (make_device_group_backend). The sum at a place is over
/// all sources and its owner's alone.
class FieldSharingBackend : public Backend {
 public:
  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const final;
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const final;
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const final;

 protected:
  /// A field that is to be shared, and where it goes.
  struct Field {
    std::size_t places;
    std::size_t terms_each;    ///< of the sum at a place
    std::size_t numbers_each;  ///< of a place, in each of `values`
    std::span<const std::span<Complex>> values;

    double terms() const {
      return static_cast<double>(places) * static_cast<double>(terms_each);
    }
  };
  /// Writes the values at these places.
  using AtPlaces = std::function<void(PlaceRange)>;

  /// Calls at() for each owner's range where that owner works, so that all values are
  /// there in the end.
  virtual void share(const Field& field, const AtPlaces& at) const = 0;

  /// Backend's three for an owner's places, of so many in all; called by at().
  virtual void far_field_part(const CurrentMoments& moments,
                              std::span<const Direction> directions, double k_rad_per_m,
                              std::span<Complex> e_theta_v, std::span<Complex> e_phi_v,
                              std::size_t directions_in_all) const = 0;
  virtual void electric_field_part(const NearFieldSources& sources,
                                   std::span<const Vec3> points_m, double k_rad_per_m,
                                   std::span<Complex> e_v_per_m,
                                   std::size_t points_in_all) const = 0;
  virtual void magnetic_field_part(const NearFieldSources& sources,
                                   std::span<const Vec3> points_m, double k_rad_per_m,
                                   std::span<Complex> h_a_per_m,
                                   std::size_t points_in_all) const = 0;
};

}  // namespace thinwire
