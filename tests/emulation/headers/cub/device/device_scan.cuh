#pragma once

#include <cstdint>
#include <numeric>

#include "tests/emulation/stream.h"

namespace cub {

struct DeviceScan {
  template <class Input, class Output>
  static cudaError_t InclusiveSum(void* work, std::size_t& work_bytes, Input in,
                                  Output out, std::int64_t count, cudaStream_t stream) {
    if (work == nullptr)
      work_bytes = 1;
    else
      emulation::submit(stream, [=] { std::partial_sum(in, in + count, out); });
    return cudaSuccess;
  }
};

}  // namespace cub
