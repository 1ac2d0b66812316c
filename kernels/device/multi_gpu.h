#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>

#include "kernels/device/exchange.h"

namespace thinwire {

/// GPUs of one process, each used by a thread of its own, or for tests the same GPU by
/// several threads. Where each reaches the memory of all others (NVLink, PCIe) they read
/// each other's windows there; else the windows are in the host's memory.
class MultiGpu {
 public:
  /// devices: N of cuda:N of each owner, at most max_owners. Throws Error{usage}.
  explicit MultiGpu(std::span<const int> devices, bool through_host = false);
  /// The owners' work must have ended.
  ~MultiGpu();
  MultiGpu(const MultiGpu&) = delete;
  MultiGpu& operator=(const MultiGpu&) = delete;

  static constexpr int max_owners = 16;

  /// To be called by the thread of each owner, which makes that owner's GPU its own;
  /// waits for the others. failed: set where an owner fails, so that none waits for it.
  /// Both outlive the exchange. Throws Error{device}, Error{memory}.
  std::unique_ptr<DeviceExchange> join(int owner, std::size_t window_bytes,
                                       const std::atomic<bool>& failed);

 private:
  struct State;
  friend class MultiGpuExchange;
  std::unique_ptr<State> state_;
};

/// Whether the GPUs reach each other's memory, each the others'.
bool peers_reach_each_other(std::span<const int> devices);

/// Prepares, once in a process, what takes milliseconds: lets the current GPU, one of
/// these, reach the memory of the others where all do, and allocates its first pinned
/// memory of the host. Throws Error{device}, Error{memory}.
void prepare_exchange(std::span<const int> devices);

}  // namespace thinwire
