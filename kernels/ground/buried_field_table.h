#pragma once

#include <span>
#include <vector>

#include "kernels/ground/buried_field_kernels.h"
#include "kernels/ground/transmission_tree.h"

namespace thinwire {

/// Which places are asked for, by the boxes of TransmissionBoxes: their extent and
/// number. Very near ones and what is deeper than buried_nats are not counted: no table
/// holds them.
class BuriedPlaces {
 public:
  explicit BuriedPlaces(Complex eps);

  void add(const BuriedPlace& place);
  void add(const BuriedPlaces& more);
  /// Returns the number of places that were added.
  double count() const;
  /// Returns the places that were added for a box.
  const TransmissionUse& in_use(std::int32_t number) const { return parts_[number]; }

  /// Octaves of places that a table may hold: 2^-27 to 2^33.
  static constexpr std::int32_t first_octave = -27, octaves = 60;

 private:
  double deepest_;
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
  /// those that it has no polynomials for.
  void at(std::span<const BuriedPlace> places, std::span<FieldKernels> kernels,
          std::vector<std::size_t>& missing) const;

  std::size_t bytes() const {
    return boxes_.size() * sizeof(boxes_[0]) + coefficients_.size() * sizeof(double);
  }

 private:
  double deepest_;
  FieldKernels sizes_;  ///< of the kernels' static parts
  Complex k2_;
  std::vector<TransmissionBox> boxes_;
  std::vector<double> coefficients_;  ///< [terms][10]
};

}  // namespace thinwire
