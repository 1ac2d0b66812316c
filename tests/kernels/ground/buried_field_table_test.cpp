#include "kernels/ground/buried_field_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

const Complex grounds[] = {{13, -6.4}, {3, -0.06}, {80, -0.6}, {81, -3000}};

constexpr BuriedWay ways[] = {BuriedWay::reflected, BuriedWay::up, BuriedWay::down};

/// Seeded places in a range, a tenth of each of the three at its least.
std::vector<BuriedPlace> some_places(BuriedWay way, const TransmissionRange& range,
                                     std::size_t count) {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto pick = [&](double from, double to) {
    const double x = uniform(generator);
    return x < 0.1 ? from : from + (to - from) * x * x;
  };
  std::vector<BuriedPlace> places;
  for (std::size_t i = 0; i < count; ++i) {
    const double rho = pick(range.rho_0, range.rho_1), z = pick(range.z_0, range.z_1),
                 depth = pick(range.depth_0, range.depth_1);
    places.push_back({rho, way == BuriedWay::reflected ? 0 : z, depth});
  }
  return places;
}

/// levels: those that the places lie at in turn, or none.
BuriedFieldTable table_for(FieldKind kind, BuriedWay way, Complex eps,
                           const std::vector<BuriedPlace>& places,
                           const BuriedLevels& levels = {}) {
  BuriedPlaces in_use(eps, levels);
  for (std::size_t i = 0; i < places.size(); ++i)
    in_use.add(places[i], levels.empty() ? 0 : levels[i % levels.count()]);
  return {kind, way, eps, in_use};
}

/// The largest difference from integrals at every `stride`th place, of what
/// buried_field_table.h has below the error. Expects most places to be in the table.
double worst_error(FieldKind kind, BuriedWay way, Complex eps,
                   const std::vector<BuriedPlace>& places, std::size_t stride,
                   const BuriedLevels& levels = {}) {
  const BuriedFieldTable table = table_for(kind, way, eps, places, levels);
  std::vector<FieldKernels> got(places.size());
  std::vector<std::size_t> missing;
  if (levels.empty()) table.at(places, got, missing);
  for (std::size_t i = 0; i < places.size() && !levels.empty(); ++i) {
    std::vector<std::size_t> none;
    table.at({&places[i], 1}, {&got[i], 1}, none, levels[i % levels.count()]);
    if (!none.empty()) missing.push_back(i);
  }
  EXPECT_LT(2 * missing.size(), places.size());
  const Complex k2 = std::sqrt(eps);
  double worst = 0;
  for (std::size_t i = 0; i < places.size(); i += stride) {
    if (std::binary_search(missing.begin(), missing.end(), i)) continue;
    FieldKernels want;
    buried_field_kernels(kind, way, eps, {&places[i], 1}, {&want, 1});
    const double r = std::hypot(places[i].rho, places[i].z + places[i].depth);
    const double scale = (1 + r) / (r * r) * std::exp(k2.imag() * places[i].depth);
    for (std::size_t n = 0; n < want.size(); ++n) {
      const bool charges = kind == FieldKind::electric && n >= 3;
      const double size = !charges                      ? 1
                          : way == BuriedWay::reflected ? 1 / std::abs(eps)
                                                        : 2 / std::abs(eps + 1.0);
      worst = std::max(worst, std::abs(got[i][n] - want[n]) / (scale * size));
    }
  }
  return worst;
}

// Places of all kinds within two boxes of each variable, some 3 m by 1 m by 1 m at 14
// MHz.
TEST(BuriedFieldTable, HoldsTheKernelsInAVolume) {
  for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic})
    for (const BuriedWay way : ways)
      for (const Complex eps : grounds) {
        const auto places = some_places(way, {0.13, 0.9, 0, 0.3, 0.02, 0.3}, 60000);
        const double worst = worst_error(kind, way, eps, places, 1201);
        EXPECT_LT(worst, 3e-8) << eps << static_cast<int>(way);
        EXPECT_GT(worst, 1e-14) << "no table is that good: it was not looked into";
      }
}

