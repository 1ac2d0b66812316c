// Near fields of wires on both sides of a ground's surface: Maxwell's equations, the
// conditions at the surface, free space.
#include "kernels/ground/buried_field.h"
#include "kernels/ground/buried_kernels.h"

#include <array>
#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/fields/medium_field.h"
#include "kernels/fields/near_field.h"
#include "kernels/ground/buried_field_kernels.h"
#include "kernels/ground/ground_field.h"

namespace thinwire::buried_field_test {
namespace {

constexpr double k = 2 * pi;
using ComplexPoint = std::array<Complex, 3>;

/// A chain of elements with a current that vanishes at both ends; thin, since at a bend
/// of tubes charge is kept to (a/R)^2 only.
struct Wires {
  std::vector<Element> elements;
  std::vector<Complex> end_current_a;

  void add(Vec3 from, Vec3 to, Complex start_a, Complex end_a) {
    const double length = norm(to - from);
    elements.push_back({from, (1 / length) * (to - from), length, 1e-5});
    end_current_a.push_back(start_a);
    end_current_a.push_back(end_a);
  }
  Wires on(bool below) const {
    Wires side;
    for (std::size_t e = 0; e < elements.size(); ++e)
      if (is_below(elements[e]) == below) {
        side.elements.push_back(elements[e]);
        side.end_current_a.push_back(end_current_a[2 * e]);
        side.end_current_a.push_back(end_current_a[2 * e + 1]);
      }
    return side;
  }
};

Wires above() {
  Wires wires;
  wires.add({-0.1, 0, 0.02}, {0, 0.03, 0.1}, 0, {1, 0.3});
  wires.add({0, 0.03, 0.1}, {0.1, 0, 0.04}, {1, 0.3}, 0);
  return wires;
}
Wires below() {
  Wires wires;
  wires.add({-0.05, 0, -0.05}, {0, 0.02, -0.05}, 0, {0.4, 1});
  wires.add({0, 0.02, -0.05}, {0.02, 0, -0.12}, {0.4, 1}, 0);
  return wires;
}
/// A bent wire through the surface.
Wires through() {
  Wires wires;
  wires.add({0.03, 0, 0.1}, {0, 0, 0}, 0, {1, -0.2});
  wires.add({0, 0, 0}, {0, 0, -0.05}, {1, -0.2}, {0.5, 0});
  wires.add({0, 0, -0.05}, {0.04, 0.03, -0.05}, {0.5, 0}, 0);
  return wires;
}

/// All of the field at a point, by the side it lies on.
ComplexPoint field_at(const Wires& wires, Complex eps, FieldKind kind, Vec3 at) {
  std::vector<Complex> field(3);
  const std::span<const Vec3> points(&at, 1);
  const bool electric = kind == FieldKind::electric;
  const Wires side = wires.on(at.z < 0);
  if (at.z >= 0 && !side.elements.empty()) {
    const NearFieldSources sources =
        near_field_sources(side.elements, side.end_current_a, k, GreensKernel::exact,
                           Medium::perfect_ground(), image_strength(eps));
    (electric ? electric_field : magnetic_field)(sources, points, k, field);
    GroundField(side.elements, side.end_current_a, k, eps).add(kind, points, field);
  } else if (at.z < 0) {
    (electric ? add_electric_field_in : add_magnetic_field_in)(
        eps, side.elements, side.end_current_a, k, GreensKernel::exact, points, field);
  }
  BuriedField(wires.elements, wires.end_current_a, k, eps, GreensKernel::exact)
      .add(kind, points, field);
  return {field[0], field[1], field[2]};
}

double size_of(const ComplexPoint& v) {
  return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
}

const Complex grounds[] = {{13, -25}, {4, 0}, {81, -300}};

TEST(BuriedField, IsContinuousAtTheSurface) {
  for (const Wires& wires : {above(), below(), through()})
    for (const Complex eps : grounds)
      for (const Vec3 at : {Vec3{0.05, 0.06, 0}, {1, 0.7, 0}}) {
        const Vec3 deeper = at - Vec3{0, 0, 1e-12};
        const ComplexPoint e_up = field_at(wires, eps, FieldKind::electric, at);
        const ComplexPoint e_down = field_at(wires, eps, FieldKind::electric, deeper);
        const ComplexPoint h_up = field_at(wires, eps, FieldKind::magnetic, at);
        const ComplexPoint h_down = field_at(wires, eps, FieldKind::magnetic, deeper);
        const double e = 1e-6 * size_of(e_up), h = 1e-6 * size_of(h_up);
        EXPECT_LT(std::abs(e_up[0] - e_down[0]), e) << eps << at.x;
        EXPECT_LT(std::abs(e_up[1] - e_down[1]), e) << eps << at.x;
        EXPECT_LT(std::abs(e_up[2] - eps * e_down[2]),
                  e + 1e-7 * std::abs(eps) * size_of(e_down))
            << eps << at.x;
        for (int c = 0; c < 3; ++c)
          EXPECT_LT(std::abs(h_up[c] - h_down[c]), h) << eps << at.x << c;
      }
}

// H = j / (k eta) curl E on both sides.
TEST(BuriedField, MagneticIsTheCurlOfElectric) {
  for (const Wires& wires : {above(), below(), through()})
    for (const Complex eps : grounds)
      for (const Vec3 at : {Vec3{0.05, 0.06, 0.03}, {0.05, 0.06, -0.03}}) {
        const double h = 0.01 / (k * std::abs(std::sqrt(eps)));
        ComplexPoint derivative[3];
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 step =
              h * Vec3{axis == 0 ? 1.0 : 0, axis == 1 ? 1.0 : 0, axis == 2 ? 1.0 : 0};
          const auto of = [&](double i) {
            return field_at(wires, eps, FieldKind::electric, at + i * step);
          };
          const ComplexPoint a = of(1), b = of(-1), c = of(2), d = of(-2);
          for (int n = 0; n < 3; ++n)
            derivative[axis][n] = (8.0 * (a[n] - b[n]) - (c[n] - d[n])) / (12 * h);
        }
        const ComplexPoint got = field_at(wires, eps, FieldKind::magnetic, at);
        const Complex factor(0, 1 / (k * eta0_ohm));
        for (int n = 0; n < 3; ++n) {
          const int a = (n + 1) % 3, b = (n + 2) % 3;
          EXPECT_LT(std::abs(got[n] - factor * (derivative[a][b] - derivative[b][a])),
                    1e-4 * size_of(got))
              << eps << ' ' << at.z << ' ' << n;
        }
      }
}

/// 900 points from z = -0.101 to 0.102 m in so many planes.
std::vector<Vec3> in_planes(int planes) {
  std::vector<Vec3> points;
  for (int i = 0; i < 900; ++i) {
    const int row = i / 30;
    points.push_back({0.01 * (i % 30) - 0.1, 0.04 + 0.01 * (row / planes),
                      0.203 / (planes - 1) * (row % planes) - 0.101});
  }
  return points;
}

// Many points share tables, of a variable depth or of each plane; each alone takes
// integrals.
TEST(BuriedField, IsThatOfEachPointAlone) {
  const Wires wires = through();
  for (const int planes : {30, 6})
    for (const Complex eps : {grounds[0], grounds[1], grounds[2], Complex(81, -0.6)}) {
      const std::vector<Vec3> points = in_planes(planes);
      for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic}) {
        const BuriedField field(wires.elements, wires.end_current_a, k, eps,
                                GreensKernel::exact);
        std::vector<Complex> all(3 * points.size());
        field.add(kind, points, all);
        double worst = 0;
        for (std::size_t i = 0; i < points.size(); i += 97) {
          std::vector<Complex> one(3);
          field.add(kind, {&points[i], 1}, one);
          const ComplexPoint difference = {all[3 * i] - one[0], all[3 * i + 1] - one[1],
                                           all[3 * i + 2] - one[2]};
          worst =
              std::max(worst, size_of(difference) / size_of({one[0], one[1], one[2]}));
        }
        EXPECT_LT(worst, 1e-7) << eps << static_cast<int>(kind) << ' ' << planes;
        EXPECT_GT(worst, 0) << "no table was made";
      }
    }
}

