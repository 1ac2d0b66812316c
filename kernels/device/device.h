#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/device_info.h"

// CUDA's own names for a stream and an event, so that code without nvcc can hold them.
struct CUstream_st;
struct CUevent_st;

namespace thinwire {

/// GPUs for the code of the CUDA module: no CUDA header is needed to use this one. The
/// rest of the program asks mom/gpu.h.

/// Reports the GPUs of this machine. Does not throw where there is none.
DeviceReport device_report();

/// The names of all GPUs; empty where there is none. Opens no context on any, which would
/// take some of its memory.
std::vector<std::string> device_names();

/// Makes cuda:index the GPU of the calling thread. Throws Error{device} when no driver
/// answers, the index is out of range, or the module has no code for that GPU: each its
/// own message.
void use_device(int index);

/// The GPU of the calling thread. Throws Error{device}.
DeviceInfo current_device();

/// The architecture that this program's kernels for the current GPU were compiled for, 90
/// for 9.0: what they may use, which may be less than what the GPU has. Throws
/// Error{device}.
int kernel_architecture();

/// Throws Error{memory} unless `bytes` are free on the current GPU. `what` starts the
/// message ("impedance matrix"); n is the number of unknowns; `ways_out` ends it.
void require_device_memory(std::size_t bytes, const char* what, std::size_t n,
                           const char* ways_out);

/// Work in order on the current GPU, apart from other streams.
class DeviceStream {
 public:
  DeviceStream() : DeviceStream(false) {}
  /// urgent: its kernels get places before those of other streams.
  explicit DeviceStream(bool urgent);
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;

  CUstream_st* get() const { return stream_; }
  void synchronize() const;
  /// Whether all work given so far is done.
  bool idle() const;
  /// Whether what is given is kept for a graph and not done now.
  bool captured() const;

 private:
  CUstream_st* stream_ = nullptr;
};

/// A moment in a stream.
class DeviceEvent {
 public:
  DeviceEvent();
  ~DeviceEvent();
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;

  void record(const DeviceStream& stream);
  /// Until the moment has come.
  void wait() const;
  /// Seconds on the GPU from `start` to this event; waits for it.
  double seconds_since(const DeviceEvent& start) const;

 private:
  CUevent_st* event_ = nullptr;
};

/// Untyped calls below DeviceBuffer. `what` names the contents in errors.
void* allocate_on_device(std::size_t bytes, const char* what);
void free_on_device(void* memory) noexcept;
/// Pinned host memory that the GPU reads and writes under the same address.
void* allocate_mapped(std::size_t bytes, const char* what);
void free_mapped(void* memory) noexcept;
/// Copies between any two of host and device memory, in order on `stream`. From or to
/// pageable host memory the call returns when that memory may be reused.
void copy_bytes(void* to, const void* from, std::size_t bytes,
                const DeviceStream& stream);
void set_bytes(void* memory, int value, std::size_t bytes, const DeviceStream& stream);

/// `count` values of a trivially copyable type on the GPU, not initialised.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws Error{memory} when the GPU has not that much free.
  DeviceBuffer(std::size_t count, const char* what)
      : data_(static_cast<T*>(allocate_on_device(count * sizeof(T), what))),
        size_(count) {}
  ~DeviceBuffer() { free_on_device(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  void upload(std::span<const T> from, const DeviceStream& stream) {
    copy_bytes(data_, from.data(), from.size_bytes(), stream);
  }
  /// Waits until the values are there.
  void download(std::span<T> to, const DeviceStream& stream) const {
    copy_bytes(to.data(), data_, to.size_bytes(), stream);
    stream.synchronize();
  }
  /// All bytes zero.
  void clear(const DeviceStream& stream) { set_bytes(data_, 0, bytes(), stream); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A copy of the values on the current GPU; `what` they are, for messages. Waits. Throws
/// Error{memory}.
template <class T>
DeviceBuffer<T> uploaded(std::span<const T> values, const char* what,
                         const DeviceStream& stream) {
  DeviceBuffer<T> buffer(values.size(), what);
  if (!values.empty()) buffer.upload(values, stream);
  stream.synchronize();
  return buffer;
}
template <class T, class Allocator>
DeviceBuffer<T> uploaded(const std::vector<T, Allocator>& values, const char* what,
                         const DeviceStream& stream) {
  return uploaded(std::span<const T>(values), what, stream);
}

/// A few values that the GPU writes while the host looks on.
template <class T>
class MappedBuffer {
 public:
  MappedBuffer(std::size_t count, const char* what)
      : data_(static_cast<T*>(allocate_mapped(count * sizeof(T), what))) {}
  ~MappedBuffer() { free_mapped(data_); }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  T* data() const { return data_; }

 private:
  T* data_;
};

}  // namespace thinwire
