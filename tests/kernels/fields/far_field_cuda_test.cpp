#include "kernels/fields/far_field.h"

#include <limits>

#include "kernels/base/constants.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

CurrentMoments random_moments(std::size_t n) {
  CurrentMoments m;
  for (int c = 0; c < CurrentMoments::numbers; ++c)
    for (const Complex& value : random_vector(n, c)) m.number[c].push_back(value.real());
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 t = {m.number[3][i], m.number[4][i], m.number[5][i]};
    t = (1 / norm(t)) * t;
    m.number[3][i] = t.x;
    m.number[4][i] = t.y;
    m.number[5][i] = t.z;
    for (int c = 0; c < 3; ++c) m.number[c][i] *= 3;
  }
  return m;
}

using DeviceFarField = OnDevice;

TEST_F(DeviceFarField, IsThatOfTheCpu) {
  for (const std::size_t n : test_sizes)
    for (const std::size_t ways : {std::size_t{1}, std::size_t{37}, std::size_t{1000}}) {
      const CurrentMoments moments = random_moments(n);
      std::vector<Direction> directions;
      for (std::size_t d = 0; d < ways; ++d)
        directions.push_back(
            {0.003 * static_cast<double>(d), 0.01 * static_cast<double>(d * d % 629)});
      const Complex bad(std::numeric_limits<double>::quiet_NaN(), 0);
      std::vector<Complex> theta(ways), phi(ways), device_theta(ways, bad),
          device_phi(ways, bad);
      far_field(moments, directions, 2 * pi, theta, phi);
      device_far_field(moments, directions, 2 * pi, device_theta, device_phi);
      // Phases are as large as 60, and so are their rounding errors.
      const double tolerance = 100 * sum_tolerance(n);
      EXPECT_LT(relative_difference(device_theta, theta), tolerance) << n << " " << ways;
      EXPECT_LT(relative_difference(device_phi, phi), tolerance) << n << " " << ways;
      std::vector<Complex> again_theta(ways), again_phi(ways);
      device_far_field(moments, directions, 2 * pi, again_theta, again_phi);
      EXPECT_EQ(again_theta, device_theta);
    }
}

TEST_F(DeviceFarField, SomeOfTheDirectionsHaveTheBitsThatTheyHaveAmongAll) {
  // As few as they are, by themselves they would be summed in more parts.
  const CurrentMoments moments = random_moments(3000);
  std::vector<Direction> directions;
  for (int d = 0; d < 5000; ++d) directions.push_back({0.0006 * d, 0.01 * (d % 629)});
  const std::size_t ways = directions.size();
  std::vector<Complex> theta(ways), phi(ways), parts_theta(ways), parts_phi(ways);
  device_far_field(moments, directions, 2 * pi, theta, phi);
  const std::size_t bounds[] = {0, 1, 700, ways};
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t first = bounds[part], count = bounds[part + 1] - first;
    device_far_field(moments, std::span(directions).subspan(first, count), 2 * pi,
                     std::span(parts_theta).subspan(first, count),
                     std::span(parts_phi).subspan(first, count), ways);
  }
  EXPECT_EQ(parts_theta, theta);
  EXPECT_EQ(parts_phi, phi);
}

}  // namespace
}  // namespace thinwire
