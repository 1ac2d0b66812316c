#include "tests/emulation/stream.h"

#include <cuda_runtime.h>

#include <chrono>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "tests/emulation/gpus.h"
#include "tests/emulation/graph.h"
#include "tests/emulation/stop.h"

namespace emulation {
namespace {

/// All streams. Never deleted: the threads of default streams outlive main().
struct Registry {
  std::mutex mutex;
  std::set<CUstream_st*> streams;
  std::map<int, CUstream_st*> default_of_gpu;
};
Registry& registry() {
  static auto& only = *new Registry;
  return only;
}

CUstream_st* make_stream(int device) {
  auto* const stream = new CUstream_st(device);
  registry().streams.insert(stream);
  return stream;
}

CUstream_st& default_stream(int device) {
  const std::lock_guard lock(registry().mutex);
  CUstream_st*& stream = registry().default_of_gpu[device];
  if (stream == nullptr) stream = make_stream(device);
  return *stream;
}

std::string name_of(int device) {
  return "cuda:" + std::to_string(device);
}

void start_late() {
  thread_local std::mt19937 random(std::random_device{}());
  if (jitter_us() > 0 && random() % 4 == 0)
    std::this_thread::sleep_for(std::chrono::microseconds(random() % jitter_us()));
}

}  // namespace

CUstream_st& stream_of(cudaStream_t stream) {
  const bool is_default =
      stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
  return is_default ? default_stream(current_gpu()) : *stream;
}

void submit(cudaStream_t to, Task task) {
  CUstream_st& stream = stream_of(to);
  if (stream.capture != nullptr)
    stream.capture->tasks.push_back(std::move(task));
  else if (stream.device != current_gpu())
    stop("a thread whose GPU is " + name_of(current_gpu()) +
         " gives work to a stream of " + name_of(stream.device));
  else
    stream.push(std::move(task));
}

void synchronize_gpu(int device) {
  std::vector<CUstream_st*> streams;
  {
    const std::lock_guard lock(registry().mutex);
    for (CUstream_st* stream : registry().streams)
      if (stream->device == device) streams.push_back(stream);
  }
  for (CUstream_st* stream : streams) stream->wait();
}

void end_capture(const CUgraph_st* graph) {
  const std::lock_guard lock(registry().mutex);
  for (CUstream_st* stream : registry().streams)
    if (stream->capture == graph) stream->capture = nullptr;
}

}  // namespace emulation

using namespace emulation;

CUstream_st::CUstream_st(int device_of_stream)
    : device(device_of_stream), worker_([this] { work(); }) {}

CUstream_st::~CUstream_st() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  has_task_.notify_one();
  worker_.join();
}

void CUstream_st::push(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  has_task_.notify_one();
}

void CUstream_st::wait() {
  std::unique_lock lock(mutex_);
  is_idle_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

bool CUstream_st::idle() {
  const std::lock_guard lock(mutex_);
  return tasks_.empty() && !busy_;
}

void CUstream_st::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_task_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    start_late();
    task();
    task = nullptr;  // what it holds is gone before the stream is idle
    lock.lock();
    busy_ = false;
    if (tasks_.empty()) is_idle_.notify_all();
  }
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  const std::lock_guard lock(registry().mutex);
  *stream = make_stream(current_gpu());
  return open_context();
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    const std::lock_guard lock(registry().mutex);
    registry().streams.erase(stream);
  }
  delete stream;  // does what is left first
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  stream_of(stream).wait();
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return stream_of(stream).idle() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const bool captured = stream_of(stream).capture != nullptr;
  *status = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
