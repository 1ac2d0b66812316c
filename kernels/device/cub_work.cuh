#pragma once

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"

namespace thinwire::device {

/// Memory for functions of CUB that are called one after the other on one stream, kept
/// from one to the next: to get it takes as long as such a function.
class CubWork {
 public:
  /// what: for messages.
  explicit CubWork(const char* what) : what_(what) {}

  /// Calls call(work, bytes), which is first to tell the bytes that it wants.
  template <class Call>
  void run(const Call& call) {
    std::size_t bytes = 0;
    check_cuda(call(nullptr, bytes), what_, "cub");
    if (bytes > memory_.size()) memory_ = {bytes, what_};
    check_cuda(call(memory_.data(), bytes), what_, "cub");
  }

 private:
  const char* what_;
  DeviceBuffer<char> memory_;
};

}  // namespace thinwire::device
