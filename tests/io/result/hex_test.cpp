#include "io/result/hex.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace thinwire {
namespace {

TEST(Hex, BytesGoThereAndBack) {
  EXPECT_EQ(hex_of({"\x00\x7f\x80\xff", 4}), "007f80ff");
  EXPECT_EQ(bytes_of("007f80FF"), std::string("\x00\x7f\x80\xff", 4));
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(bytes_of(hex_of(all)), all);
  EXPECT_EQ(hex_of(""), "");
}

TEST(Hex, OtherCharactersAreRefused) {
  for (const char* text : {"0", "0g", "-1", " 1", "1 ", "0x", "123"})
    EXPECT_THROW((void)bytes_of(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace thinwire
