#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "kernels/device/device.h"

namespace thinwire {

/// A group of GPUs of several ranks, one each, that hand each other bytes by NCCL,
/// NVIDIA's library for that: over NVLink, PCIe or the network, whichever joins them. The
/// library is loaded when first wanted; it is large, and few need it.
///
/// All ranks give the same work in the same order; it is done in the order of the stream.
/// Everything throws Error{device}.
class NcclGroup {
 public:
  /// The name of a group to be: one rank makes it, all need it.
  using Id = std::array<double, 16>;

  /// Why NCCL can't be used here, a clause; empty where it can.
  static std::string problem();
  /// Whether several ranks may have one GPU: from NCCL 2.31 on, and where
  /// NCCL_MULTI_RANK_GPU_ENABLE is set to 1.
  static bool ranks_may_share_a_gpu();
  static Id make_id();

  /// Joins the group with the current GPU. Collective: waits for all ranks.
  NcclGroup(const Id& id, int rank, int ranks);
  ~NcclGroup();
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  /// Groups the transfers between begin() and end(), which run concurrently; a rank may
  /// send to itself.
  void begin() const;
  void send(const void* from, std::size_t bytes, int to,
            const DeviceStream& stream) const;
  void receive(void* to, std::size_t bytes, int from, const DeviceStream& stream) const;
  void end() const;
  /// Copies the bytes of `root` to all ranks.
  void broadcast(const void* from, void* to, std::size_t bytes, int root,
                 const DeviceStream& stream) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace thinwire
