#include "io/result/matrix_file.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/io/temporary_folder.h"

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

}  // namespace
}  // namespace thinwire
