#include "mom/plan/rank_shares.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "mom/plan/gpus.h"

namespace thinwire {
namespace {

/// Returns a number that is equal for equal texts and exact as a double.
double number_of(const std::string& text) {
  return static_cast<double>(std::hash<std::string>()(text) >> 12);
}

/// Description of a GPU that ranks exchange.
struct Card {
  double index, multiprocessors, free_bytes, model, unit;
};
constexpr std::size_t numbers = sizeof(Card) / sizeof(double);

std::vector<Card> cards_of(const Comm& ranks, const DeviceInfo& own) {
  const std::array<double, numbers> mine = {
      static_cast<double>(own.index), static_cast<double>(own.multiprocessors),
      static_cast<double>(own.free_bytes), number_of(own.name), number_of(own.uuid)};
  std::vector<double> all(numbers * static_cast<std::size_t>(ranks.ranks()));
  ranks.gather(std::span<const double>(mine), all);
  std::vector<Card> cards;
  for (auto card = all.begin(); card != all.end(); card += numbers)
    cards.push_back({card[0], card[1], card[2], card[3], card[4]});
  return cards;
}

/// Returns a number that is equal for all processes of a host and exact as a double.
double host_number() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return 0;
  return static_cast<double>(std::hash<std::string_view>()(name.data()) >> 12);
}

/// This rank's value from each of them.
std::vector<double> gathered(const Comm& ranks, double value) {
  std::vector<double> all(static_cast<std::size_t>(ranks.ranks()));
  ranks.gather(std::span<const double>(&value, 1), all);
  return all;
}

}  // namespace

RankGpus gpus_of_ranks(const Comm& ranks, const DeviceInfo& own) {
  const std::vector<Card> cards = cards_of(ranks, own);
  RankGpus of;
  for (const Card& card : cards) {
    if (of.unlike == 0 && card.model != cards.front().model) of.unlike = of.gpus.size();
    const auto takers = std::count_if(cards.begin(), cards.end(), [&](const Card& other) {
      return other.unit == card.unit;
    });
    DeviceInfo gpu = own;
    gpu.index = static_cast<int>(card.index);
    gpu.multiprocessors =
        std::max(1, static_cast<int>(card.multiprocessors) / static_cast<int>(takers));
    gpu.free_bytes =
        static_cast<std::size_t>(card.free_bytes / static_cast<double>(takers));
    of.gpus.push_back(std::move(gpu));
  }
  return of;
}

void require_one_model(const RankGpus& of) {
  if (of.unlike == 0) return;
  throw Error(
      ErrorKind::device,
      fmt::format("GPUs of ranks that share a matrix must be of one model, so that all "
                  "get the same bits (rank {} has another than rank 0). Use --split "
                  "frequency, ranks on like GPUs, or --device cpu.",
                  of.unlike));
}

std::vector<int> gpus_like(int index, std::span<const std::string> names) {
  std::vector<int> like = {index};
  const auto count = static_cast<int>(names.size());
  if (index < 0 || index >= count) return like;
  for (int i = 1; i < count; ++i)
    if (const int other = (index + i) % count; names[other] == names[index])
      like.push_back(other);
  return like;
}

RankPart RankShares::tightest(std::size_t bytes, bool shared) const {
  const auto left = [&](std::size_t r) {
    return static_cast<double>(free_bytes[r]) -
           (shared ? weight[r] : 1) * static_cast<double>(bytes);
  };
  std::size_t least = 0;
  for (std::size_t r = 1; r < ranks(); ++r)
    if (left(r) < left(least)) least = r;
  return {shared ? ranks() : 1, shared ? weight[least] : 1, free_bytes[least]};
}

RankShares equal_shares(int ranks) {
  const auto count = static_cast<std::size_t>(std::max(1, ranks));
  return {std::vector<double>(count, 1 / static_cast<double>(count)),
          std::vector<std::size_t>(count, host_memory().free)};
}

RankShares shares_of_ranks(const Options& options) {
  if (options.ranks == nullptr || options.ranks->ranks() == 1) return equal_shares(1);
  const Comm& ranks = *options.ranks;
  RankShares shares = {tile_weights(ranks, options), {}};
  const std::vector<double> hosts = gathered(ranks, host_number()),
                            free =
                                gathered(ranks, static_cast<double>(host_memory().free));
  for (std::size_t r = 0; r < hosts.size(); ++r)
    shares.free_bytes.push_back(
        static_cast<std::size_t>(free[r]) /
        static_cast<std::size_t>(std::count(hosts.begin(), hosts.end(), hosts[r])));
  if (options.device.kind == DeviceRequest::Kind::cuda)
    shares.of_gpus = gpus_of_ranks(ranks, gpus_of(options.device).front());
  return shares;
}

std::vector<double> tile_weights(const Comm& ranks, const Options& options) {
  const double rate = options.cpu_rates.fill_entries_per_s *
                      options.cpu_rates.computing_of(thread_count(options));
  std::vector<double> weights = gathered(ranks, rate);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= all;
  return weights;
}

}  // namespace thinwire
