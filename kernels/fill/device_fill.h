#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"
#include "kernels/fill/device_near_pairs.h"
#include "kernels/matrix/matrix_update.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// fill_impedance (fill.h) on the current GPU: the same formulas, orders of quadrature
/// and element matrices, to 1e-12 of the largest entry. Keeps the mesh and the near pairs
/// on the GPU from one wave number to the next. No atomics in the sums: the same bits
/// every time.
class DeviceFill {
 public:
  /// elements, basis: copied. `sorting_k`, rad/m, tells near pairs from far ones: the
  /// largest wave number to come. perfect_ground: whether images will be wanted. Throws
  /// Error{memory}.
  DeviceFill(std::span<const Element> elements, std::span<const BasisFunction> basis,
             GreensKernel kernel, bool perfect_ground, double sorting_k);
  ~DeviceFill();

  /// For a sweep: integrates the near pairs at the nodes of wavenumber_nodes.h, between
  /// which set_wavenumber then interpolates. Returns false and does nothing where there
  /// are none, or their table takes more than `most_bytes`. Waits.
  bool tabulate_near_pairs(WavenumberRange range, std::size_t most_bytes);

  /// Integrates or interpolates the near pairs. To be called before what follows. Waits.
  void set_wavenumber(double k_rad_per_m);

  /// Fills z, sums in double whatever its storage, without loads; padding is zero.
  /// perfect_ground: every element also acts through its image in z = 0.
  void fill(DeviceTiles& z, bool perfect_ground, const DeviceStream& stream) const;

  /// y = Z x in double, with the entries computed and not stored: 4 to 9 times as long as
  /// filling. x, y: on the GPU, [PackedTiles{n}.padded()], x zero beyond n.
  void multiply(const Complex* x, Complex* y, bool perfect_ground,
                const DeviceStream& stream) const;

  std::size_t unknowns() const;
  std::size_t near_pairs() const;
  /// On the GPU, with what multiply() takes for itself.
  std::size_t bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Adds the updates; no (row, column) pair twice, column <= row.
void add_updates(DeviceTiles& z, std::span<const MatrixUpdate> updates,
                 const DeviceStream& stream);

}  // namespace thinwire
