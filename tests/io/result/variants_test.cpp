#include "io/result/variants.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// Two frequencies of an antenna of three segments, fed at its second.
Variant sample() {
  Variant variant;
  variant.unknowns = 7;
  variant.warnings = {"caf\xe9"};
  for (const double frequency_hz : {1e6, 2e6}) {
    VariantRow row;
    row.frequency_hz = frequency_hz;
    row.gain_max_dbi = 0.1;
    row.ports.resize(1);
    row.ports[0].segment_index = 1;
    row.ports[0].impedance_ohm = {std::numeric_limits<double>::infinity(), 3};
    row.segment_current_a = {{0.1, -1e-300}, {1 / 3.0, 5e-324}, {-0.0, 2}};
    variant.rows.push_back(row);
  }
  return variant;
}

TEST(Variants, ComeBackFromBytesToTheLastBit) {
  const Variant variant = sample(), again = variant_of(variant_bytes(variant));
  EXPECT_EQ(again.unknowns, variant.unknowns);
  EXPECT_EQ(again.warnings, variant.warnings);
  ASSERT_EQ(again.rows.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(again.rows[r].frequency_hz, variant.rows[r].frequency_hz);
    EXPECT_EQ(again.rows[r].segment_current_a, variant.rows[r].segment_current_a);
    EXPECT_EQ(again.rows[r].gain_max_dbi, variant.rows[r].gain_max_dbi);
    ASSERT_EQ(again.rows[r].ports.size(), 1u);
    EXPECT_EQ(again.rows[r].ports[0].impedance_ohm,
              variant.rows[r].ports[0].impedance_ohm);
  }
  EXPECT_TRUE(std::signbit(again.rows[0].segment_current_a[2].real()));
}

TEST(Variants, RefuseBytesThatAreCutShort) {
  const std::string bytes = variant_bytes(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(variant_of(std::string_view(bytes).substr(0, size)), Error) << size;
}

}  // namespace
}  // namespace thinwire
