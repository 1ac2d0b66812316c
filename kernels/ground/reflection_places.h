#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/ground/half_space.h"

namespace thinwire {

/// Which horizontal distances and sums of heights, both times k, are in use: what a table
/// of the ground is made for. Kept for the three boxes of every octave (ground_table.h)
/// as a map of 16 by 16 and the range in use.
class ReflectionPlaces {
 public:
  /// Distances below `least` count as being there in the same direction.
  ReflectionPlaces(double least, double most);
  static ReflectionPlaces all(double least, double most);

  void add(const ReflectionRange& range);

  std::int32_t first_octave() const { return first_octave_; }
  std::int32_t octaves() const { return static_cast<std::int32_t>(boxes_.size() / 3); }
  ReflectionRange box(std::int32_t number) const;  ///< 3 * octave + box
  /// Returns the range in use of a part of that box; nothing where none is.
  std::optional<ReflectionRange> in_use(std::int32_t number,
                                        const ReflectionRange& part) const;

 private:
  static constexpr int cells = 16;
  struct Box {
    bool used = false;
    ReflectionRange range{};
    std::array<std::uint16_t, cells> row{};  ///< [zeta], bit of rho
  };

  std::int32_t first_octave_;
  std::vector<Box> boxes_;
};

}  // namespace thinwire
