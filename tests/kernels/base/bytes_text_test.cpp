#include "kernels/base/bytes_text.h"

#include <gtest/gtest.h>

namespace thinwire {
namespace {

TEST(BytesText, TakesTheUnitThatThreeDigitsSuit) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(640), "640 bytes");
  EXPECT_EQ(bytes_text(1000), "0.977 KiB");
  EXPECT_EQ(bytes_text(2.5 * (1 << 20)), "2.5 MiB");
  EXPECT_EQ(bytes_text(63.25 * (1u << 30)), "63.2 GiB");
  EXPECT_EQ(bytes_text(5e15), "4.55e+03 TiB");
}

}  // namespace
}  // namespace thinwire
