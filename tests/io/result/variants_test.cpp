#include "io/result/variants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace thinwire {
namespace {

/// Two frequencies of an antenna of three segments, fed at its second.
Variant sample() {
  Variant variant;
  variant.unknowns = 7;
  for (const double frequency_hz : {1e6, 2e6}) {
    VariantRow row;
    row.frequency_hz = frequency_hz;
    row.gain_max_dbi = 0.1;
    row.ports.resize(1);
    row.ports[0].segment_index = 1;
    row.segment_current_a = {{0.1, -1e-300}, {1 / 3.0, 5e-324}, {-0.0, 2}};
    variant.rows.push_back(row);
  }
  return variant;
}

TEST(Variants, ComeBackFromJsonToTheLastBit) {
  const Variant variant = sample(), again = variant_of(variant_text(variant));
  ASSERT_EQ(again.rows.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(again.rows[r].segment_current_a, variant.rows[r].segment_current_a);
    EXPECT_EQ(again.rows[r].gain_max_dbi, variant.rows[r].gain_max_dbi);
  }
  EXPECT_TRUE(std::signbit(again.rows[0].segment_current_a[2].real()));
}

// Currents that are missing would be NaN in the result, without a word.
TEST(Variants, RefuseCurrentsOfAnotherNumber) {
  constexpr std::size_t digits = 2 * sizeof(Complex);
  for (const std::size_t kept : {3 * digits - 1, 3 * digits - 2, 3 * digits - digits / 2,
                                 2 * digits, digits, std::size_t{0}, 4 * digits}) {
    nlohmann::json json = variant_json(sample(), true);
    auto& currents = json["frequencies"][0]["segment_current_a"].get_ref<std::string&>();
    currents.resize(kept, '0');
    EXPECT_ANY_THROW(variant_of(json.dump())) << kept;
    // Of the only frequency as well, where too few are left for the fed segment.
    json["frequencies"].erase(1);
    if (kept <= digits) {
      EXPECT_ANY_THROW(variant_of(json.dump())) << kept;
    }
  }
}

}  // namespace
}  // namespace thinwire
