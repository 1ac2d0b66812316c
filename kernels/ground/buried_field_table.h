#pragma once

#include <span>
#include <vector>

#include "kernels/ground/buried_field_kernels.h"
#include "kernels/ground/transmission_tree.h"

namespace thinwire {

/// The distances from the surface, times k, that observers have where these are few: the
/// planes of a grid. A table has polynomials for each of them, of the horizontal distance
/// and the distance of the currents from the surface.
class BuriedLevels {
 public:
  BuriedLevels() = default;
  /// distances: of all observers, in any order. Returns none where polynomials of the
  /// distance take less, or where the deepest is silent. deepest_source: times k.
  static BuriedLevels of(BuriedWay way, Complex eps, std::vector<double> distances,
                         double deepest_source);

  std::size_t count() const { return distances_.size(); }
  bool empty() const { return distances_.empty(); }
  double operator[](std::size_t level) const { return distances_[level]; }
  /// Returns the number of a distance among them.
  std::size_t number_of(double distance) const;

  /// Place of currents at a distance from the surface as an observer of one level has
  /// it, and the other way round.
  BuriedPlace place(double rho, double source, std::size_t level) const;
  double source_of(const BuriedPlace& place, std::size_t level) const;

 private:
  BuriedWay way_{};
  std::vector<double> distances_;  ///< in ascending order
};

/// Which places are asked for, by the boxes of TransmissionBoxes: their extent and
/// number. Very near ones and what is deeper than buried_nats are not counted: no table
/// holds them. With levels, boxes are those of rho and the least z + depth.
class BuriedPlaces {
 public:
  explicit BuriedPlaces(Complex eps, const BuriedLevels& levels = {});

  /// observer: its distance from the surface, times k; it counts with levels only.
  void add(const BuriedPlace& place, double observer = 0);
  void add(const BuriedPlaces& more);
  /// Returns the number of places that were added.
  double count() const;
  /// Returns the places that were added for a box.
  const TransmissionUse& in_use(std::int32_t number) const { return parts_[number]; }

  const BuriedLevels& levels() const { return levels_; }

  /// Octaves of places that a table may hold: 2^-27 to 2^33.
  static constexpr std::int32_t first_octave = -27, octaves = 60;

 private:
  double deepest_;
  BuriedLevels levels_;
  std::vector<TransmissionUse> parts_;
};

/// The kernels of buried_field_kernels.h at many places, interpolated: over
///
///   e^{-jR} e^{-j k2 depth} (1 + R)/R^2,   R^2 = rho^2 + (z + depth)^2,
///
/// they are smooth, and stored as polynomials (transmission_tree.h). Error 3e-8 of that,
/// of charges times their static part, 2/(eps + 1), or 1/eps of what is reflected.
class BuriedFieldTable {
 public:
  /// For these places only. Where they are few in a box it has no polynomials.
  BuriedFieldTable(FieldKind kind, BuriedWay way, Complex eps,
                   const BuriedPlaces& places);

  /// Sets the kernels of places that the table was made for, and appends the numbers of
  /// those that it has no polynomials for. observer: the distance of all from the
  /// surface, times k; it counts with levels only.
  void at(std::span<const BuriedPlace> places, std::span<FieldKernels> kernels,
          std::vector<std::size_t>& missing, double observer = 0) const;

  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  double deepest_;
  BuriedLevels levels_;
  FieldKernels sizes_;  ///< of the kernels' static parts
  Complex k2_;
  std::vector<TransmissionBox> boxes_;
  std::vector<double> coefficients_;  ///< [terms][levels][10]
};

}  // namespace thinwire
