#include "kernels/ground/transmission_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/base/constants.h"

namespace thinwire::transmission_table_test {
namespace {

/// Largest difference of the table from the point functions, of G (of 2 G / |eps + 1| for
/// charges), at one place.
double error_at(const TransmissionTable& table, double rho, double z, double depth) {
  const Complex eps = table.eps(), charges = 2.0 / (eps + 1.0);
  const ReflectedKernels got = table.view().at(rho, z, depth),
                         want = transmission_kernels(eps, rho, z, depth);
  const double r = std::hypot(rho, z + depth);
  const Complex g = std::polar(1 / r, -r);
  return r * std::max({std::abs(Complex(got.h) + g - Complex(want.h)),
                       std::abs((Complex(got.phi) - Complex(want.phi)) / charges + g),
                       std::abs(Complex(got.zz) + g - Complex(want.zz)),
                       abs(got.q - want.q)});
}

/// The largest at seeded places of a range, a tenth of each of the three at its least.
double worst_error(const TransmissionTable& table, const TransmissionRange& range,
                   double least) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto pick = [&](double from, double to) {
    const double x = uniform(generator);
    return x < 0.1 ? from : from + (to - from) * std::pow(x, 4);
  };
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    const double rho = pick(range.rho_0, range.rho_1), z = pick(range.z_0, range.z_1),
                 depth = pick(range.depth_0, range.depth_1);
    if (std::hypot(rho, z + depth) < least) continue;
    worst = std::max(worst, error_at(table, rho, z, depth));
  }
  return worst;
}

const Complex grounds[] = {{13, -6.4}, {3, -0.06}, {80, -0.6}, {81, -9e5}, {81, -3000}};

TEST(TransmissionTable, HoldsTheKernelsBetterWhereAsked) {
  const Complex eps = {13, -6.4};
  const TransmissionRange range = {0, 1, 0, 0.5, 0, 0.2};
  TransmissionPlaces places(1e-3, 2);
  places.add(range);
  EXPECT_LT(worst_error(TransmissionTable(eps, places, 1e-8), range, 1e-3), 1e-8);
}

// Wires of any kind above and below, up to half a wavelength.
TEST(TransmissionTable, HoldsTheKernels) {
  for (const Complex eps : grounds) {
    const TransmissionRange range = {0, 2, 0,
                                     2, 0, std::min(1.0, 10 / std::sqrt(std::abs(eps)))};
    TransmissionPlaces places(1e-4, 4);
    places.add(range);
    const TransmissionTable table(eps, places);
    const double worst = worst_error(table, range, 1e-4);
    EXPECT_LT(worst, 1e-7) << eps;
    EXPECT_GT(worst, 1e-11) << "no table is that good: it was not looked into";
  }
}

// Radials at one depth under a vertical wire; a vertical wire that goes on as a rod, to
// where nothing arrives: few powers, small tables.
TEST(TransmissionTable, IsSmallWherePlacesLieInAPlane) {
  for (const Complex eps : grounds) {
    const TransmissionRange ranges[] = {{0, 3, 0, 3, 0.01, 0.01},
                                        {0, 1e-4, 0, 2, 0, 1.5}};
    for (const TransmissionRange& range : ranges) {
      TransmissionPlaces places(range.rho_1 > 1 ? 0.01 : 1e-5, 4.5);
      places.add(range);
      const TransmissionTable table(eps, places);
      EXPECT_LT(worst_error(table, range, 1e-5), 1e-7) << eps << ' ' << range.rho_1;
      EXPECT_LT(table.bytes(), 4e6);
    }
  }
}

TEST(TransmissionTable, OfSeveralRangesHasAllAndNoMore) {
  const TransmissionRange ranges[] = {{0, 0.4, 2, 2.5, 0.01, 0.011},
                                      {1.5, 1.6, 0, 0.1, 0.3, 0.4},
                                      {40, 41, 3, 3.1, 0, 0.1}};
  TransmissionPlaces places(0.01, 45), everywhere(0.01, 45);
  for (const TransmissionRange& range : ranges) places.add(range);
  everywhere.add({0, 41, 0, 3.1, 0, 0.4});
  const Complex eps{13, -6.4};
  const TransmissionTable table(eps, places);
  for (const TransmissionRange& range : ranges)
    EXPECT_LT(worst_error(table, range, 0), 1e-7) << range.rho_1;
  EXPECT_LT(5 * table.bytes(), TransmissionTable(eps, everywhere).bytes());
}

TEST(TransmissionTable, HasNoStepsAtTheBordersOfItsBoxes) {
  TransmissionPlaces places(1e-3, 4);
  places.add({0, 2, 0, 2, 0, 2});
  const TransmissionTable table({5, -2}, places);
  const auto step = [&](double rho, double z, double depth) {
    constexpr double down = 1 - 1e-14, up = 1 + 1e-14;
    const ReflectedKernels a = table.view().at(rho * down, z * down, depth * down),
                           b = table.view().at(rho * up, z * up, depth * up);
    return std::hypot(rho, z + depth) *
           std::max({abs(a.h - b.h), abs(a.phi - b.phi), abs(a.q - b.q)});
  };
  double worst = 0;
  for (const double s : {0.0078125, 0.125, 1.0})
    for (const double cut : {1.0, 1.25, 1.5, 1.75})
      for (const double other : {0.02, 0.37, 0.9})
        for (const double third : {0.0, 0.6, 1.0})
          worst = std::max({worst, step(s * cut, s * other, s * third),
                            step(s * other, s * cut, s * third),
                            step(s * third, s * other, s * cut)});
  EXPECT_LT(worst, 1e-7);
}

// Nearer than the first octave the static part alone is left.
TEST(TransmissionTable, GoesOnBelowItsFirstOctave) {
  const Complex eps{13, -6.4};
  TransmissionPlaces places(1e-7, 1);
  places.add({0, 0.5, 0, 0.5, 0, 0.5});
  const TransmissionTable table(eps, places);
  for (const double r : {1e-8, 1e-11})
    EXPECT_LT(error_at(table, 0.6 * r, 0.3 * r, 0.5 * r), 1e-6);
}

TEST(TransmissionTable, OfAirIsZero) {
  TransmissionPlaces places(1e-3, 4);
  places.add({0, 2, 0, 2, 0, 1});
  const TransmissionTable table(1.0, places);
  for (const double rho : {0.0, 0.3, 1.9})
    EXPECT_LT(rho * abs(table.view().at(rho, 0.2, 0.1).h), 1e-8);
}

}  // namespace
}  // namespace thinwire::transmission_table_test
