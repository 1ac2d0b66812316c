#include "kernels/ground/ground_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "kernels/base/constants.h"
#include "kernels/ground/buried_kernels.h"

namespace thinwire {
namespace {

/// The reflected kernels less the image, as the table has them.
ReflectedKernels rest_of(Complex eps, double rho, double zeta) {
  const ReflectedKernels k = reflected_kernels(eps, rho, zeta);
  const double r = std::hypot(rho, zeta);
  const Complex image = image_strength(eps) * std::polar(1 / r, -r);
  const HdComplex g = {image.real(), image.imag()};
  return {k.h + g, k.phi + g, k.zz - g, k.q};
}

double difference(const ReflectedKernels& a, const ReflectedKernels& b) {
  return std::max({abs(a.h - b.h), abs(a.phi - b.phi), abs(a.zz - b.zz), abs(a.q - b.q)});
}

// All octaves from 1e-6 to 3 wavelengths, seeded places at every angle, a quarter of them
// at grazing ones; soil, fresh water and sea water.
TEST(GroundTable, HoldsTheKernelsTo1e7OfAnImage) {
  const double least = 2 * pi * 1e-6, most = 2 * pi * 3;
  for (const Complex eps : {Complex{13, -6.4}, Complex{3, -0.06}, Complex{10, -1e-3},
                            Complex{80, -0.06}, Complex{81, -9e5}, Complex{1.0001, 0}}) {
    const GroundTable table(eps, least, most);
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
      const double r = least * std::pow(most / least, uniform(generator));
      const double angle = 0.5 * pi * uniform(generator) * (i % 4 == 0 ? 1e-3 : 1);
      const double rho = r * std::cos(angle), zeta = r * std::sin(angle);
      worst = std::max(
          worst, r * difference(table.view().at(rho, zeta), rest_of(eps, rho, zeta)));
    }
    EXPECT_LT(worst, 1e-7) << eps;
    EXPECT_GT(worst, 1e-11) << "no table is that good: it was not looked into";
  }
}

// Low over soil, as finer tables and loops far smaller than the wavelength want it.
TEST(GroundTable, HoldsTheKernelsBetterWhereAsked) {
  for (const auto& [eps, error, most] :
       {std::tuple(Complex{13, -6.4}, 1e-8, 2 * pi), {Complex{13, -9e4}, 1e-9, 1e-4}}) {
    const double least = 1e-3 * most;
    GroundTable table(eps, ReflectionPlaces::all(least, most), GroundSide::above,
                      {error});
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    double worst = 0;
    for (int i = 0; i < 100; ++i) {
      const double r = least * std::pow(most / least, uniform(generator));
      const double angle = 0.5 * pi * uniform(generator);
      const double rho = r * std::cos(angle), zeta = r * std::sin(angle);
      worst = std::max(
          worst, r * difference(table.view().at(rho, zeta), rest_of(eps, rho, zeta)));
    }
    EXPECT_LT(worst, error) << eps;
    table.leave_out_charges();
    EXPECT_EQ(abs(table.view().at(most, least).phi), 0);
    EXPECT_GT(abs(table.view().at(most, least).h), 0);
  }
}

/// Returns the rest below the surface; charges times eps.
ReflectedKernels rest_below(Complex eps, double rho, double depths) {
  ReflectedKernels k = below_kernels(eps, rho, depths);
  const double r = std::hypot(rho, depths);
  const Complex image =
      image_strength(eps) * std::exp(Complex(0, -1) * std::sqrt(eps) * r) / r;
  const HdComplex g = {image.real(), image.imag()};
  return {k.h - g, HdComplex{eps.real(), eps.imag()} * k.phi - g, k.zz + g, k.q};
}

// Below the surface from 1e-5 to 1.5 wavelengths, each wave as deep as it goes; and wires
// at one depth in fresh water, where the wave in the ground goes as far as they do.
TEST(GroundTable, HoldsTheKernelsBelowTheSurface) {
  const double least = 2 * pi * 1e-5, most = 2 * pi * 1.5;
  for (const Complex eps : {Complex{13, -6.4}, Complex{13, -50}, Complex{3, -0.06},
                            Complex{81, -9e5}, Complex{80, -0.6}, Complex{1.0001, 0}}) {
    const bool lossless = eps == Complex{80, -0.6};
    const double from = lossless ? 0.2 : 0, to = lossless ? 0.21 : 2 * most;
    ReflectionPlaces places(least, most);
    places.add({0, most, from, to});
    const GroundTable table(eps, places, GroundSide::below);
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
      const double r = least * std::pow(most / least, uniform(generator));
      const double angle = 0.5 * pi * uniform(generator) * (i % 4 == 0 ? 1e-3 : 1);
      const double rho = r * std::cos(angle);
      const double depths =
          lossless ? from + (to - from) * uniform(generator) : r * std::sin(angle);
      ReflectedKernels got = table.view().at(rho, depths);
      got.phi = HdComplex{eps.real(), eps.imag()} * got.phi;
      worst = std::max(
          worst, std::hypot(rho, depths) * difference(got, rest_below(eps, rho, depths)));
    }
    EXPECT_LT(worst, 1e-7) << eps;
    EXPECT_GT(worst, 1e-11) << "no table is that good: it was not looked into";
  }
}

