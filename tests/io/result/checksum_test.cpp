#include "io/result/checksum.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"

namespace thinwire {
namespace {

std::uint64_t crc64(std::string_view text) {
  Crc64 crc;
  crc.add(text);
  return crc.value();
}

TEST(Crc64, IsThatOfXz) {
  EXPECT_EQ(crc64(""), 0u);
  // The check value of CRC-64/XZ in the catalogues.
  EXPECT_EQ(crc64("123456789"), 0x995dc9bbdf1939faU);
}

TEST(Crc64, DoesNotDependOnHowTheBytesAreDivided) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37);
  for (std::size_t at = 0; at < 20; ++at) {
    Crc64 crc;
    crc.add(std::string_view(text).substr(0, at));
    crc.add(std::string_view(text).substr(at));
    EXPECT_EQ(crc.value(), crc64(text)) << at;
  }
}

TEST(Checksum, IsTheLastLine) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  for (const std::size_t size : {0, 1, 7, 8, 100, 3'000'000}) {
    std::string bytes(size, 'x');
    test::write_file(path, bytes);
    EXPECT_FALSE(has_checksum(path));
    EXPECT_THROW(require_checksum(path), Error);
    append_checksum(bytes);
    test::write_file(path, bytes);
    EXPECT_TRUE(has_checksum(path));
    EXPECT_NO_THROW(require_checksum(path));
    if (size == 0) continue;
    bytes[size / 2] ^= 16;
    test::write_file(path, bytes);
    EXPECT_TRUE(has_checksum(path));
    EXPECT_THROW(require_checksum(path), Error);
  }
}

}  // namespace
}  // namespace thinwire
