// Derivatives of I^T Z J by moving elements, against differences of near_pair.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "kernels/element/near_pair.h"
#include "kernels/gradient/form_gradient.h"

namespace thinwire {
namespace {

/// A straight wire of some radius between two points, that moves.
struct Rod {
  Vec3 start_m, end_m;
  double radius_m;
  ElementMotion motion;

  Element at(double parameter) const {
    const Vec3 start = start_m + parameter * motion.start_m,
               step = end_m + parameter * motion.end_m - start;
    return {start, (1 / norm(step)) * step, norm(step),
            radius_m + parameter * motion.radius_m};
  }
};

class Moving {
 public:
  explicit Moving(std::vector<Rod> rods, Medium medium = {})
      : rods_(std::move(rods)), medium_(medium) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (std::vector<EndCurrents>* currents : {&i_, &j_})
      for (std::size_t e = 0; e < rods_.size(); ++e)
        currents->push_back(
            {{{normal(random), normal(random)}, {normal(random), normal(random)}}});
  }

  Complex gradient() const {
    std::vector<Element> elements = at(0);
    std::vector<std::vector<ElementMotion>> motions(1);
    for (const Rod& rod : rods_) motions[0].push_back(rod.motion);
    const std::vector<std::vector<EndCurrents>> i = {i_};
    return form_gradients({elements, i, j_, k, kernel, medium_}, motions)[0][0];
  }
  /// To the sixth order in the step.
  Complex difference(double step) const {
    const auto half = [&](int n) { return form(n * step) - form(-n * step); };
    return (45.0 * half(1) - 9.0 * half(2) + half(3)) / (60 * step);
  }
  /// Beside which a derivative for each wavelength is nothing.
  double scale() const { return std::abs(form(0)); }

  GreensKernel kernel = GreensKernel::exact;
  double k = 2 * pi;

 private:
  std::vector<Element> at(double parameter) const {
    std::vector<Element> elements;
    for (const Rod& rod : rods_) elements.push_back(rod.at(parameter));
    return elements;
  }
  Complex form(double parameter) const {
    const std::vector<Element> elements = at(parameter);
    Complex sum = 0;
    for (std::size_t p = 0; p < elements.size(); ++p)
      for (std::size_t q = 0; q < elements.size(); ++q)
        for (int s = 0; s < medium_.sources(); ++s) {
          const ElementMatrix z =
              near_pair(medium_.source(elements[p], s), elements[q], k, kernel);
          for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b)
              sum += medium_.factor(s) * i_[p].at[a] * Complex(z.z[a][b]) * j_[q].at[b];
        }
    return sum;
  }

  std::vector<Rod> rods_;
  Medium medium_;
  std::vector<EndCurrents> i_, j_;
};

void expect_right(const Moving& moving, double tolerance = 1e-6) {
  const Complex got = moving.gradient(), expected = moving.difference(1e-4);
  EXPECT_LT(std::abs(got - expected),
            tolerance * std::abs(expected) + 1e-9 * moving.scale())
      << got << " " << expected;
}

const Vec3 tilt{0.3, -0.2, 0.5};

TEST(FormGradient, ALongerElementAlone) {
  expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{}, {0, 0, 1}, 0}}}));
}

TEST(FormGradient, AThickerElementAlone) {
  expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{}, {}, 0.01}}}));
}

TEST(FormGradient, AnElementMovedAndTurnedStaysWhatItIs) {
  const Moving moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{1, 2, 3}, {1.5, 2, 3}, 0}}});
  EXPECT_LT(std::abs(moving.gradient()), 1e-9 * moving.scale());
}

TEST(FormGradient, NeighboursInLine) {
  const ElementMotion first{{}, {0, 0, 1}, 0}, second{{0, 0, 1}, {0, 0, 3}, 0};
  expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, first},
                       {{0, 0, 0.05}, {0, 0, 0.09}, 1e-3, second}}));
  expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, first},
                       {{0, 0, 0.05}, {0, 0, 0.09}, 2e-3, second}}));
}

TEST(FormGradient, NeighboursInLineThatBendKeepTheirMatrix) {
  const Moving moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {}},
                       {{0, 0, 0.05}, {0, 0, 0.1}, 1e-3, {{}, {1, 0, 0}, 0}}});
  EXPECT_LT(std::abs(moving.gradient()), 1e-9 * moving.scale());
}

TEST(FormGradient, ACorner) {
  expect_right(
      Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{0, 0, -0.2}, {0.1, 0, 0.3}, 0}},
              {{0, 0, 0.05}, {0.03, 0, 0.09}, 1e-3, {{0.1, 0, 0.3}, tilt, 0.001}}}));
}

