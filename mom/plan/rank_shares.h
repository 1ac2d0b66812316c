#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cg/comm.h"
#include "kernels/device/device_info.h"
#include "mom/problem/options.h"

namespace thinwire {

/// The GPUs that ranks take, one each, in their order. Of one that several take each has
/// its part, of free memory and of multiprocessors.
struct RankGpus {
  std::vector<DeviceInfo> gpus;
  std::size_t unlike = 0;  ///< the first with another model than rank 0 has; 0: none
};

/// own: this rank's. Together: all get the same, but for what only own knows.
RankGpus gpus_of_ranks(const Comm& ranks, const DeviceInfo& own);

/// For a matrix that they share. Throws Error{device}: GPUs of several models, which
/// would give vectors of different bits.
void require_one_model(const RankGpus& of);

/// By the names of a host's GPUs, this one and all like it, from it on and round; it
/// alone where it is not there.
std::vector<int> gpus_like(int index, std::span<const std::string> names);

/// From so many unknowns on ranks share the dense matrix; smaller ones every rank fills
/// and solves whole, in less time than messages take.
inline constexpr std::size_t min_unknowns_to_share = 1000;

/// A rank's part of a dense matrix, and its memory.
struct RankPart {
  std::size_t ranks = 1;       ///< that share it
  double share = 1;            ///< of its tiles
  std::size_t free_bytes = 0;  ///< of the host's memory, for this rank

  std::size_t of(std::size_t bytes) const {
    return static_cast<std::size_t>(share * static_cast<double>(bytes));
  }
};

/// How ranks share work and memory.
struct RankShares {
  std::vector<double> weight;           ///< of their tiles; sums up to 1
  std::vector<std::size_t> free_bytes;  ///< of their hosts' memory, for each
  RankGpus of_gpus = {};                ///< where they are asked for

  std::size_t ranks() const { return weight.size(); }
  /// The part of the rank that has least memory left, where each takes its share of so
  /// many bytes; shared: or all of them.
  RankPart tightest(std::size_t bytes, bool shared) const;
};

/// Returns the shares of one rank, or of several that are all alike, each on a host with
/// this one's memory.
RankShares equal_shares(int ranks);

/// Returns the shares of Options::ranks: tiles by the rates at which their threads fill,
/// memory by what is free on the host, divided among the ranks there; GPUs where
/// Options::device is cuda (gpus_of_ranks). Collective: all ranks call it and get the
/// same. One rank if there are no others.
RankShares shares_of_ranks(const Options& options);

/// Only the weights of these. Together.
std::vector<double> tile_weights(const Comm& ranks, const Options& options);

}  // namespace thinwire
