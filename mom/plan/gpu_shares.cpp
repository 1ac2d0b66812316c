#include "mom/plan/gpu_shares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace thinwire {

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