// Radials at one depth and points at one height, from next to the wire to 20 wavelengths.
TEST(BuriedFieldTable, HoldsTheKernelsAtOneDepthAndHeight) {
  for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic})
    for (const BuriedWay way : ways)
      for (const Complex eps : grounds)
        for (const double farthest : {0.5, 120.0}) {
          const auto places =
              some_places(way, {0, farthest, 0.3, 0.3, 0.02, 0.02}, 40000);
          EXPECT_LT(worst_error(kind, way, eps, places, 801), 3e-8)
              << eps << static_cast<int>(way) << ' ' << farthest;
        }
}

// Planes of a grid, the first of them next to the surface, and currents at any distance
// from it.
TEST(BuriedFieldTable, HoldsTheKernelsOnPlanes) {
  const std::vector<double> planes = {0.003, 0.1, 0.3, 0.8, 1.3};
  for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic})
    for (const BuriedWay way : ways)
      for (const Complex eps : {grounds[0], grounds[1], grounds[2]}) {
        const auto levels = BuriedLevels::of(way, eps, planes, 0.3);
        ASSERT_EQ(levels.count(), planes.size());
        std::vector<BuriedPlace> places;
        for (const BuriedPlace& place :
             some_places(BuriedWay::up, {0.13, 3, 0, 0.3, 0, 0}, 20000))
          places.push_back(
              levels.place(place.rho, place.z, places.size() % levels.count()));
        const double worst = worst_error(kind, way, eps, places, 401, levels);
        EXPECT_LT(worst, 3e-8) << eps << static_cast<int>(way);
        EXPECT_GT(worst, 1e-14) << "no table is that good: it was not looked into";
      }
}

TEST(BuriedFieldTable, HasLevelsWhereTheyAreFewAndNotSilent) {
  const auto count = [](std::size_t planes, double depth, Complex eps) {
    std::vector<double> distances;
    for (std::size_t i = 0; i < 2 * planes; ++i)
      distances.push_back(depth * static_cast<double>(i % planes + 1) /
                          static_cast<double>(planes));
    return BuriedLevels::of(BuriedWay::down, eps, distances, 0).count();
  };
  EXPECT_EQ(count(10, 0.3, grounds[2]), 10u);
  EXPECT_EQ(count(40, 0.3, grounds[2]), 0u);
  EXPECT_EQ(count(40, 6, grounds[2]), 40u);  // a variable takes 62 nodes
  EXPECT_EQ(count(10, 1, grounds[3]), 0u);   // 38 nats of the sea
}

// Where little arrives, too: the error goes with e^{-j k2 depth}.
TEST(BuriedFieldTable, IsExactDeepInTheGround) {
  const Complex eps(13, -6.4);  // 0.87 nats a radian
  for (const BuriedWay way : ways) {
    const auto places = some_places(way, {0.1, 8, 0.3, 0.3, 20, 22}, 40000);
    EXPECT_LT(worst_error(FieldKind::electric, way, eps, places, 801), 1e-7)
        << static_cast<int>(way);
  }
}

TEST(BuriedFieldTable, LeavesFewPlacesToIntegrals) {
  const auto places = some_places(BuriedWay::up, {0.13, 0.9, 0, 0.3, 0.02, 0.3}, 20);
  std::vector<FieldKernels> kernels(places.size());
  std::vector<std::size_t> missing;
  table_for(FieldKind::electric, BuriedWay::up, {13, -6.4}, places)
      .at(places, kernels, missing);
  EXPECT_EQ(missing.size(), places.size());
}

TEST(BuriedFieldTable, HasNoPowersOfWhatStaysTheSame) {
  const auto bytes = [](const TransmissionRange& range) {
    const auto places = some_places(BuriedWay::up, range, 40000);
    return table_for(FieldKind::electric, BuriedWay::up, {13, -6.4}, places).bytes();
  };
  EXPECT_LT(3 * bytes({0.13, 0.9, 0.2, 0.2, 0.02, 0.02}),
            bytes({0.13, 0.9, 0.2, 0.4, 0.02, 0.3}));
}

}  // namespace
}  // namespace thinwire
