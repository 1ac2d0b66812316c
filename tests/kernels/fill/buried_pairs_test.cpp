// Pairs of elements of which one or both lie in the ground: what Maxwell's equations ask
// of the field on both sides of the surface, limits, symmetry.
#include "kernels/fill/buried_pairs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/element/near_pair.h"
#include "kernels/fill/near_ground_pairs.h"

namespace thinwire::buried_pairs_test {
namespace {

constexpr double k = 2 * pi;  // wavelength 1 m

/// All tables of a ground, for places up to half a wavelength from the surface and one
/// apart.
struct GroundTables {
  explicit GroundTables(Complex eps)
      : above(eps, 1e-5, 2 * k),
        below(eps, ReflectionPlaces::all(1e-5, 2 * k), GroundSide::below),
        across(eps, places()),
        reflected{k, eps, above.view()},
        buried{eps, {k, eps, below.view(), GroundSide::below}, {k, eps, across.view()}} {}

  static TransmissionPlaces places() {
    TransmissionPlaces all(1e-5, 2 * k);
    all.add({0, k, 0, 0.5 * k, 0, 0.5 * k});
    return all;
  }

  /// Whatever acts between two elements.
  ElementMatrix pair(const Element& p, const Element& q) const {
    if (is_below(p) || is_below(q)) return buried_pair(p, q, buried, GreensKernel::exact);
    ElementMatrix sum = near_pair(p, q, k, GreensKernel::exact);
    const ElementMatrix more = near_reflection(p, q, reflected, GreensKernel::exact);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) sum.z[i][j] += more.z[i][j];
    return sum;
  }

  GroundTable above, below;
  TransmissionTable across;
  GroundAt reflected;
  BuriedGroundAt buried;
};

Vec3 direction(double theta, double phi) {
  return {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
          std::cos(theta)};
}

/// A dipole of two elements around `centre`.
std::vector<Element> dipole(Vec3 centre, Vec3 along, double half_length) {
  const double radius = 1e-3 * half_length;
  return {{centre - half_length * along, along, half_length, radius},
          {centre, along, half_length, radius}};
}

/// Mutual impedance of the functions of two dipoles: the field of the one along the
/// other, whatever the gauge; and the size of the four entries that it is the sum of.
struct Mutual {
  Complex sum;
  double size = 0;
};

Mutual mutual(const GroundTables& ground, const std::vector<Element>& a,
              const std::vector<Element>& b) {
  Mutual m;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const HdComplex z = ground.pair(a[i], b[j]).z[1 - i][1 - j];
      m.sum += Complex(z.re, z.im);
      m.size += abs(z);
    }
  return m;
}

const Complex grounds[] = {{4, 0}, {13, -5}, {3, -0.1}, {80, -40}};

const Vec3 sources[] = {{0.11, 0.06, -0.04}, {0.03, -0.02, 0.07}};
const Vec3 source_directions[] = {direction(0.5 * pi, 0.3), direction(0, 0),
                                  direction(0.7, 1)};

// The field along the surface is continuous.
TEST(BuriedPairs, HorizontalFieldIsContinuousThroughTheSurface) {
  for (const Complex eps : grounds) {
    const GroundTables ground(eps);
    for (const Vec3 source : sources)
      for (const Vec3 along : source_directions) {
        const auto from = dipole(source, along, 0.02);
        const double step = 1e-9;
        const Vec3 x = direction(0.5 * pi, 0);
        const Mutual over = mutual(ground, dipole({0, 0, step}, x, 0.03), from);
        const Mutual under = mutual(ground, dipole({0, 0, -step}, x, 0.03), from);
        EXPECT_LT(std::abs(over.sum - under.sum),
                  2e-5 * std::abs(over.sum) + 1e-6 * over.size)
            << eps << source.z << along.z;
      }
  }
}

// The vertical one steps by eps: extrapolated to the surface from both sides.
TEST(BuriedPairs, VerticalFieldStepsByThePermittivity) {
  for (const Complex eps : grounds) {
    const GroundTables ground(eps);
    for (const Vec3 source : sources)
      for (const Vec3 along : source_directions) {
        const auto from = dipole(source, along, 0.02);
        constexpr double half = 5e-4;
        const auto at_surface = [&](double side) {
          const auto at = [&](double height) {
            return mutual(ground, dipole({0, 0, side * height}, direction(0, 0), half),
                          from);
          };
          const Mutual near = at(1.01 * half), far = at(2.02 * half);
          return Mutual{2.0 * near.sum - far.sum, near.size};
        };
        const Mutual over = at_surface(1), under = at_surface(-1);
        EXPECT_LT(
            std::abs(over.sum - eps * under.sum),
            4e-3 * std::abs(over.sum) + 1e-6 * (over.size + std::abs(eps) * under.size))
            << eps << source.z << along.z;
      }
  }
}

TEST(BuriedPairs, OfAirAreThoseOfFreeSpace) {
  const GroundTables air(1.0);
  const Element down = {{0.1, 0, -0.08}, direction(2.3, 0.4), 0.05, 1e-3};
  const Element up = {{0, 0, 0}, direction(0.4, 0.4), 0.06, 1e-3};
  const Element foot = {{0, 0, 0}, direction(pi - 0.2, 0.1), 0.03, 1e-3};
  const std::pair<Element, Element> pairs[] = {
      {down, up}, {up, down}, {down, foot}, {up, foot}, {foot, foot}};
  for (const auto& [p, q] : pairs) {
    const ElementMatrix in_air = near_pair(p, q, k, GreensKernel::exact);
    const ElementMatrix m = air.pair(p, q);
    double largest = 0;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) largest = std::max(largest, abs(in_air.z[i][j]));
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        EXPECT_LT(abs(m.z[i][j] - in_air.z[i][j]), 1e-9 * largest);
  }
}

