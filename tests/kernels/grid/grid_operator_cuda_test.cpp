#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "kernels/base/constants.h"
#include "kernels/grid/grid_operator.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;
using GridOnDevice = OnDevice;
using Numbers = DeviceFft::Numbers;

constexpr double k = 2 * pi;

std::vector<Element> random_elements(std::size_t count, Vec3 box_m, double radius_m) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0, 1), sign(-1, 1);
  std::vector<Element> elements;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 t{box_m.x > 0 ? sign(random) : 0, box_m.y > 0 ? sign(random) : 0,
                 box_m.z > 0 ? std::fabs(sign(random)) : 0};
    elements.push_back(
        {{box_m.x * unit(random), box_m.y * unit(random), 0.05 + box_m.z * unit(random)},
         (1 / norm(t)) * t,
         0.1,
         radius_m});
  }
  return elements;
}

std::vector<Complex> on_device(const GridOperator& host, Numbers numbers,
                               const std::vector<Complex>& x) {
  const DeviceStream stream;
  const DeviceGridOperator device(host, numbers, stream);
  DeviceBuffer<Complex> current(x.size(), "x"), field(x.size(), "y");
  current.upload(x, stream);
  std::vector<Complex> y(x.size(), Complex(NAN, NAN));
  field.upload(y, stream);
  device.apply(current.data(), field.data(), stream);
  field.download(y, stream);
  return y;
}

/// Direct and of an image, in double, against the CPU's; sizes are not those of powers of
/// two.
TEST_F(GridOnDevice, SpectraAreThoseOfTheCpu) {
  const std::vector<Element> elements = random_elements(40, {2.1, 1.3, 0.7}, 0.001);
  const GridOperator host({elements, k, Medium::perfect_ground(), grid_classes[1], 0.1});
  const DeviceStream stream;
  DeviceBuffer<Complex> box(host.grid().box_nodes(), "box");
  for (const GridSource source : {GridSource::direct, GridSource::image}) {
    const GridSpectrum right(host.grid(), host.kernel(), host.window(), source);
    const DeviceBuffer<char> made =
        make_device_spectrum(host.grid(), host.kernel(), host.window(), source,
                             Numbers::complex_double, box.data(), stream);
    ASSERT_EQ(made.size(), right.bytes());
    std::vector<char> bytes(made.size());
    made.download(bytes, stream);
    std::vector<Complex> value(right.value.size());
    std::memcpy(value.data(), bytes.data(), bytes.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      largest = std::max(largest, std::abs(right.value[i]));
      error = std::max(error, std::abs(value[i] - right.value[i]));
    }
    EXPECT_LT(error, 1e-12 * largest);
  }
}

TEST_F(GridOnDevice, AgreesWithTheCpuInBothPrecisions) {
  for (const double radius_m : {1e-6, 0.01})
    for (const Medium& medium : {Medium::free_space(), Medium::perfect_ground()})
      for (const GridClass& grid_class : grid_classes)
        for (const Vec3& box_m :
             {Vec3{1.5, 1, 0.8}, Vec3{1.5, 1, 0}, Vec3{1.5, 0, 0.8}, Vec3{0, 1, 0.8}}) {
          const std::size_t count = box_m.x * box_m.y * box_m.z > 0 ? 1000 : 133;
          const auto elements = random_elements(count, box_m, radius_m);
          const GridOperator host({elements, k, medium, grid_class, 0.1});
          const auto x = random_vector(2 * count, 5);
          std::vector<Complex> expected(x.size());
          host.apply(x, expected);
          EXPECT_LE(
              relative_difference(on_device(host, Numbers::complex_double, x), expected),
              1e-12);
          EXPECT_LE(
              relative_difference(on_device(host, Numbers::complex_single, x), expected),
              2e-5)
              << "radius " << radius_m << " class " << grid_class.tolerance << " box "
              << box_m.x << ' ' << box_m.y << ' ' << box_m.z;
        }
}

/// A flat structure with two elements off its plane.
std::vector<Element> with_whip(std::vector<Element> elements) {
  elements.front() = {{0.5, 0.4, 0.05}, {0, 0, 1}, 0.1, 0.01};
  elements.back() = {{0.5, 0.4, 0.15}, {0.6, 0, 0.8}, 0.1, 0.01};
  return elements;
}

TEST_F(GridOnDevice, AgreesWithTheCpuOnElementsOffThePlane) {
  const auto elements = with_whip(random_elements(700, {1.5, 1, 0}, 0.01));
  for (const Medium& medium : {Medium::free_space(), Medium::perfect_ground()}) {
    const GridOperator host({elements, k, medium, grid_classes[1], 0.1});
    ASSERT_EQ(host.grid().off_plane.size(), 2u);
    const auto x = random_vector(2 * elements.size(), 5);
    std::vector<Complex> expected(x.size());
    host.apply(x, expected);
    EXPECT_LE(relative_difference(on_device(host, Numbers::complex_double, x), expected),
              1e-12);
    EXPECT_LE(relative_difference(on_device(host, Numbers::complex_single, x), expected),
              2e-5);
  }
}

