#include "kernels/matrix/matrix_update.h"

#include <gtest/gtest.h>

#include <vector>

namespace thinwire {
namespace {

TEST(MatrixUpdate, IsAddedOnBothSidesOfTheDiagonalAndOnItOnce) {
  const std::vector<MatrixUpdate> updates = {{1, 1, {2, 0}}, {2, 0, {0, 1}}};
  const std::vector<Complex> x = {{1, 0}, {3, 0}, {0, 5}};
  std::vector<Complex> y = {{10, 0}, {20, 0}, {30, 0}};
  add_updates(updates, x, y);
  EXPECT_EQ(y, (std::vector<Complex>{{5, 0}, {26, 0}, {30, 1}}));
  add_updates({}, x, y);
  EXPECT_EQ(y, (std::vector<Complex>{{5, 0}, {26, 0}, {30, 1}}));
}

}  // namespace
}  // namespace thinwire
