#include "mom/plan/rank_gpus.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "kernels/base/error.h"

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

}  // namespace thinwire
