#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/element/basis_function.h"
#include "kernels/grid/near_rule.h"

namespace thinwire {

/// Elements and functions in the order of a curve, on the GPU.
struct DeviceNearMesh {
  const Element* elements;
  const BasisFunction* basis;
  std::uint32_t element_count, functions;
};

/// Where X, or R, has entries: on and below the diagonal, by rows, columns rising.
struct DeviceNearPlaces {
  std::vector<std::uint64_t> row;  ///< [functions + 1]
  DeviceBuffer<std::uint64_t> device_row;
  DeviceBuffer<std::uint32_t> column;

  std::uint64_t entries() const { return row.back(); }
};

/// Every function of `rows` with those up to it of which any elements are near; other
/// rows are empty. Waits. Throws Error{memory}.
DeviceNearPlaces find_near_places(const DeviceNearMesh& mesh, const NearRule& rule,
                                  bool real_part, NearShare rows,
                                  const DeviceStream& stream);

/// Some elements with all that are near them, on the GPU.
struct DeviceNearLists {
  DeviceBuffer<std::uint64_t> row;     ///< [elements + 1]
  DeviceBuffer<std::uint32_t> first;   ///< [elements]
  DeviceBuffer<std::uint32_t> second;  ///< of element i at row[i] .. row[i + 1] - 1
  DeviceBuffer<std::uint8_t> sources;  ///< NearRule::sources of each
};

/// Finds the lists of the elements before number `end`. Waits. Throws Error{memory}.
DeviceNearLists find_near_lists(const DeviceNearMesh& mesh, const NearRule& rule,
                                bool real_part, std::span<const std::uint32_t> elements,
                                std::uint32_t end, const DeviceStream& stream);

}  // namespace thinwire
