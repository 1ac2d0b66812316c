#include "kernels/fields/near_field.h"

#include <algorithm>
#include <string>

#include "kernels/base/constants.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

/// Elements of many lengths and radii in all directions, some in one line, some that
/// cross; more than are staged at a time, and an odd number.
struct Scene {
  std::vector<Element> elements;
  std::vector<Complex> end_current;

  explicit Scene(std::size_t count) {
    const std::vector<Complex> a = random_vector(2 * count, 1),
                               b = random_vector(count, 2);
    for (std::size_t e = 0; e < count; ++e) {
      const bool goes_on = e % 4 == 1 || e % 4 == 2;
      const double long_wires[] = {0.1, 0.02, 0.001, 0.4};
      const double length = long_wires[e / 4 % 4];
      const double radius = e % 3 == 0 ? 0.02 * length : 0.003;
      Vec3 start = {a[2 * e].real(), a[2 * e].imag(), 1 + 0.3 * b[e].real()};
      Vec3 along = {a[2 * e + 1].real(), a[2 * e + 1].imag(), b[e].imag()};
      along = (1 / norm(along)) * along;
      if (goes_on) {
        const Element& before = elements.back();
        start = before.start_m + before.length_m * before.tangent;
        if (e % 4 == 1) along = before.tangent;
      }
      elements.push_back({start, along, length, radius});
    }
    end_current = random_vector(2 * count, 3);
  }

  Vec3 beside(std::size_t e, double along, double rho) const {
    const Element& element = elements[e % elements.size()];
    const Vec3 t = element.tangent,
               other = std::fabs(t.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    Vec3 aside = cross(t, other);
    aside = (1 / norm(aside)) * aside;
    return element.start_m + (along * element.length_m) * t +
           (rho * element.radius_m) * aside;
  }

  /// Points far off, some and many radii away from wires, and about where an element
  /// stops to be close.
  std::vector<Vec3> points_apart(std::size_t count) const {
    const std::vector<Complex> r = random_vector(2 * count, 4);
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < count; ++i) {
      const double along = 0.5 + 0.7 * r[2 * i].real();
      const Vec3 kinds[] = {
          {3 * r[2 * i].real(), 3 * r[2 * i].imag(), r[2 * i + 1].real()},
          beside(i, along, 2),
          beside(i, along, 20),
          beside(i, 4, 0)};
      points.push_back(kinds[i % 4]);
    }
    return points;
  }

  /// Points on tubes, in them, on their axes, and where they are about to be moved.
  std::vector<Vec3> points_touching(std::size_t count) const {
    const std::vector<Complex> r = random_vector(count, 5);
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < count; ++i) {
      const double along = 0.5 + 0.7 * r[i].real();
      const Vec3 kinds[] = {beside(i, along, 1), beside(i, along, 0.7),
                            beside(i, along, 0), beside(i, 0, 1.001)};
      points.push_back(kinds[i % 4]);
    }
    return points;
  }
};

struct Fields {
  std::vector<Complex> e, h;
};

constexpr double wave_number = 2 * pi;

Fields on_cpu(const NearFieldSources& sources, const std::vector<Vec3>& points) {
  const std::vector<Complex> zero(3 * points.size());
  Fields f = {zero, zero};
  electric_field(sources, points, wave_number, f.e);
  magnetic_field(sources, points, wave_number, f.h);
  return f;
}

Fields on_gpu(const NearFieldSources& sources, const std::vector<Vec3>& points) {
  const std::vector<Complex> bad(3 * points.size(), {nan, nan});
  Fields f = {bad, bad};
  device_electric_field(sources, points, wave_number, f.e);
  device_magnetic_field(sources, points, wave_number, f.h);
  return f;
}

double magnitude(const Complex* v) {
  return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
}

