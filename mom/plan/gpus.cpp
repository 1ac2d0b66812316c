#include "mom/plan/gpus.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/error.h"
#include "mom/gpu.h"
#include "mom/plan/gpu_shares.h"

namespace thinwire {

std::vector<DeviceInfo> gpus_of(const DeviceRequest& request) {
  const Gpu& gpu = require_gpu();
  std::vector<int> indices = {request.index};
  indices.insert(indices.end(), request.beside.begin(), request.beside.end());
  if (request.all) {
    indices.clear();
    for (const DeviceInfo& info : gpu.report().devices)
      if (info.runs_this_build) indices.push_back(info.index);
    if (indices.empty()) indices = {0};
  }
  std::vector<DeviceInfo> gpus;
  for (const int index : indices) gpus.push_back(gpu.use(index));
  for (const DeviceInfo& info : gpus)
    if (info.name != gpus.front().name)
      throw Error(
          ErrorKind::device,
          fmt::format("GPUs that share a matrix must be of one model, so that all "
                      "get the same bits (cuda:{} is {}, cuda:{} is {}). Name "
                      "those that are alike: --device cuda:N,M.",
                      gpus.front().index, gpus.front().name, info.index, info.name));
  if (gpus.size() > 1) (void)gpu.use(indices.front());
  return gpus;
}

void name_gpus(DeviceChoice& choice, std::span<const DeviceInfo> gpus) {
  choice.gpu = true;
  choice.index = gpus.front().index;
  for (const DeviceInfo& info : gpus) choice.gpus.push_back(info.index);
  choice.name = fmt::format("cuda:{} {}", fmt::join(choice.gpus, ","), gpus.front().name);
}

std::string short_name(const DeviceChoice& choice) {
  return choice.name.substr(0, choice.name.find(' '));
}

bool set_gpu_weights(DeviceChoice& choice, std::span<const DeviceInfo> gpus,
                     std::size_t beside) {
  std::vector<double> rates, caps;
  for (const DeviceInfo& gpu : gpus) {
    rates.push_back(gpu.multiprocessors);
    caps.push_back(
        static_cast<double>(gpu.free_bytes - std::min(gpu.free_bytes, beside)) /
        static_cast<double>(choice.matrix_bytes));
  }
  const double all = std::accumulate(caps.begin(), caps.end(), 0.0);
  choice.gpu_weights = all > 0 ? shares_within(rates, caps) : rates;
  return all >= 1;
}

}  // namespace thinwire
