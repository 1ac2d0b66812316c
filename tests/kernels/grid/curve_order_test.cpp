#include "kernels/grid/curve_order.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/kernels/element/test_mesh.h"

namespace thinwire {
namespace {

/// Wires of three elements anywhere in a box.
testing::TestMesh wires(int count) {
  testing::TestMesh mesh;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < count; ++i) {
    const Vec3 at{9 * unit(random), 5 * unit(random), 3 * unit(random)};
    mesh.add_wire(testing::straight(at, at + Vec3{0.3, 0.1, 0.2}, 3), 0.001);
  }
  return mesh;
}

Vec3 place(const std::vector<Element>& elements, const BasisFunction& f) {
  const Element& e = elements[f.element[0]];
  return e.start_m + (f.end[0] * e.length_m) * e.tangent;
}

// Bit by bit, from the highest.
TEST(CurveOrder, GoesThroughCubesAsMortonsCurveDoes) {
  constexpr double cube = 0.8;
  for (const int count : {1, 500}) {
    const testing::TestMesh mesh = wires(count);
    const CurveOrder order(mesh.elements, mesh.basis, cube);
    Vec3 low = place(mesh.elements, mesh.basis[0]);
    for (const BasisFunction& f : mesh.basis) {
      const Vec3 p = place(mesh.elements, f);
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    }
    const auto key = [&](std::uint32_t m) {
      const Vec3 r = (1 / cube) * (place(mesh.elements, mesh.basis[m]) - low);
      const unsigned at[] = {static_cast<unsigned>(r.x), static_cast<unsigned>(r.y),
                             static_cast<unsigned>(r.z)};
      std::vector<unsigned> bits;
      for (int bit = 20; bit >= 0; --bit)
        for (const unsigned x : at) bits.push_back(x >> bit & 1);
      return bits;
    };
    LargeVector<std::uint32_t> expected(mesh.basis.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    EXPECT_EQ(order.function, expected);
  }
}

TEST(CurveOrder, KeepsFunctionsAndNumbersElementsAsTheyAreMet) {
  const testing::TestMesh mesh = wires(200);
  const CurveOrder order(mesh.elements, mesh.basis, 0.5);
  ASSERT_EQ(order.basis.size(), mesh.basis.size());
  std::uint32_t met = 0;
  for (std::size_t m = 0; m < order.basis.size(); ++m) {
    const BasisFunction &now = order.basis[m], &old = mesh.basis[order.function[m]];
    for (int t = 0; t < 2; ++t) {
      EXPECT_EQ(now.sign[t], old.sign[t]);
      EXPECT_EQ(now.end[t], old.end[t]);
      EXPECT_LE(now.element[t], met);
      met = std::max(met, now.element[t] + 1);
      const Element &a = order.elements[now.element[t]],
                    &b = mesh.elements[old.element[t]];
      EXPECT_EQ(norm(a.start_m - b.start_m), 0);
      EXPECT_EQ(a.radius_m, b.radius_m);
    }
  }
  EXPECT_EQ(met, order.elements.size());
}

}  // namespace
}  // namespace thinwire