TEST(BuriedPairs, ExchangedAreTransposed) {
  const GroundTables ground({13, -5});
  const Element elements[] = {{{0.1, 0, -0.08}, direction(2.3, 0.4), 0.05, 1e-3},
                              {{0, 0, 0}, direction(0.4, 0.4), 0.06, 2e-3},
                              {{0, 0, 0}, direction(pi - 0.2, 0.1), 0.03, 1e-3},
                              {{0, 0, -0.03}, direction(0.5 * pi, 0.1), 0.03, 1e-3}};
  for (const Element& p : elements)
    for (const Element& q : elements) {
      if (!is_below(p) && !is_below(q)) continue;
      const ElementMatrix there = ground.pair(p, q), back = ground.pair(q, p);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          EXPECT_LT(abs(there.z[i][j] - back.z[j][i]), 1e-7 * abs(there.z[0][0]));
        }
    }
}

TEST(BuriedPairs, FarOnesInVectorsAreThoseByThemselves) {
  for (const Complex eps : grounds) {
    const GroundTables ground(eps);
    for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
      const FarBelow far(ground.buried.below, kernel);
      const Element p = {{0.1, 0, -0.08}, direction(2.3, 0.4), 5e-3, 2e-5};
      int seen = 0;
      for (const double distance : {0.01, 0.02, 0.05, 0.13})
        for (const Vec3 along :
             {direction(0.5 * pi, 0.3), direction(0, 0), direction(0.7, 1)}) {
          const Element q = {p.start_m + distance * direction(1.4, 0.2), along, 4e-3,
                             1e-5};
          const int order = far.order(p, q);
          if (order == 0) continue;
          ++seen;
          const ElementMatrix m = far.matrix(p, q, order),
                              right = buried_pair(p, q, ground.buried, kernel);
          double largest = 0;
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) largest = std::max(largest, abs(right.z[i][j]));
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
              EXPECT_LT(abs(m.z[i][j] - right.z[i][j]), 1e-6 * largest)
                  << eps << distance << " " << order;
        }
      EXPECT_GT(seen, 8);
    }
  }
}

// Near ones by classes, far ones in vectors; scaled copies are not alike.
TEST(BuriedPairs, OfAMeshAreThoseByThemselves) {
  const GroundTables ground({13, -5});
  std::vector<Element> elements;
  for (const double size : {1.0, 2.0}) {
    const Vec3 hub = {0.3 * size, 0, -0.01 * size};
    elements.push_back({hub, direction(0, 0), 0.01 * size, 1e-4 * size});
    elements.push_back(
        {hub + Vec3{0, 0, 0.01 * size}, direction(0, 0), 0.02 * size, 1e-4 * size});
    for (int n = 0; n < 5; ++n) {
      const Vec3 out = direction(0.5 * pi, 0.4 * pi * n);
      for (int i = 0; i < 3; ++i)
        elements.push_back(
            {hub + 0.012 * size * i * out, out, 0.012 * size, 1e-4 * size});
    }
  }
  const BuriedPairs pairs(elements, ground.buried, GreensKernel::exact);
  for (std::uint32_t p = 0; p < elements.size(); ++p)
    for (std::uint32_t q = 0; q < elements.size(); ++q) {
      if (!is_below(elements[p]) && !is_below(elements[q])) continue;
      const ElementMatrix m = pairs.at(p, q), turned = pairs.at(q, p),
                          right = ground.pair(elements[p], elements[q]);
      double largest = 0;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) largest = std::max(largest, abs(right.z[i][j]));
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          EXPECT_LT(abs(m.z[i][j] - right.z[i][j]), 2e-6 * largest) << p << " " << q;
          EXPECT_EQ(m.z[i][j].re, turned.z[j][i].re);
        }
    }
}

// Around thick wires in the sea hardly any pair is far by its tubes, but the wave between
// them has died.
TEST(BuriedPairs, OfThickWiresInTheSeaAreThoseByThemselves) {
  const Complex sea = {81, -12000};
  const GroundTables ground(sea);
  const double depth_of_skin = 1 / (k * std::sqrt(6000));
  std::vector<Element> elements;
  for (int i = 0; i < 40; ++i)
    elements.push_back({{0.5 * i * depth_of_skin, 0, -2 * depth_of_skin},
                        direction(0.5 * pi, 0),
                        0.5 * depth_of_skin,
                        0.15 * depth_of_skin});
  const BuriedPairs pairs(elements, ground.buried, GreensKernel::exact);
  const double self = abs(ground.pair(elements[0], elements[0]).z[0][0]);
  for (std::uint32_t q = 0; q < elements.size(); ++q)
    EXPECT_LT(
        abs(pairs.at(39, q).z[0][1] - ground.pair(elements[39], elements[q]).z[0][1]),
        1e-9 * self)
        << q;
}

}  // namespace
}  // namespace thinwire::buried_pairs_test
