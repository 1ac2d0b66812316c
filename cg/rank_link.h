#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cg/comm.h"
#include "kernels/device/exchange.h"

namespace thinwire {

class NcclGroup;

/// How ranks exchange what their GPUs have: by NCCL where each has a GPU of its own (or
/// NCCL lets ranks share one) and the library is there, else by way of their hosts'
/// memory and their Comm. What a MultiGpu is for the threads of one process.
class RankLink {
 public:
  /// To be called by all ranks together, each with its GPU the current one of the thread
  /// that will use it. ranks outlives this. through_host: not by NCCL. Throws
  /// Error{device}.
  explicit RankLink(const Comm& ranks, bool through_host = false);
  ~RankLink();
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;

  /// Together. Must not outlive this. Throws Error{device}, Error{memory}.
  std::unique_ptr<DeviceExchange> join(std::size_t window_bytes) const;

 private:
  const Comm& ranks_;
  std::string detour_;  ///< why it is by way of the hosts; empty: by NCCL
  std::unique_ptr<NcclGroup> nccl_;
};

}  // namespace thinwire
