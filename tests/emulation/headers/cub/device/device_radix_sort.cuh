#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/emulation/stream.h"

namespace cub {

struct DeviceRadixSort {
  template <class Key, class Value>
  static cudaError_t SortPairs(void* work, std::size_t& work_bytes, const Key* keys,
                               Key* sorted_keys, const Value* values,
                               Value* sorted_values, std::int64_t count, int first_bit,
                               int end_bit, cudaStream_t stream) {
    if (work == nullptr) {
      work_bytes = 1;
      return cudaSuccess;
    }
    const int bits = end_bit - first_bit;
    const bool all_bits = bits >= static_cast<int>(8 * sizeof(Key));
    const Key low = all_bits ? ~Key{0} : static_cast<Key>((Key{1} << bits) - 1);
    const Key mask = static_cast<Key>(low << first_bit);
    emulation::submit(stream, [=] {
      std::vector<std::int64_t> order(count);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, {}, [=](std::int64_t i) { return keys[i] & mask; });
      for (std::int64_t i = 0; i < count; ++i) {
        sorted_keys[i] = keys[order[i]];
        sorted_values[i] = values[order[i]];
      }
    });
    return cudaSuccess;
  }
};

}  // namespace cub
