#pragma once

#include <cstdint>
#include <span>

#include "kernels/device/device.h"
#include "kernels/matrix/matrix_update.h"

namespace thinwire {

/// Loads of an operator on the current GPU: a sparse symmetric matrix L.
class DeviceLoads {
 public:
  DeviceLoads() = default;  ///< none
  /// updates: as LoadModel::updates(). Waits. Throws Error{memory}.
  DeviceLoads(std::span<const MatrixUpdate> updates, const DeviceStream& stream);

  /// y += L x, on the GPU; always in the same order.
  void add_product(const Complex* x, Complex* y, const DeviceStream& stream) const;
  std::size_t bytes() const {
    return row_.bytes() + first_.bytes() + column_.bytes() + value_.bytes();
  }

 private:
  DeviceBuffer<std::uint32_t> row_;     // those that have loads
  DeviceBuffer<std::uint32_t> first_;   // of each of them, into the columns
  DeviceBuffer<std::uint32_t> column_;  // and values
  DeviceBuffer<Complex> value_;
};

}  // namespace thinwire
