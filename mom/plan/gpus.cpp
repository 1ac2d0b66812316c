#include "mom/plan/gpus.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/error.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/choices.h"
#include "mom/problem/gpu_rates.h"

namespace thinwire {

std::vector<DeviceInfo> gpus_of(const DeviceRequest& request) {
  const Gpu& gpu = require_gpu();
  std::vector<int> indices = {request.index};
  indices.insert(indices.end(), request.beside.begin(), request.beside.end());
  if (request.all) {
    indices.clear();
    for (const DeviceInfo& info : gpu.report().devices)
      if (info.usable()) indices.push_back(info.index);
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

void name_gpus(Plan& plan, std::span<const DeviceInfo> gpus) {
  plan.gpu = true;
  plan.index = gpus.front().index;
  plan.gpus.clear();
  for (const DeviceInfo& info : gpus) plan.gpus.push_back(info.index);
  plan.device = fmt::format("cuda:{} {}", fmt::join(plan.gpus, ","), gpus.front().name);
}

std::string short_name(const Plan& plan) {
  return plan.device.substr(0, plan.device.find(' '));
}

std::vector<double> rates_of(std::span<const DeviceInfo> gpus) {
  if (gpus.size() == 1) return {1};
  std::vector<int> indices;
  for (const DeviceInfo& gpu : gpus) indices.push_back(gpu.index);
  return steady_rates(require_gpu().product_rates(indices));
}

double joint_rate(std::span<const DeviceInfo> gpus, std::span<const double> rates) {
  double all = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    all += rates[i] * gpus[i].multiprocessors / h200.multiprocessors;
  return all;
}

std::string uneven_rates(std::span<const DeviceInfo> gpus,
                         std::span<const double> rates) {
  std::string text;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (rates[i] < 1)
      text += fmt::format("{}cuda:{} multiplies at {:g}", text.empty() ? "" : ", ",
                          gpus[i].index, rates[i]);
  return text.empty() ? text : text + " of the rate of the fastest GPU";
}

bool set_gpu_weights(Plan& plan, std::span<const DeviceInfo> gpus,
                     std::span<const double> rates, std::size_t beside) {
  std::vector<double> caps;
  for (const DeviceInfo& gpu : gpus)
    caps.push_back(
        static_cast<double>(gpu.free_bytes - std::min(gpu.free_bytes, beside)) /
        static_cast<double>(plan.matrix_bytes));
  const double all = std::accumulate(caps.begin(), caps.end(), 0.0);
  plan.gpu_weights = all > 0 ? shares_within(rates, steady_caps(caps))
                             : std::vector<double>(rates.begin(), rates.end());
  return all >= 1;
}

void share_fields(Plan& plan, std::span<const DeviceInfo> gpus,
                  std::span<const double> rates) {
  plan.field_seconds *=
      joint_rate(gpus.first(1), rates.first(1)) / joint_rate(gpus, rates);
  name_gpus(plan, gpus);
  plan.gpu_weights.assign(rates.begin(), rates.end());
  add_reason(plan.solver, uneven_rates(gpus, rates));
  add_reason(plan.solver, fmt::format("cuda:{} solves, all GPUs share the fields",
                                      gpus.front().index));
}

std::vector<double> steady_rates(std::span<const double> measured) {
  constexpr double steps = 8;
  const double fastest = *std::max_element(measured.begin(), measured.end());
  std::vector<double> rates;
  for (const double rate : measured)
    rates.push_back(rate > 0 ? std::max(1.0, std::round(steps * rate / fastest)) / steps
                             : 1);
  return rates;
}

std::vector<double> steady_caps(std::span<const double> caps) {
  constexpr double steps = 32;
  std::vector<double> lower;
  for (const double cap : caps) lower.push_back(std::floor(steps * cap) / steps);
  if (std::accumulate(lower.begin(), lower.end(), 0.0) < 1)
    return {caps.begin(), caps.end()};
  return lower;
}

std::vector<double> shares_within(std::span<const double> rates,
                                  std::span<const double> caps) {
  const double all_caps = std::accumulate(caps.begin(), caps.end(), 0.0);
  std::vector<double> shares(caps.begin(), caps.end());
  if (all_caps <= 1) {
    for (double& share : shares) share /= all_caps;
    return shares;
  }
  // GPUs that reach their cap leave the rest to the others, which may then reach theirs.
  std::vector<bool> full(rates.size(), false);
  for (std::size_t round = 0; round < rates.size(); ++round) {
    double left = 1, rate = 0;
    for (std::size_t i = 0; i < rates.size(); ++i)
      (full[i] ? left : rate) += full[i] ? -caps[i] : rates[i];
    bool again = false;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      if (full[i]) continue;
      shares[i] = left * rates[i] / rate;
      if (shares[i] <= caps[i]) continue;
      shares[i] = caps[i];
      full[i] = again = true;
    }
    if (!again) break;
  }
  return shares;
}

}  // namespace thinwire