TEST_F(GridOnDevice, AgreesWithTheCpuOverRealGround) {
  const Complex eps(13, -3);
  const GroundTable table(eps, 0.01 * k, 10 * k);
  const GroundAt ground{k, eps, table.view()};
  const ReflectingSurface surface{eps, k};
  for (const double height_m : {0.0, 0.4})
    for (const bool sommerfeld : {true, false}) {
      auto elements = random_elements(300, {1.7, 1.1, height_m}, 0.002);
      if (height_m == 0) elements = with_whip(elements);
      GridInput input{elements, k, {}, grid_classes[0], 0.1};
      input.ground = sommerfeld ? &ground : nullptr;
      input.surface = sommerfeld ? nullptr : &surface;
      const GridOperator host(input);
      const auto x = random_vector(2 * elements.size(), 3);
      std::vector<Complex> expected(x.size());
      host.apply(x, expected);
      EXPECT_LE(
          relative_difference(on_device(host, Numbers::complex_double, x), expected),
          1e-12);
      EXPECT_LE(
          relative_difference(on_device(host, Numbers::complex_single, x), expected),
          2e-6);
    }
}

/// Points on the edges of each other's windows: which nodes count must not hang on
/// rounding.
TEST_F(GridOnDevice, AgreesWithTheCpuOnRoundCoordinates) {
  std::vector<Element> elements;
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j)
      elements.push_back({{0.1 * i, 0.1 * j, 0}, {1, 0, 0}, 0.1, 0.01});
  for (const double spacing_m : {0.1, 0.05, 0.2}) {
    const GridOperator host({elements, k, {}, grid_classes[1], spacing_m});
    const auto x = random_vector(2 * elements.size(), 7);
    std::vector<Complex> expected(x.size());
    host.apply(x, expected);
    EXPECT_LE(relative_difference(on_device(host, Numbers::complex_double, x), expected),
              1e-12);
  }
}

TEST_F(GridOnDevice, GivesTheSameBitsTwice) {
  const auto elements = random_elements(1000, {2, 1, 1}, 0.005);
  const GridOperator host({elements, k, {}, grid_classes[1], 0.1});
  const auto x = random_vector(2 * elements.size(), 6);
  EXPECT_EQ(on_device(host, Numbers::complex_double, x),
            on_device(host, Numbers::complex_double, x));
}

/// Milliseconds of the steps for 2 M points; --gtest_also_run_disabled_tests.
TEST_F(GridOnDevice, DISABLED_Speed) {
  struct Case {
    const char* name;
    Vec3 box_m;
    double radius_m;
    int grid_class;
  };
  for (const Case& c : {Case{"surface, tubes", {30, 30, 0}, 0.016, 1},
                        Case{"surface, thin", {30, 30, 0}, 1e-6, 1},
                        Case{"surface, tubes, 1e-4", {30, 30, 0}, 0.016, 0},
                        Case{"volume, tubes", {12, 12, 12}, 0.016, 1}}) {
    const GridClass& grid_class = grid_classes[c.grid_class];
    const std::size_t count = 2000000 / static_cast<std::size_t>(grid_class.points);
    auto elements = random_elements(count, c.box_m, c.radius_m);
    // In the order that an operator has them in: by place.
    std::sort(elements.begin(), elements.end(), [](const Element& a, const Element& b) {
      const auto cell = [](const Element& e) {
        return std::array<int, 3>{static_cast<int>(e.start_m.x / 0.5),
                                  static_cast<int>(e.start_m.y / 0.5),
                                  static_cast<int>(e.start_m.z / 0.5)};
      };
      return cell(a) < cell(b);
    });
    const GridOperator host({elements, k, {}, grid_class, 0.1});
    const DeviceStream stream;
    for (const Numbers numbers : {Numbers::complex_double, Numbers::complex_single}) {
      const DeviceGridOperator device(host, numbers, stream);
      DeviceBuffer<Complex> current(2 * count, "x"), field(2 * count, "y");
      current.upload(random_vector(2 * count, 1), stream);
      DeviceEvent moment[4];
      double best[3] = {1, 1, 1};
      for (int repeat = 0; repeat < 5; ++repeat) {
        moment[0].record(stream);
        device.spread(current.data(), stream);
        moment[1].record(stream);
        device.convolve(stream);
        moment[2].record(stream);
        device.interpolate(field.data(), stream);
        moment[3].record(stream);
        for (int step = 0; step < 3; ++step)
          best[step] = std::min(best[step], moment[step + 1].seconds_since(moment[step]));
      }
      const auto& n = host.grid().size;
      std::printf(
          "%s, %zu points, %s: box %zu x %zu x %zu, %zu channels: spread %.2f, "
          "convolve %.2f, interpolate %.2f ms, %.2f GB\n",
          c.name, host.transfer().points().point.size(),
          numbers == Numbers::complex_double ? "double" : "single", n[0], n[1], n[2],
          host.transfer().channels().size(), 1e3 * best[0], 1e3 * best[1], 1e3 * best[2],
          1e-9 * static_cast<double>(device.bytes()));
    }
  }
}

}  // namespace
}  // namespace thinwire
