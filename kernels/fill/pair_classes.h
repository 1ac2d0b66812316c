#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/element.h"
#include "kernels/element/medium.h"

namespace thinwire {

/// Pairs of elements sorted by their shapes (pair_shape.h): one of each class is
/// integrated for all of them.
struct PairClasses {
  std::vector<std::uint32_t> of_pair;     ///< [pairs]: number of the class
  std::vector<std::uint8_t> symmetry;     ///< [pairs]: PairSymmetry::bits
  std::vector<std::uint32_t> p, q;        ///< [classes]: its first pair
  std::vector<std::uint8_t> first_turns;  ///< [classes]: of that pair

  std::size_t size() const { return p.size(); }
};

/// Classifies the pairs of source s of p (medium.h) and q. At most 2^32 - 1 pairs.
PairClasses classify_pairs(std::span<const Element> elements, Medium medium, int s,
                           const ElementPairs& pairs);

/// Pair classes on the GPU.
struct DevicePairClasses {
  DeviceBuffer<std::uint32_t> of_pair, p, q;
  DeviceBuffer<std::uint8_t> symmetry;

  std::size_t size() const { return p.size(); }
  std::size_t bytes() const {
    return of_pair.bytes() + symmetry.bytes() + p.bytes() + q.bytes();
  }
  /// Temporary bytes of classify_pairs for each pair beside of_pair, at most: symmetries,
  /// hashes and numbers, 25 bytes, and CUB's buffers for sorting them, or p and q.
  static constexpr std::size_t work_bytes_a_pair = 25 + 12;
};

/// elements, p, q: on the GPU; p, q: [pairs]. Numbers of classes differ from the CPU's.
/// Waits. Throws Error{memory}.
DevicePairClasses classify_pairs(const Element* elements, Medium medium, int s,
                                 const DeviceBuffer<std::uint32_t>& p,
                                 const DeviceBuffer<std::uint32_t>& q,
                                 const DeviceStream& stream);

}  // namespace thinwire
