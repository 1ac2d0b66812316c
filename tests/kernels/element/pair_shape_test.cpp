#include "kernels/element/near_pair.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// Rows of an orthogonal matrix, of a reflection too.
struct Motion {
  Vec3 row[3], shift;

  Vec3 turn(Vec3 r) const { return {dot(row[0], r), dot(row[1], r), dot(row[2], r)}; }
  Element operator()(Element e) const {
    return {turn(e.start_m) + shift, turn(e.tangent), e.length_m, e.radius_m};
  }
};

Motion random_motion(std::mt19937& random, bool mirrored) {
  std::normal_distribution<double> normal;
  const auto any = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  Vec3 a = any(), b = any();
  a = (1 / norm(a)) * a;
  b = b - dot(a, b) * a;
  b = (1 / norm(b)) * b;
  return {{a, b, (mirrored ? -1.0 : 1.0) * cross(a, b)}, any()};
}

/// Pairs of all kinds: the same, in line, parallel, at a corner, askew, of any lengths.
std::vector<std::pair<Element, Element>> pairs() {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, slanted{0.6, 0, 0.8};
  const Element p{{0, 0, 0}, x, 0.1, 0.01};
  return {{p, p},
          {p, {{0.1, 0, 0}, x, 0.1, 0.01}},
          {p, {{0.3, 0.2, 0.1}, x, 0.07, 0.01}},
          {p, {{0.3, 0.2, 0.1}, -1.0 * x, 0.07, 0.01}},
          {p, {{0, 0, 0}, y, 0.1, 0.01}},
          {p, {{0.1, 0, 0}, slanted, 0.13, 0.002}},
          {p, {{0.2, 0.3, -0.1}, slanted, 0.1, 0.01}},
          {p, {{0.2, 0.3, 0}, y, 0.1, 0.01}}};
}

// Coordinates off the edges of the rounding, as random ones are but for one in 1e3.
TEST(PairShape, StaysTheSameUnderMotionsReflectionsAndTurns) {
  std::mt19937 random(5);
  int same = 0, all = 0;
  for (const auto& [p, q] : pairs())
    for (int i = 0; i < 100; ++i) {
      const Motion motion = random_motion(random, i % 2 == 1);
      Element r = motion(p), s = motion(q);
      PairSymmetry::of(static_cast<std::uint8_t>(i / 2 % 8)).apply(r, s);
      const PairShape a = shaped_pair(p, q).shape, b = shaped_pair(r, s).shape;
      ++all;
      if (a == b) {
        ++same;
        EXPECT_EQ(a.hash(), b.hash());
      }
    }
  EXPECT_GT(same, 0.97 * all);
}

TEST(PairShape, TellsPairsApartThatDifferByATenBillionth) {
  for (const auto& [p, q] : pairs()) {
    const PairShape shape = shaped_pair(p, q).shape;
    Element other = q;
    other.radius_m *= 1 + 1e-15;
    EXPECT_FALSE(shaped_pair(p, other).shape == shape);
    other = q;
    other.length_m *= 1 + 1e-10;
    EXPECT_FALSE(shaped_pair(p, other).shape == shape);
    for (const Vec3 by : {Vec3{1, 0, 0}, Vec3{0, 0.9, 0.1}}) {
      other = q;
      other.start_m = q.start_m + 1e-10 * by;
      EXPECT_FALSE(shaped_pair(p, other).shape == shape);
    }
    const Vec3 across = cross(q.tangent, Vec3{0.1, 0.2, 0.7});
    other = q;
    other.tangent = q.tangent + (1e-10 / norm(across)) * across;
    EXPECT_FALSE(shaped_pair(p, other).shape == shape);
  }
}

// From the pair as it is, without the turns that near_pair makes.
ElementMatrix integrated(const Element& p, const Element& q) {
  return near_pair_turned(p, q, {}, 2 * pi, GreensKernel::exact);
}

void expect_same(const ElementMatrix& a, const ElementMatrix& b, double tolerance) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      EXPECT_LT(std::abs(Complex(a.z[i][j]) - Complex(b.z[i][j])),
                tolerance * std::abs(Complex(b.z[0][0])));
}

TEST(PairShape, HoldsAllThatTheMatrixDependsOn) {
  std::mt19937 random(9);
  for (const auto& [p, q] : pairs())
    for (const bool mirrored : {false, true}) {
      const Motion motion = random_motion(random, mirrored);
      expect_same(integrated(motion(p), motion(q)), integrated(p, q), 1e-10);
    }
}

TEST(PairShape, TurnsAreUndone) {
  for (const auto& [p, q] : pairs())
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
      const PairSymmetry symmetry = PairSymmetry::of(bits);
      EXPECT_EQ(symmetry.bits(), bits);
      Element r = p, s = q;
      symmetry.apply(r, s);
      // Exchanged ones of unequal radii are integrated by other points: 1e-6 of
      // near_pair.h.
      expect_same(symmetry.undo(integrated(r, s)), integrated(p, q), 1e-6);
      expect_same(near_pair(r, s, 2 * pi, GreensKernel::exact), integrated(r, s), 1e-6);
    }
}

TEST(PairShape, ExchangedPairsAreTransposedToTheLastDigit) {
  std::mt19937 random(1);
  for (const auto& [p, q] : pairs()) {
    // An element with itself has but one order.
    if (norm(centre_of(p) - centre_of(q)) == 0) continue;
    const Motion motion = random_motion(random, false);
    const Element r = motion(p), s = motion(q);
    const ElementMatrix a = near_pair(r, s, 2 * pi, GreensKernel::exact),
                        b = near_pair(s, r, 2 * pi, GreensKernel::exact);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) EXPECT_EQ(Complex(a.z[i][j]), Complex(b.z[j][i]));
  }
}

}  // namespace
}  // namespace thinwire
