#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/ground/ground_cells.h"

namespace thinwire {

/// Into how many cells a box is cut.
struct CellCounts {
  std::uint8_t rho, zeta;
  std::size_t all() const { return std::size_t{rho} * zeta; }
};

/// Where the boxes of a table of the ground are fitted and cut into cells: on the CPU, or
/// on a GPU. GroundTable decides which boxes there are.
class BoxFitter {
 public:
  virtual ~BoxFitter() = default;

  /// Fits Chebyshev polynomials to the kernels on those boxes, whose numbers follow those
  /// of the boxes before. What their highest degrees have, the kernel that has most of
  /// it: [boxes].
  virtual std::vector<LeftOut> fit(std::span<const ReflectionRange> boxes) = 0;

  /// Cuts the boxes of these numbers, each into as few equal cells as leave out less than
  /// `tolerance`, as a sum of moduli.
  virtual std::vector<CellCounts> cut(std::span<const std::uint32_t> boxes,
                                      double tolerance) = 0;

  /// The coefficients of all cells of the boxes that were cut, one behind the other as in
  /// GroundTableView: [cells][terms][8].
  virtual void write(std::span<double> coefficients) = 0;
};

/// With all threads of OpenMP.
std::unique_ptr<BoxFitter> cpu_box_fitter(Complex eps, GroundSide side);
/// On the calling thread's GPU.
std::unique_ptr<BoxFitter> device_box_fitter(Complex eps, GroundSide side);

}  // namespace thinwire
