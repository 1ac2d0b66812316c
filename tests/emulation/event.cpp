#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "tests/emulation/gpus.h"
#include "tests/emulation/stop.h"
#include "tests/emulation/stream.h"

namespace {

using Clock = std::chrono::steady_clock;

/// When a stream came to where the event was recorded.
struct Moment {
  Clock::time_point when;
  std::atomic<bool> reached{false};

  void reach() {
    when = Clock::now();
    reached = true;
    reached.notify_all();
  }
  void wait() const { reached.wait(false); }
};

}  // namespace

struct CUevent_st {
  int device;
  std::atomic<std::shared_ptr<Moment>> last;  // none before the first record
  CUgraph_st* capture = nullptr;              // recorded while it was captured
};

using namespace emulation;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{current_gpu(), {}, nullptr};
  return open_context();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t on) {
  CUstream_st& stream = stream_of(on);
  event->capture = stream.capture;
  if (stream.capture != nullptr) return cudaSuccess;
  if (event->device != stream.device)
    stop("an event of one GPU is recorded on a stream of another");
  const auto moment = std::make_shared<Moment>();
  event->last = moment;
  stream.push([=] { moment->reach(); });
  return cudaSuccess;
}
/// The wait for an event of a capture takes the stream into it.
cudaError_t cudaStreamWaitEvent(cudaStream_t waits, cudaEvent_t event, unsigned) {
  CUstream_st& stream = stream_of(waits);
  if (event->capture != nullptr) {
    stream.capture = event->capture;
    return cudaSuccess;
  }
  if (stream.capture != nullptr)
    stop("a stream that is captured waits for an event that was recorded before");
  if (const std::shared_ptr<Moment> moment = event->last.load())
    stream.push([=] { moment->wait(); });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const std::shared_ptr<Moment> moment = event->last.load()) moment->wait();
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const auto span = to->last.load()->when - from->last.load()->when;
  *milliseconds = std::chrono::duration<float, std::milli>(span).count();
  return cudaSuccess;
}