/// The largest difference at a point, relative to the larger of |E| and eta |H| there: H
/// vanishes within a tube.
double largest_difference(const Fields& a, const Fields& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.e.size(); i += 3) {
    const double size = std::max(magnitude(&b.e[i]), eta0_ohm * magnitude(&b.h[i]));
    Complex e[3], h[3];
    for (int c = 0; c < 3; ++c) {
      e[c] = a.e[i + c] - b.e[i + c];
      h[c] = a.h[i + c] - b.h[i + c];
    }
    const double here = std::max(magnitude(e), eta0_ohm * magnitude(h)) / size;
    // Written so that NaN shows.
    if (!(here <= largest)) largest = here;
  }
  return largest;
}

using DeviceNearField = OnDevice;

TEST_F(DeviceNearField, IsThatOfTheCpu) {
  for (const std::size_t count : {1, 15, 33, 701}) {
    const Scene scene(count);
    for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced})
      for (const Medium medium : {Medium::free_space(), Medium::perfect_ground()}) {
        const NearFieldSources sources = near_field_sources(
            scene.elements, scene.end_current, wave_number, kernel, medium);
        for (const std::size_t points : {1, 37, 1001}) {
          SCOPED_TRACE(std::to_string(count) + " elements, " + std::to_string(points) +
                       " points, " +
                       (kernel == GreensKernel::exact ? "exact" : "reduced") +
                       (medium.sources() > 1 ? " over ground" : ""));
          const std::vector<Vec3> apart = scene.points_apart(points);
          EXPECT_LT(largest_difference(on_gpu(sources, apart), on_cpu(sources, apart)),
                    1e-12);
          // The distance from a surface is left of lengths as large as the coordinates:
          // eps |r| over the radius, 2e-5 m for the thinnest.
          const std::vector<Vec3> touching = scene.points_touching(points);
          EXPECT_LT(
              largest_difference(on_gpu(sources, touching), on_cpu(sources, touching)),
              1e-11);
        }
      }
  }
}

TEST_F(DeviceNearField, TheSameBitsEveryTime) {
  const Scene scene(257);
  const NearFieldSources sources =
      near_field_sources(scene.elements, scene.end_current, wave_number,
                         GreensKernel::exact, Medium::perfect_ground());
  const std::vector<Vec3> at = scene.points_touching(333);
  const Fields once = on_gpu(sources, at), again = on_gpu(sources, at);
  EXPECT_EQ(once.e, again.e);
  EXPECT_EQ(once.h, again.h);
}

TEST_F(DeviceNearField, SomeOfThePointsHaveTheBitsThatTheyHaveAmongAll) {
  const Scene scene(701);
  const NearFieldSources sources =
      near_field_sources(scene.elements, scene.end_current, wave_number,
                         GreensKernel::exact, Medium::perfect_ground());
  const std::vector<Vec3> at = scene.points_touching(9000);
  const Fields all = on_gpu(sources, at);
  Fields parts = {std::vector<Complex>(all.e.size()), std::vector<Complex>(all.h.size())};
  const std::size_t bounds[] = {0, 1, 700, at.size()};
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t first = bounds[part], count = bounds[part + 1] - first;
    const auto some = std::span(at).subspan(first, count);
    device_electric_field(sources, some, wave_number,
                          std::span(parts.e).subspan(3 * first, 3 * count), at.size());
    device_magnetic_field(sources, some, wave_number,
                          std::span(parts.h).subspan(3 * first, 3 * count), at.size());
  }
  EXPECT_EQ(parts.e, all.e);
  EXPECT_EQ(parts.h, all.h);
}

TEST_F(DeviceNearField, NoPointsAreNoWork) {
  const Scene scene(3);
  const NearFieldSources sources =
      near_field_sources(scene.elements, scene.end_current, wave_number,
                         GreensKernel::exact, Medium::free_space());
  EXPECT_NO_THROW(device_electric_field(sources, {}, wave_number, {}));
}

}  // namespace
}  // namespace thinwire
