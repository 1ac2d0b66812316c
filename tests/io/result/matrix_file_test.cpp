#include "io/result/matrix_file.h"

#include <gtest/gtest.h>

#include <random>

#include "io/result/hdf5_file.h"
#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

/// A wire of three segments and what is kept with it.
class MatrixFileTest : public ::testing::Test {
 protected:
  MatrixFileTest() {
    problem_.structure.add_wire(7, 3, {0, 0, 1}, {0, 0, 2}, 0.001);
    problem_.ground_plane = 1;
    stored_.frequency_hz = 70e6;
    stored_.ground = Ground::coefficients(13, 0.005, {12, 6, 2e-3});
    stored_.loads = {{Load::Kind::insulation, 0, 2, {2.3, 0, 0.002}}};
    stored_.load_cards = {{7, 7, 1, 3, {2.3, 0, 0.002}}};
    stored_.proximity = true;
    stored_.gap_segments = {1};
    stored_.matrix_ohm = {{1, 2}, {3, 4}, {3, 4}, {5, 6}};
  }

  Problem written_and_read() const {
    write_matrix_file(folder_ / "m.h5", problem_, stored_);
    Problem read;
    read_matrix_file(folder_ / "m.h5", read);
    return read;
  }

  test::TemporaryFolder folder_;
  Problem problem_;
  StoredMatrix stored_;
};

TEST_F(MatrixFileTest, GivesBackWhatItWasGiven) {
  const Problem read = written_and_read();
  ASSERT_EQ(read.structure.segments().size(), 3u);
  EXPECT_EQ(read.structure.segments()[2].tag, 7);
  EXPECT_EQ(read.structure.segments()[2].radius_m, 0.001);
  EXPECT_EQ(read.structure.segments()[2].end_m.z, 2);
  EXPECT_TRUE(read.ground_contact);
  const StoredMatrix& got = *read.stored;
  EXPECT_EQ(got.frequency_hz, stored_.frequency_hz);
  EXPECT_EQ(got.ground, stored_.ground);
  EXPECT_EQ(got.loads, stored_.loads);
  ASSERT_EQ(got.load_cards.size(), 1u);
  EXPECT_EQ(got.load_cards[0].last, 3);
  EXPECT_EQ(got.load_cards[0].value[2], 0.002);
  EXPECT_TRUE(got.proximity);
  EXPECT_EQ(got.gap_segments, stored_.gap_segments);
  EXPECT_EQ(got.matrix_ohm, stored_.matrix_ohm);
}

TEST_F(MatrixFileTest, RefusesSegmentsThatItDoesNotHave) {
  const auto refused = [&] {
    try {
      written_and_read();
    } catch (const Error& error) {
      return error.kind() == ErrorKind::file;
    }
    return false;
  };
  stored_.gap_segments = {3};
  EXPECT_TRUE(refused());
  stored_.gap_segments = {1};
  stored_.loads[0].last = 3;
  EXPECT_TRUE(refused());
  stored_.loads[0].last = 2;
  EXPECT_FALSE(refused());
}

/// One bit, one byte or several, wherever they are, also cut short and grown: no crash
/// and no other matrix. What is read without an error holds what was written.
TEST_F(MatrixFileTest, NoticesEveryChangedByte) {
  const std::filesystem::path path = folder_ / "m.h5";
  write_matrix_file(path, problem_, stored_);
  const std::string whole = test::read_file(path);
  std::mt19937 random(9);
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto is_refused = [&](const std::string& bytes) {
    test::write_file(path, bytes);
    Problem read;
    try {
      read_matrix_file(path, read);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::file);
      EXPECT_FALSE(contains(error.what(), "\n"));
      return true;
    }
    return false;
  };
  ASSERT_FALSE(is_refused(whole));
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    for (std::size_t n = i % 2 == 0 ? 1 : 1 + below(20); n > 0; --n)
      bytes[below(bytes.size())] ^= static_cast<char>(1 + below(255));
    EXPECT_TRUE(bytes == whole || is_refused(bytes)) << i;
  }
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(is_refused(whole.substr(0, below(whole.size()))));
  EXPECT_TRUE(is_refused(whole + "\n"));
  EXPECT_TRUE(is_refused(""));
}

TEST_F(MatrixFileTest, CallsKindsByTheirNames) {
  write_matrix_file(folder_ / "m.h5", problem_, stored_);
  const Hdf5Reader in(folder_ / "m.h5");
  EXPECT_EQ(in.attribute_text("/", "ground"), "coefficients");
  EXPECT_EQ(in.strings("/load/kind"), std::vector<std::string>{"insulation"});
}

TEST_F(MatrixFileTest, SaysWhatItWasGivenInstead) {
  const auto said = [&](const char* name) {
    Problem read;
    return test::error_message([&] { read_matrix_file(folder_ / name, read); });
  };
  test::write_file(folder_ / "text.h5", "text");
  EXPECT_TRUE(contains(said("."), "is a folder"));
  EXPECT_TRUE(contains(said("missing.h5"), "No such file"));
  EXPECT_TRUE(contains(said("text.h5"), "is no matrix"));
}

}  // namespace
}  // namespace thinwire
