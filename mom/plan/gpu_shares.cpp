#include "mom/plan/gpu_shares.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace thinwire {

std::vector<double> shares_within(std::span<const double> rates,
                                  std::span<const double> caps) {
  const double all_caps = std::accumulate(caps.begin(), caps.end(), 0.0);
  std::vector<double> shares(caps.begin(), caps.end());
  if (all_caps <= 1) {
    for (double& share : shares) share /= all_caps;
    return shares;
  }
  // Those that reach their cap leave the rest to the others, who may reach theirs then.
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
