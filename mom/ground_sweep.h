#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "kernels/ground/ground_table.h"
#include "mom/discretisation.h"
#include "mom/ground.h"

namespace thinwire {

/// What a real ground adds to Z in a sweep, interpolated over frequency: entries times
/// k e^{jkR}, R from one function's place to the other's image, are smooth. Computed at
/// 9, 17 or 33 Chebyshev points, whichever leave 1e-6 of the largest entry, as
/// ground_pair.h does.
class GroundSweep {
 public:
  /// Nothing where elements lie in the ground, or that takes more than a third of the
  /// frequencies or `most_bytes`. Throws Error{interrupted} where the monitor asks for a
  /// stop; it is told nothing.
  static std::optional<GroundSweep> make(const Discretisation& antenna,
                                         const Ground& ground, WavenumberRange range,
                                         GreensKernel kernel, std::size_t most_bytes,
                                         const Monitor& monitor = {},
                                         double table_error = usual_table_error);

  /// Adds the ground's part at a wave number of the range, ohm, to z, in tiles
  /// (packed_tiles.h).
  void add_to(std::span<Complex> z, double k_rad_per_m) const;

  const Ground& ground() const { return ground_; }
  std::size_t nodes() const { return node_.size(); }

 private:
  GroundSweep(const Discretisation& antenna, const Ground& ground);
  double node_k(double cosine) const;
  bool holds() const;
  template <class Body>
  void for_entries(const Body& body) const;

  Ground ground_;
  double k_middle_ = 0, k_half_ = 0;
  std::vector<Vec3> place_m_;               // of the functions
  std::vector<std::vector<Complex>> node_;  // [nodes], from the last wave number down
};

}  // namespace thinwire