TEST(GroundTable, HasNoStepsAtTheBordersOfItsBoxes) {
  const GroundTable table({13, -6.4}, 1e-4, 20);
  double worst = 0;
  const auto look = [&](double rho, double zeta) {
    constexpr double below = 1 - 1e-14, above = 1 + 1e-14;
    const double r = std::hypot(rho, zeta);
    worst = std::max(worst, r * difference(table.view().at(rho * below, zeta),
                                           table.view().at(rho * above, zeta)));
    worst = std::max(worst, r * difference(table.view().at(rho, zeta * below),
                                           table.view().at(rho, zeta * above)));
  };
  // Octaves, and halves and quarters of boxes.
  for (double s = 1e-4; s < 5; s *= 1.0000001) {
    s = std::exp2(std::ceil(std::log2(s)));
    for (const double cut : {1.0, 1.25, 1.5, 1.75})
      for (const double other : {0.02, 0.1, 0.37, 0.6, 0.9, 1.3}) {
        look(s * cut, s * other);
        look(s * other, s * cut);
      }
  }
  EXPECT_LT(worst, 1e-7);
  EXPECT_GT(worst, 1e-13);
}

// An antenna far above the ground, and two that are far apart: only what lies between is
// tabulated, however many wavelengths away.
TEST(GroundTable, IsMadeForThePlacesInUseAlone) {
  const ReflectionRange ranges[] = {
      {0, 0.4, 4190, 4191}, {209, 213, 0.5, 0.9}, {4100, 4110, 80, 81}};
  for (const ReflectionRange& range : ranges) {
    const Complex eps{13, -0.3};
    ReflectionPlaces places(1e-2, 2 * (range.rho_1 + range.zeta_1));
    places.add(range);
    const GroundTable table(eps, places);
    EXPECT_LT(table.boxes().size(), 3u * 20 + 60);
    double worst = 0;
    for (const double a : {0.0, 0.13, 0.61, 1.0})
      for (const double b : {0.0, 0.37, 0.84, 1.0}) {
        const double rho = range.rho_0 + a * (range.rho_1 - range.rho_0),
                     zeta = range.zeta_0 + b * (range.zeta_1 - range.zeta_0);
        worst =
            std::max(worst, std::hypot(rho, zeta) * difference(table.view().at(rho, zeta),
                                                               rest_of(eps, rho, zeta)));
      }
    EXPECT_LT(worst, 1e-7) << range.rho_0;
    EXPECT_GT(worst, 0) << range.rho_0;
  }
}

// Closer than its first octave the table goes by direction alone.
TEST(GroundTable, GoesOnBelowItsFirstOctave) {
  const Complex eps{13, -6.4};
  const GroundTable table(eps, 1e-5, 1e-3);
  const double rho = 3e-7, zeta = 2e-7;
  EXPECT_LT(std::hypot(rho, zeta) *
                difference(table.view().at(rho, zeta), rest_of(eps, rho, zeta)),
            1e-4);
}

TEST(GroundTable, OfAirIsZero) {
  const GroundTable table(1.0, 1e-3, 1);
  EXPECT_EQ(difference(table.view().at(0.3, 0.01), {}), 0);
}

}  // namespace
}  // namespace thinwire
