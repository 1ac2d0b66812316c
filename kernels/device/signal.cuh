#pragma once

#include "kernels/device/check.cuh"
#include "kernels/device/device.h"

namespace thinwire::device {

/// A moment in a stream that other streams wait for, also those of other GPUs; it keeps
/// no time.
class Signal {
 public:
  Signal() {
    check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "signal",
               "cudaEventCreateWithFlags");
  }
  ~Signal() { (void)cudaEventDestroy(event_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  void record(const DeviceStream& stream) {
    check_cuda(cudaEventRecord(event_, stream.get()), "signal", "cudaEventRecord");
  }
  void hold(const DeviceStream& stream) const {
    check_cuda(cudaStreamWaitEvent(stream.get(), event_, 0), "signal",
               "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace thinwire::device
