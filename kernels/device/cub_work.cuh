#pragma once

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"

namespace thinwire::device {

/// Calls a function of CUB, call(work, bytes), twice: for the size of its temporary
/// memory, and with that memory.
template <class Call>
void with_work(const Call& call, const char* what) {
  std::size_t bytes = 0;
  check_cuda(call(nullptr, bytes), what, "cub");
  DeviceBuffer<char> work(bytes, what);
  check_cuda(call(work.data(), bytes), what, "cub");
}

}  // namespace thinwire::device
