#include "cg/direct/least_vector.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Complex = std::complex<double>;
constexpr Complex j(0, 1);

TEST(LeastVector, IsTheNullVectorOfDependentColumns) {
  // The third column is the first plus j times the second.
  const std::vector<Complex> a = {1.0, 2.0 * j, 3.0, -1.0, 2.0, 1.0 + j, 0.0, j};
  std::vector<Complex> all = a;
  for (std::size_t i = 0; i < 4; ++i) all.push_back(a[i] + j * a[4 + i]);
  const std::vector<Complex> x = least_vector(4, 3, all);
  EXPECT_NEAR(std::norm(x[0]) + std::norm(x[1]) + std::norm(x[2]), 1, 1e-14);
  EXPECT_LT(std::abs(x[0] / x[2] + 1.0), 1e-14);
  EXPECT_LT(std::abs(x[1] / x[2] + j), 1e-14);
}

TEST(LeastVector, OfOneColumnIsOne) {
  EXPECT_NEAR(std::abs(least_vector(2, 1, {3.0, 4.0 * j})[0]), 1, 1e-15);
}

TEST(LeastVector, RefusesWhatIsNoNumber) {
  EXPECT_THROW(least_vector(2, 1, {std::numeric_limits<double>::quiet_NaN(), 1.0}),
               Error);
}

}  // namespace
}  // namespace thinwire
