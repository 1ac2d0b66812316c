#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/fill/line_table.h"
#include "kernels/fill/wavenumber_nodes.h"
#include "kernels/ground/ground_table.h"
#include "mom/discretization/discretization.h"
#include "mom/problem/ground.h"

namespace thinwire {

/// Contribution of a real ground to Z in a sweep, interpolated over frequency: entries
/// times k e^{jkR}, R from one function's place to the other's image, are smooth.
/// Computed at 9, 17 or 33 Chebyshev points, whichever leave 1e-6 of the largest entry,
/// as ground_pair.h does.
class GroundSweep {
 public:
  /// Null where elements lie in the ground, or that takes more than a third of the
  /// frequencies or `max_bytes`. Throws Error{interrupted} where the monitor requests a
  /// stop.
  static std::shared_ptr<const GroundSweep> make(
      const Discretization& discretization, const Ground& ground, WavenumberRange range,
      GreensKernel kernel, std::size_t max_bytes, const Monitor& monitor = {},
      double table_error = default_table_error);

  /// Returns the bytes of the table of so many functions, and as much again while it is
  /// made: at 17 points, as for arrays of dipoles, or at 9 where the frequencies do not
  /// justify more; 0 where they justify none.
  static std::size_t default_table_bytes(std::size_t functions, std::size_t frequencies);

  /// Adds the ground's part at a wave number of the range, ohm, to z, in tiles
  /// (packed_tiles.h).
  void add_to(std::span<Complex> z, double k_rad_per_m) const;

  const Ground& ground() const { return ground_; }
  std::size_t nodes() const { return table_.nodes(); }

 private:
  GroundSweep(const Discretization& discretization, const Ground& ground);
  double node_k(double cosine) const;
  void turn(double k_rad_per_m, std::span<Complex> z) const;
  void turn_line_of(std::size_t line, double k_rad_per_m, double* entries) const;
  static bool holds(const std::vector<std::vector<Complex>>& nodes);

  Ground ground_;
  double k_middle_ = 0, k_half_ = 0;
  PackedTiles layout_;
  std::vector<double> x_m_, y_m_, z_m_;  // of the functions, and of the padding
  LineTable table_;                      // nodes from the last wave number down
};

}  // namespace thinwire
