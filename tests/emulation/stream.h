#pragma once

#include <driver_types.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace emulation {

using Task = std::function<void()>;

/// Gives a stream its next task, or the graph that the stream is captured to. Stops the
/// program if the stream is of another GPU than the calling thread's.
void submit(cudaStream_t stream, Task task);

/// The stream itself, for nullptr the default stream of the thread's GPU.
CUstream_st& stream_of(cudaStream_t stream);

/// Until nothing is left to do on that GPU.
void synchronize_gpu(int device);

/// The capture of `graph` ends on all streams.
void end_capture(const CUgraph_st* graph);

}  // namespace emulation

/// Tasks in their order, done by a thread of its own.
struct CUstream_st {
  explicit CUstream_st(int device_of_stream);
  ~CUstream_st();
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  void push(emulation::Task task);
  void wait();
  bool idle();

  const int device;
  CUgraph_st* capture = nullptr;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable has_task_, is_idle_;
  std::deque<emulation::Task> tasks_;
  bool busy_ = false, stop_ = false;
  std::thread worker_;
};
