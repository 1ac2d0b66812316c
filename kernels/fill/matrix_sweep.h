#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"
#include "kernels/fill/line_table.h"
#include "kernels/fill/wavenumber_nodes.h"

namespace thinwire {

/// The impedance matrix of a mesh over a range of wave numbers, interpolated: that of one
/// wave number takes no integral and no Green's function, only `nodes` multiplications an
/// entry. Never changes once made, so that threads may share it.
///
/// Z_mn of functions on elements of lengths L_m1 .. L_n2 times
///
///     k s_m(k) s_n(k),   s_m = sin(k L_m1) sin(k L_m2) / (k^2 L_m1 L_m2)
///
/// is an entire function of k, the shape functions' denominators being taken out, that
/// oscillates with the distances of the mesh. So wavenumber_nodes.h says how many nodes
/// keep it. Real and imaginary part are interpolated each by itself. Far below resonance
/// real parts grow with the cube of k, so that the rounding of those at the highest nodes
/// reaches the lowest wave numbers: hence a decade at most.
class MatrixSweep {
 public:
  /// Fills the matrix at every node. Null where the range is more than a decade, nodes
  /// would be more than half of the wave numbers, or the table would take more than
  /// `max_bytes`. Throws Error{interrupted} where the monitor requests a stop.
  static std::shared_ptr<const MatrixSweep> make(std::span<const Element> elements,
                                                 std::span<const BasisFunction> basis,
                                                 WavenumberRange range,
                                                 GreensKernel kernel, Medium medium,
                                                 std::size_t max_bytes,
                                                 const Monitor& monitor = {});

  /// Returns the bytes of the table for so many functions; 0 where the range gives none.
  static std::size_t table_bytes(std::span<const Element> elements, std::size_t functions,
                                 WavenumberRange range, Medium medium);

  /// Fills the matrix of fill_impedance at a wave number of the range, to 1e-9 of the
  /// largest entry. z: packed_tiles.h, ohm.
  void fill(double k_rad_per_m, std::span<Complex> z) const;
  /// Fills for LineTable::at_once wave numbers: [at_once], z: [at_once][entries].
  void fill_at_once(std::span<const double> k_rad_per_m, std::span<Complex> z) const;

  const Medium& medium() const { return medium_; }
  std::size_t nodes() const { return nodes_.size(); }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  MatrixSweep(std::span<const Element> elements, std::span<const BasisFunction> basis,
              Medium medium, WavenumberNodes nodes);
  struct Scales;
  Scales scales_at(double k_rad_per_m) const;
  std::vector<double> smoothing(double k_rad_per_m) const;
  void take_node(std::size_t node, std::span<const Complex> z);

  /// Lengths of a function's elements, m; 0 for one that is not there.
  struct Lengths {
    double m[2];
  };
  std::vector<Lengths> lengths_;  ///< of every function
  Medium medium_;
  WavenumberNodes nodes_;
  LineTable table_;
};

}  // namespace thinwire
