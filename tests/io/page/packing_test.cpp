#include "io/page/packing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace thinwire {
namespace {

TEST(Packing, RoundsNumbersAndLeavesOutWhatJsonLacks) {
  EXPECT_EQ(short_numbers(std::vector<double>{123.4567891, NAN, -INFINITY, 0}, 6).dump(),
            "[123.457,null,null,0.0]");
}

TEST(Packing, EncodesBytesInBase64) {
  // RFC 4648, section 10.
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(packed(std::vector<std::int16_t>{1, -2}), "AQD+/w==");
  EXPECT_EQ(packed(std::vector<float>{1}), "AACAPw==");
}

TEST(Packing, ChoosesEvenly) {
  EXPECT_EQ(evenly(5, 9), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(evenly(9, 3), (std::vector<std::size_t>{0, 4, 8}));
  EXPECT_EQ(evenly(9, 1), std::vector<std::size_t>{4});
  EXPECT_EQ(evenly(0, 1), std::vector<std::size_t>{});
}

}  // namespace
}  // namespace thinwire
