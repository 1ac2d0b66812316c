#include "papers/assembly/shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thinwire {

std::vector<Share> distribute(std::size_t count, std::span<const double> rates) {
  const double total = std::accumulate(rates.begin(), rates.end(), 0.0);
  std::vector<Share> shares;
  double so_far = 0;
  std::size_t first = 0;
  for (const double rate : rates) {
    so_far += rate;
    const auto last = static_cast<std::size_t>(
        std::llround(so_far / total * static_cast<double>(count)));
    shares.push_back({first, last});
    first = last;
  }
  shares.back().last = count;
  return shares;
}

Dealer::Dealer(std::size_t count, std::span<const double> rates, double min_s)
    : count_(count) {
  const double total = std::accumulate(rates.begin(), rates.end(), 0.0);
  for (const double rate : rates) {
    part_.push_back(rate / total);
    min_.push_back(1 + static_cast<std::size_t>(rate * min_s));
  }
}

Share Dealer::next(std::size_t worker) {
  const std::lock_guard lock(mutex_);
  const std::size_t left = count_ - next_, first = next_;
  const auto half =
      static_cast<std::size_t>(0.5 * part_[worker] * static_cast<double>(left));
  next_ += std::min(left, std::max(half, min_[worker]));
  return {first, next_};
}

}  // namespace thinwire