TEST(BuriedField, StopsWhereAsked) {
  const Wires wires = below();
  const std::vector<Vec3> points(100, Vec3{0.3, 0.1, 0.2});
  std::vector<Complex> field(3 * points.size());
  const std::atomic<bool> stop = true;
  EXPECT_THROW(BuriedField(wires.elements, wires.end_current_a, k, 4, GreensKernel::exact)
                   .add(FieldKind::electric, points, field, Monitor({}, &stop)),
               Error);
}

// From rho = 300 on another path serves: where the wave in the ground has died, what is
// left times rho^2 e^{j rho} is smooth.
TEST(BuriedField, PathsAgreeFarAway) {
  for (const Complex eps : {Complex(13, -25), Complex(81, -300)})
    for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic})
      for (const BuriedWay way : {BuriedWay::up, BuriedWay::down, BuriedWay::reflected}) {
        const auto at = [&](double rho, std::size_t n) {
          const BuriedPlace place{rho, way == BuriedWay::reflected ? 0 : 4.0, 0.2};
          FieldKernels g;
          buried_field_kernels(kind, way, eps, {&place, 1}, {&g, 1});
          return g[n] * std::polar(1.0, rho);
        };
        for (std::size_t n = 0; n < std::tuple_size_v<FieldKernels>; ++n) {
          const Complex expected = 3.0 * at(299.9, n) - 3.0 * at(299.7, n) + at(299.5, n);
          EXPECT_LT(std::abs(at(300.1, n) - expected), 1e-6 * std::abs(expected))
              << eps << static_cast<int>(kind) << static_cast<int>(way) << n;
        }
      }
}

