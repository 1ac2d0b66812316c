#include "mom/postprocess/result_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace thinwire {
namespace {

/// Notes where the members of a record lie.
struct Places {
  void operator()(const auto& member, const Field& = {}) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&member);
    all.emplace_back(begin, begin + sizeof member);
  }
  void derived(const auto&, const Field&) {}

  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> all;
};

/// Returns the most bytes of a record that lie between members that are described.
template <class T>
std::size_t widest_gap() {
  T record{};
  Places places;
  describe(record, places);
  std::ranges::sort(places.all);
  auto end = reinterpret_cast<std::uintptr_t>(&record);
  places.all.emplace_back(end + sizeof record, 0);
  std::size_t gap = 0;
  for (const auto& [begin, behind] : places.all) {
    gap = std::max<std::size_t>(gap, begin - end);
    end = behind;
  }
  return gap;
}

// A member without its line would be lost in journals and between processes.
TEST(ResultFields, DescribeEveryMember) {
  EXPECT_LT(widest_gap<PortResult>(), alignof(PortResult));
  EXPECT_LT(widest_gap<PatternResult>(), alignof(PatternResult));
  EXPECT_LT(widest_gap<GainDerivatives>(), alignof(GainDerivatives));
  EXPECT_LT(widest_gap<NearFieldResult>(), alignof(NearFieldResult));
  EXPECT_LT(widest_gap<CouplingResult>(), alignof(CouplingResult));
  EXPECT_LT(widest_gap<IncidentWave>(), alignof(IncidentWave));
  EXPECT_LT(widest_gap<SolverReport>(), alignof(SolverReport));
  EXPECT_LT(widest_gap<FrequencyResult>(), alignof(FrequencyResult));
}

}  // namespace
}  // namespace thinwire