// Where tubes run into one another: at a corner, beyond a short piece between, and at a
// step to the side. Parts of the integrals stay where they are as the elements move.
TEST(FormGradient, BendsOfThickWires) {
  for (const double radius : {3e-3, 8e-3, 2e-2}) {
    const Rod first{{0, 0, 0}, {0, 0, 0.05}, radius, {{0, 0, -0.2}, {0.1, 0, 0.3}, 0}};
    expect_right(
        Moving({first,
                {{0, 0, 0.05}, {0.03, 0, 0.09}, radius, {{0.1, 0, 0.3}, tilt, 0.001}}}),
        1e-5);
    const Vec3 beyond{0.6 * radius, 0.2 * radius, 0.05 + 0.7 * radius};
    expect_right(
        Moving({first, {beyond, beyond + Vec3{0.05, 0, 0.01}, radius, {{}, tilt, 0.01}}}),
        1e-5);
    const Vec3 beside{0.9 * radius, 0, 0.05 + 0.1 * radius};
    expect_right(
        Moving({first, {beside, beside + Vec3{0, 0, 0.06}, radius, {tilt, tilt, 0.01}}}),
        1e-5);
  }
}

TEST(FormGradient, SideBySide) {
  // Shifted, growing and thickening.
  expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{0.1, 0, 0}, {0.1, 0, 1}, 0.01}},
                       {{0.01, 0.005, 0.01}, {0.01, 0.005, 0.07}, 2e-3, {}}}));
  // Tilted in their plane and across it.
  for (const Vec3& turned : {Vec3{1, 0.5, 0}, Vec3{-0.5, 1, 0}, tilt})
    expect_right(Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {}},
                         {{0.01, 0.005, 0.01},
                          {0.01, 0.005, 0.07},
                          2e-3,
                          {{0.1, 0, 0}, Vec3{0.1, 0, 0} + turned, 0}}}));
}

// Where ends are level, pieces of the integral over the offset begin or vanish.
TEST(FormGradient, SideBySideWithEndsLevel) {
  for (const double from : {0.0, 0.02})
    for (const double to : {0.05, 0.08})
      for (const ElementMotion& motion :
           {ElementMotion{{}, {0, 0, 1}, 0}, ElementMotion{{0, 0, 1}, {}, 0},
            ElementMotion{{0, 0, 1}, {0, 0, 1}, 0}, ElementMotion{{}, {0, 0, -1}, 0}})
        for (const bool other : {false, true})
          expect_right(
              Moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, other ? ElementMotion{} : motion},
                      {{0.004, 0, from},
                       {0.004, 0, to},
                       1e-3,
                       other ? motion : ElementMotion{}}}),
              1e-6);
}

TEST(FormGradient, Skew) {
  for (const double away : {0.0021, 0.01, 0.04})
    expect_right(Moving(
        {{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{0.2, 0.1, 0}, {0, 0, 0.4}, 0.001}},
         {{-0.01, away, 0.02}, {0.04, away, 0.05}, 1e-3, {{0, 0.1, 0}, tilt, 0}}}));
}

TEST(FormGradient, FarApart) {
  for (const double away : {0.1, 0.2, 0.5, 2.0})
    for (const double radius : {1e-4, 1e-3})
      expect_right(
          Moving({{{0, 0, 0}, {0, 0, 0.05}, radius, {{0.2, 0.1, 0}, {0, 0, 0.4}, 0.001}},
                  {{away, 0.02, 0}, {away, 0.03, 0.04}, radius, {tilt, {0, 1, 0}, 0}}}),
          2e-6);
}

TEST(FormGradient, ReducedKernel) {
  for (const double away : {0.02, 0.5}) {
    Moving moving({{{0, 0, 0}, {0, 0, 0.05}, 1e-3, {{0.2, 0.1, 0}, {0, 0, 0.4}, 0.001}},
                   {{away, 0.02, 0}, {away, 0.03, 0.04}, 1e-3, {tilt, {0, 1, 0}, 0}}});
    moving.kernel = GreensKernel::reduced;
    expect_right(moving);
  }
}

TEST(FormGradient, OverPerfectGround) {
  const std::vector<Rod> rods = {
      {{0, 0, 0.02}, {0.05, 0, 0.04}, 1e-3, {{0.2, 0.1, 0.3}, {0, 0, 0.4}, 0.001}},
      {{0.3, 0.02, 0.1}, {0.3, 0.03, 0.15}, 1e-3, {tilt, {0, 1, 0}, 0}}};
  expect_right(Moving(rods, Medium::perfect_ground()));
}

}  // namespace
}  // namespace thinwire