// Whatever path serves, deep in ground of little loss too.
TEST(BuriedField, FarDepthsAreThoseOfTheKernels) {
  for (const Complex eps : {Complex(80, -0.2), Complex(13, -0.01)})
    for (const double depth : {1.0, 10.0, 20.0, 35.0, 60.0}) {
      const BuriedPlace place{310, 4, depth};
      FieldKernels g;
      buried_field_kernels(FieldKind::electric, BuriedWay::up, eps, {&place, 1}, {&g, 1});
      const ReflectedKernels right = transmission_kernels(eps, 310, 4, depth);
      EXPECT_LT(std::abs(g[0] - Complex(right.h)), 1e-8 / 310) << eps << depth;
    }
}

TEST(BuriedField, IsThatOfFreeSpaceThere) {
  const Wires wires = through();
  const NearFieldSources free = near_field_sources(
      wires.elements, wires.end_current_a, k, GreensKernel::exact, Medium::free_space());
  for (const Vec3 at : {Vec3{0.05, 0.06, 0.03},
                        {0.05, 0.06, -0.03},
                        {0.3, 0.1, -0.1},
                        {0.005, 0, -0.03},
                        {0.004, 0.001, 0.05}})
    for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic}) {
      std::vector<Complex> want(3);
      (kind == FieldKind::electric ? electric_field : magnetic_field)(
          free, std::span(&at, 1), k, want);
      const ComplexPoint got = field_at(wires, 1.0, kind, at);
      const double size = size_of({want[0], want[1], want[2]});
      for (int c = 0; c < 3; ++c)
        EXPECT_LT(std::abs(got[c] - want[c]), 2e-6 * size) << at.z << ' ' << c;
    }
}

}  // namespace
}  // namespace thinwire::buried_field_test
