#include "mom/schedule/rank_distributor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

namespace thinwire {
namespace {

constexpr auto moment = std::chrono::microseconds(500);

std::string bytes_of(const std::vector<std::size_t>& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof items[0]};
}
std::vector<std::size_t> items_of(std::string_view bytes) {
  std::vector<std::size_t> items(bytes.size() / sizeof(std::size_t));
  std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

}  // namespace

RankDistributor::RankDistributor(const Ranks* ranks, int groups, Task task)
    : ranks_(ranks), groups_(groups), task_(std::move(task)) {
  if (ranks_ == nullptr) return;
  if (groups_ < ranks_->ranks())
    group_ = ranks_->group(ranks_->rank() * groups_ / ranks_->ranks());
  others_ = groups_ - 1;
  if (ranks_->rank() == 0 && others_ > 0)
    listener_ = std::jthread([this](const std::stop_token& stop) { listen(stop); });
}

std::vector<std::size_t> RankDistributor::next() {
  const bool leads = !group_ || group_->rank() == 0;
  std::vector<std::size_t> items;
  if (ranks_ == nullptr || ranks_->rank() == 0)
    items = deal();
  else if (leads)
    items = ask();
  if (group_) {
    std::string bytes = bytes_of(items);
    group_->broadcast(bytes, 0);
    items = items_of(bytes);
  }
  if (items.empty() && listener_.joinable()) wait_for_others();
  return items;
}

void RankDistributor::done(std::size_t item, std::string_view bytes) {
  if (group_ && group_->rank() != 0) return;
  if (ranks_ == nullptr || ranks_->rank() == 0) return keep(item, bytes);
  std::string message(sizeof item, '\0');
  std::memcpy(message.data(), &item, sizeof item);
  message += bytes;
  const std::lock_guard lock(mutex_);
  ranks_->send(message, 0);
}

/// On the first rank. Half of what each group would get, were the rest divided at once.
std::vector<std::size_t> RankDistributor::deal() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  const std::size_t left = task_.left.size() - distributed_;
  const std::size_t share = std::max<std::size_t>(1, left / (2 * groups_));
  const std::size_t count = groups_ == 1 ? left : std::min(left, share);
  const auto first = task_.left.begin() + static_cast<std::ptrdiff_t>(distributed_);
  distributed_ += count;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::size_t> RankDistributor::ask() {
  const std::lock_guard lock(mutex_);
  ranks_->send("", 0);
  return items_of(ranks_->receive(0));
}

void RankDistributor::keep(std::size_t item, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  task_.keep(item, bytes);
}

void RankDistributor::listen(const std::stop_token& stop) {
  try {
    while (others_ > 0 && !stop.stop_requested()) {
      const std::optional<int> from = ranks_->sender();
      if (from)
        answer(*from);
      else
        std::this_thread::sleep_for(moment);
    }
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    task_.failed(std::current_exception());
  }
}

void RankDistributor::answer(int from) {
  const std::string message = ranks_->receive(from);
  if (message.empty()) {
    const std::vector<std::size_t> items = deal();
    ranks_->send(bytes_of(items), from);
    if (items.empty()) --others_;
    return;
  }
  std::size_t item = 0;
  std::memcpy(&item, message.data(), sizeof item);
  keep(item, std::string_view(message).substr(sizeof item));
}

void RankDistributor::wait_for_others() {
  const auto over = [this] {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr || others_ == 0;
  };
  while (!over()) {
    task_.waiting();
    std::this_thread::sleep_for(moment);
  }
  listener_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace thinwire
