#pragma once

#include <cstdio>
#include <functional>
#include <vector>

#include "cg/rank_link.h"
#include "cg/rank_threads.h"
#include "kernels/device/multi_gpu.h"
#include "tests/cg/packed_system.h"

namespace thinwire::testing {

/// How owners exchange: as threads of one process, by peer access or through the host, or
/// as ranks, by NCCL or through the host.
enum class Joined { peers, host, ranks, ranks_by_host };

/// Calls work(exchange) on the thread of each owner of those GPUs, all at once.
inline void on_multi_gpu(const std::vector<int>& devices, Joined joined,
                         std::size_t window_bytes,
                         const std::function<void(DeviceExchange&)>& work) {
  RankThreads threads(static_cast<int>(devices.size()));
  if (joined == Joined::peers || joined == Joined::host) {
    MultiGpu team(devices, joined == Joined::host);
    threads.run([&](const Comm& comm) {
      work(*team.join(comm.rank(), window_bytes, threads.failed()));
    });
    return;
  }
  threads.run([&](const Comm& comm) {
    use_device(devices[static_cast<std::size_t>(comm.rank())]);
    const RankLink link(comm, joined == Joined::ranks_by_host);
    work(*link.join(window_bytes));
  });
}

/// Tests with several owners: first on one GPU, which all tests have, then on two.
class OnMultiGpu : public OnDevice {
 protected:
  /// Calls test(devices, joined) for teams on one GPU, and on two where there are two;
  /// says so where not.
  void for_teams(const std::function<void(std::vector<int>, Joined)>& test) {
    const bool two = device_report().devices.size() > 1;
    const auto run = [&](const char* name, Joined joined) {
      SCOPED_TRACE(name);
      // NCCL refuses two owners on one GPU.
      if (joined != Joined::ranks) {
        test({0, 0}, joined);
        test({0, 0, 0}, joined);
      }
      if (two) test({0, 1}, joined);
    };
    run("peers", Joined::peers);
    run("through the host", Joined::host);
    run("ranks through the host", Joined::ranks_by_host);
    run("ranks", Joined::ranks);
    if (!two) std::fputs("note: not run on two GPUs (this machine has one)\n", stderr);
  }
};

}  // namespace thinwire::testing
