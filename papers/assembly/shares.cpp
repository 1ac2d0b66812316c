#include "papers/assembly/shares.h"

#include <algorithm>
#include <cmath>
#include <mutex>
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

struct Dealer::State {
  std::mutex mutex;
  std::size_t next = 0, count = 0;
  std::vector<double> part;        // of each worker in the sum of the rates
  std::vector<std::size_t> least;  // that each takes
};

Dealer::Dealer(std::size_t count, std::span<const double> rates, double min_s)
    : state_(std::make_unique<State>()) {
  const double total = std::accumulate(rates.begin(), rates.end(), 0.0);
  state_->count = count;
  for (const double rate : rates) {
    state_->part.push_back(rate / total);
    state_->least.push_back(1 + static_cast<std::size_t>(rate * min_s));
  }
}

Dealer::~Dealer() = default;

Share Dealer::next(std::size_t worker) {
  const std::lock_guard lock(state_->mutex);
  const std::size_t left = state_->count - state_->next;
  const auto half =
      static_cast<std::size_t>(0.5 * state_->part[worker] * static_cast<double>(left));
  const std::size_t first = state_->next;
  state_->next += std::min(left, std::max(half, state_->least[worker]));
  return {first, state_->next};
}

}  // namespace thinwire
