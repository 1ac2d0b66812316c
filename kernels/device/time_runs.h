#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "kernels/base/run_times.h"
#include "kernels/device/device.h"

namespace thinwire {

/// Times of work given to the stream by run(), by events between runs that follow one
/// another without a pause, after one that is not timed. repeats >= 1.
inline RunTimes time_runs(int repeats, const DeviceStream& stream,
                          const std::function<void()>& run) {
  run();
  stream.synchronize();
  std::vector<DeviceEvent> events(static_cast<std::size_t>(repeats) + 1);
  events[0].record(stream);
  for (std::size_t i = 1; i < events.size(); ++i) {
    run();
    events[i].record(stream);
  }
  std::vector<double> seconds;
  for (std::size_t i = 1; i < events.size(); ++i)
    seconds.push_back(events[i].seconds_since(events[i - 1]));
  return summarise(std::move(seconds));
}

}  // namespace thinwire
