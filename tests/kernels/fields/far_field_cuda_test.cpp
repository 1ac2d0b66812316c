#include "kernels/fields/far_field.h"

#include <cmath>
#include <string>

#include "kernels/base/constants.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

CurrentMoments random_moments(std::size_t n) {
  const std::vector<Complex> a = random_values(n, 1), b = random_values(n, 2),
                             c = random_values(n, 3), d = random_values(n, 4);
  CurrentMoments m;
  for (std::size_t i = 0; i < n; ++i) {
    m.x.push_back(3 * a[i].real());
    m.y.push_back(3 * a[i].imag());
    m.z.push_back(3 * b[i].real());
    const double length = std::hypot(c[i].real(), c[i].imag(), b[i].imag());
    m.tx.push_back(c[i].real() / length);
    m.ty.push_back(c[i].imag() / length);
    m.tz.push_back(b[i].imag() / length);
    m.re.push_back(d[i].real());
    m.im.push_back(d[i].imag());
    m.ka2.push_back(0.01 * (1 + std::cos(static_cast<double>(i))));
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

}  // namespace
}  // namespace thinwire
