#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"
#include "kernels/grid/smooth_pair.h"

namespace thinwire {

/// Smooth sums between the few elements off the plane of a flat grid
/// (UniformGrid::off_plane) and all elements, over pairs of Gauss points without a grid:
///
///     field of e   += sum over o of M(o, e)^T current of o     e in the plane
///     field of o    = sum over e of M(o, e) current of e       o off it, e any
///
/// M(o, e): SmoothView::matrix, ohm, 64 bytes each.
class OffPlane {
 public:
  /// off: ascending. elements: their total number. view: not kept.
  OffPlane(std::vector<std::uint32_t> off, std::size_t elements, const SmoothView& view);

  /// end_current, end_field: [elements][2]; the field of elements off the plane is
  /// overwritten.
  void add(std::span<const Complex> end_current, std::span<Complex> end_field) const;

  std::size_t bytes() const { return matrix_.size() * sizeof(ElementMatrix); }

 private:
  std::vector<std::uint32_t> off_;
  std::vector<ElementMatrix> matrix_;  ///< [off][elements]
};

/// OffPlane on the current GPU; the same bits from every call.
class DeviceOffPlane {
 public:
  /// view: with pointers on the GPU. adds: false where another GPU adds them all, and
  /// add() only clears the field of elements off the plane. Waits. Throws Error{memory}.
  DeviceOffPlane(std::span<const std::uint32_t> off, std::size_t elements,
                 const SmoothView& view, bool adds, const DeviceStream& stream);

  /// Gives work to the stream and neither waits nor allocates. One call at a time.
  void add(const Complex* end_current, Complex* end_field,
           const DeviceStream& stream) const;

  std::size_t bytes() const { return matrix_.bytes() + part_.bytes(); }

 private:
  std::size_t elements_;
  unsigned blocks_;
  DeviceBuffer<std::uint32_t> off_;
  DeviceBuffer<ElementMatrix> matrix_;  ///< [off][elements]
  DeviceBuffer<Complex> part_;          ///< [blocks][off][2]
};

}  // namespace thinwire
