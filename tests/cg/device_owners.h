#pragma once

#include <cstdio>
#include <functional>
#include <vector>

#include "cg/rank_threads.h"
#include "kernels/device/device_team.h"
#include "tests/cg/packed_system.h"

namespace thinwire::testing {

/// Calls work(exchange) on the thread of each owner of a team of those GPUs, all at once.
inline void on_team(const std::vector<int>& devices, bool through_host,
                    std::size_t window_bytes,
                    const std::function<void(DeviceExchange&)>& work) {
  DeviceTeam team(devices, through_host);
  RankThreads threads(static_cast<int>(devices.size()));
  threads.run([&](const Comm& comm) {
    const auto exchange = team.join(comm.rank(), window_bytes, threads.failed());
    work(*exchange);
  });
}

/// Tests with several owners: first on one GPU, which all tests have, then on two.
class OnTeams : public OnDeviceTest {
 protected:
  /// Calls test(devices, through_host) for teams on one GPU, and on two where there are
  /// two; says so where not.
  void for_teams(const std::function<void(std::vector<int>, bool)>& test) {
    for (const bool through_host : {false, true}) {
      SCOPED_TRACE(through_host ? "through the host" : "peers");
      test({0, 0}, through_host);
      test({0, 0, 0}, through_host);
      if (device_report().devices.size() > 1) test({0, 1}, through_host);
    }
    if (device_report().devices.size() < 2)
      std::fputs("note: not run on two GPUs (this machine has one)\n", stderr);
  }
};

}  // namespace thinwire::testing
