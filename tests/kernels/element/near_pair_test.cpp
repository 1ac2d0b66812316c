#include "kernels/element/near_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/grid/grid_class.h"
#include "tests/kernels/element/blend_reference.h"
#include "tests/kernels/element/reference_integrals.h"

namespace thinwire::near_pair_test {
namespace {

constexpr Vec3 z_axis{0, 0, 1};

/// Largest difference of two matrices relative to the largest entry of the second.
double matrix_error(const ElementMatrix& got, const ElementMatrix& want) {
  double error = 0, largest = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      error = std::max(error, std::abs(Complex(got.z[i][j]) - Complex(want.z[i][j])));
      largest = std::max(largest, std::abs(Complex(want.z[i][j])));
    }
  }
  return error / largest;
}

Element reversed(const Element& e) {
  return {e.start_m + e.length_m * e.tangent, -e.tangent, e.length_m, e.radius_m};
}

// ---- Coaxial pairs against the one-dimensional reference.

struct CoaxialCase {
  double lp, lq, offset, a, b, k;
};

double coaxial_error(const CoaxialCase& c) {
  const Element p{{0, 0, 0}, z_axis, c.lp, c.a};
  const Element q{{0, 0, c.offset}, z_axis, c.lq, c.b};
  const ElementMatrix want = reference::parallel(
      [&](reference::Real t) { return reference::coaxial(t, c.a, c.b, c.k); }, c.lp, c.lq,
      c.offset, c.k, 1e-9L * std::min({c.a, c.b, c.lp, c.lq}));
  return matrix_error(near_pair(p, q, c.k, GreensKernel::exact), want);
}

TEST(NearPair, CoaxialPairsToOneInABillion) {
  for (double length_over_radius : {0.1, 1.0, 10.0, 1e3, 1e5}) {
    const double a = 1 / length_over_radius;
    for (double k : {1e-8, 0.3, 2.8}) {
      if (k * a > 0.3) continue;
      for (double ratio : {1.0, 0.9, 0.02}) {
        const double b = a * ratio;
        const std::string where = "L/a " + std::to_string(length_over_radius) + " k " +
                                  std::to_string(k) + " b/a " + std::to_string(ratio);
        EXPECT_LT(coaxial_error({1, 1, 0, a, b, k}), 1e-9) << "self, " << where;
        EXPECT_LT(coaxial_error({1, 1, 1, a, b, k}), 1e-9) << "adjacent, " << where;
        EXPECT_LT(coaxial_error({1, 1, 1.7, a, b, k}), 1e-9) << "separated, " << where;
        EXPECT_LT(coaxial_error({1, 0.4, 0.3, a, b, k}), 1e-9) << "inside, " << where;
      }
    }
  }
}

TEST(NearPair, CoaxialPairsOfVeryUnequalLength) {
  for (double shorter : {0.5, 0.03, 1e-3}) {
    for (double a : {2e-3, 0.02, 0.1}) {
      EXPECT_LT(coaxial_error({1, shorter, 1, a, a, 0.5}), 1e-9) << shorter << " " << a;
      EXPECT_LT(coaxial_error({shorter, 1, shorter, a, a, 0.5}), 1e-9);
      EXPECT_LT(coaxial_error({1, shorter, -shorter, a, a / 50, 0.5}), 1e-9);
      EXPECT_LT(coaxial_error({1, shorter, 0.999, a, a, 0.5}), 1e-9);
    }
  }
}

TEST(NearPair, ReducedKernelOnOneAxisAndBeside) {
  for (double a : {1e-6, 1e-3, 0.2}) {
    for (double beside : {0.0, 0.3}) {
      for (double offset : {0.0, 1.0, 1.3}) {
        const double k = 0.7, h2 = a * a + beside * beside;
        const ElementMatrix want = reference::parallel(
            [&](reference::Real t) {
              return reference::exp_over_r(std::sqrt(t * t + reference::Real(h2)), k);
            },
            1, 0.8, offset, k, 1e-3L * a);
        const Element p{{0, 0, 0}, z_axis, 1, a};
        const Element q{{beside, 0, offset}, z_axis, 0.8, a};
        EXPECT_LT(matrix_error(near_pair(p, q, k, GreensKernel::reduced), want), 1e-9)
            << a << " " << beside << " " << offset;
      }
    }
  }
}

// ---- Bends.

double bend_error(double degrees, double lp, double lq, double a, double b, double k,
                  GreensKernel kernel) {
  // The first element ends at the bend, the second starts there; 180 degrees is straight.
  const double angle = degrees * pi / 180;
  const Element p{{0, 0, -lp}, z_axis, lp, a};
  const Element q{{0, 0, 0}, {std::sin(angle), 0, -std::cos(angle)}, lq, b};
  const double h2 = 0.5 * (a * a + b * b);
  const ElementMatrix want = reference::general<14>(
      [&](const reference::Real* r) {
        const reference::Real r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        return kernel == GreensKernel::exact
                   ? reference::coaxial(std::sqrt(r2), a, b, k)
                   : reference::exp_over_r(std::sqrt(r2 + h2), k);
      },
      p, q, k, lp, 1e-4L * std::min({lp, lq, a, b}), degrees < 20 ? 6 : 1);
  if (kernel == GreensKernel::reduced || elements_parallel(p, q))
    return matrix_error(near_pair(p, q, k, kernel), want);
  // Panels that resolve the zone between the two means.
  const ElementMatrix more = reference::general<24>(
      [&](const reference::Real* r) {
        const Vec3 step{static_cast<double>(r[0]), static_cast<double>(r[1]),
                        static_cast<double>(r[2])};
        const Complex g = reference::blend_difference(p, q, step, k);
        return reference::Cplx(g.real(), g.imag());
      },
      p, q, k, lp, 0.05L * (a + b), 3);
  ElementMatrix both = want;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) both.z[i][j] += more.z[i][j];
  return matrix_error(near_pair(p, q, k, kernel), both);
}

/// Between the arms of sharper bends tubes nearly touch.
TEST(NearPair, BendsMeetTheirDefinition) {
  for (double degrees : {5.0, 30.0, 90.0, 150.0, 179.0}) {
    const double exact = degrees < 10 ? 1e-4 : degrees < 60 ? 1e-5 : 3e-6;
    EXPECT_LT(bend_error(degrees, 1, 1, 0.1, 0.1, 0.3, GreensKernel::exact), exact)
        << degrees;
    EXPECT_LT(bend_error(degrees, 1, 0.01, 0.02, 0.02, 1.0, GreensKernel::exact), exact)
        << degrees;
    EXPECT_LT(bend_error(degrees, 0.5, 1, 0.02, 0.001, 0.3, GreensKernel::exact), exact)
        << degrees;
    EXPECT_LT(bend_error(degrees, 0.5, 1, 2, 2, 0.05, GreensKernel::exact), exact)
        << degrees;
    EXPECT_LT(bend_error(degrees, 1, 0.6, 1e-3, 1e-3, 2.5, GreensKernel::reduced), 1e-6)
        << degrees;
  }
}

TEST(NearPair, CoaxialPairsByTheDoubleIntegral) {
  // Without the reduction to one dimension: nested panels in s and s'.
  for (double k : {0.01, 1.5}) {
    EXPECT_LT(bend_error(180, 1, 1, 0.1, 0.1, k, GreensKernel::exact), 1e-9);
    EXPECT_LT(bend_error(180, 1, 0.2, 0.01, 0.003, k, GreensKernel::exact), 1e-9);
    // Folded back on itself: here the reference has a logarithm inside a panel.
    EXPECT_LT(bend_error(0, 1, 0.5, 0.1, 0.1, k, GreensKernel::exact), 2e-5);
  }
}

TEST(NearPair, AStraightBendIsCoaxial) {
  const Element p{{0, 0, -1}, z_axis, 1, 0.05};
  const Element straight{{0, 0, 0}, z_axis, 0.7, 0.05};
  for (double angle : {1e-3, 1e-5, 1e-7, 1e-9}) {
    const Element bent{{0, 0, 0}, {std::sin(angle), 0, std::cos(angle)}, 0.7, 0.05};
    const double change = matrix_error(near_pair(p, bent, 0.4, GreensKernel::exact),
                                       near_pair(p, straight, 0.4, GreensKernel::exact));
    EXPECT_LT(change, angle * angle + 1e-8) << angle;
  }
}

// ---- Tubes that do not touch.

TEST(NearPair, ParallelTubesToOneInAMillion) {
  using reference::Cplx;
  using reference::Real;
  for (double spacing : {2.0, 2.1, 3.0, 10.0, 25.0, 100.0}) {
    for (double length : {0.3, 10.0, 300.0}) {
      if (spacing < 2.5 && length > 10) continue;  // dear for the reference
      const double k = 0.3 / std::max(length, 10.0);
      // Mean over the relative position of two points on circles of radius 1: one angle
      // by the trapezoid rule, that of the ring by elliptic integrals.
      const int n = spacing < 2.5 ? 300 : 14;
      const auto green = [&](Real t) {
        Cplx sum = 0;
        for (int i = 0; i < n; ++i) {
          const Real c = std::cos(reference::pi_l * (i + Real(0.5)) / n);  // half a turn
          const Real d = std::sqrt(spacing * spacing + 1 + 2 * spacing * c);
          sum += reference::coaxial(t, d, 1, k);  // a point at radius d sees a ring
        }
        return sum / Real(n);
      };
      for (double offset : {0.0, 0.7}) {
        const Element p{{0, 0, 0}, z_axis, length, 1};
        const Element q{{spacing, 0, offset * length}, z_axis, length, 1};
        const ElementMatrix want =
            reference::parallel(green, length, length, offset * length, k, 0.05L);
        EXPECT_LT(matrix_error(near_pair(p, q, k, GreensKernel::exact), want), 1e-6)
            << spacing << " " << length << " " << offset;
      }
    }
  }
}

TEST(NearPair, SkewTubesToOneInAMillion) {
  using reference::Real;
  for (double spacing : {2.5, 4.0, 10.0}) {
    for (double degrees : {10.0, 90.0}) {
      const double length = 4, angle = degrees * pi / 180, k = 0.05;
      const Vec3 tangent{0, std::sin(angle), std::cos(angle)};
      const Element p{{0, 0, -0.3 * length}, z_axis, length, 1};
      const Element q{Vec3{spacing, 0, 0} - 0.4 * length * tangent, tangent, length, 0.7};
      const int n = spacing < 3 ? 64 : 24;
      const ElementMatrix want = reference::general<12>(
          [&](const Real* r) {
            reference::Cplx sum = 0;
            for (int i = 0; i < n; ++i) {
              const double psi = 2 * pi * i / n;
              const Vec3 e1{1, 0, 0}, e2 = cross(tangent, e1);
              const Vec3 ring = 0.7 * std::cos(psi) * e1 + 0.7 * std::sin(psi) * e2;
              const Real x = r[0] + ring.x, y = r[1] + ring.y, z = r[2] + ring.z;
              // A point beside a ring: as if it were on a coaxial ring through it.
              sum += reference::coaxial(z, std::sqrt(x * x + y * y), 1, k);
            }
            return sum / Real(n);
          },
          p, q, k, 0.3 * length, 1.0L);
      EXPECT_LT(matrix_error(near_pair(p, q, k, GreensKernel::exact), want), 1e-6)
          << spacing << " " << degrees;
    }
  }
}

TEST(NearPair, FewerNatsErrByAFifthOfTheirGridClass) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] {
    return Vec3{uniform(random), uniform(random), uniform(random)};
  };
  const auto& coarse = grid_classes[0];
  double worst = 0;
  for (int i = 0; i < 200; ++i) {
    const Vec3 t = vector(), u = vector();
    const double length = 3 + 6 * std::abs(uniform(random));
    const Element p{{0, 0, 0}, (1 / norm(t)) * t, length, 1};
    // A third meets p at its start, the others lie anywhere near.
    const Vec3 start = i % 3 == 0 ? Vec3{} : coarse.pair_radii * vector();
    const Element q{start, (1 / norm(u)) * u, length * (1 + 0.5 * uniform(random)), 1};
    if (i % 3 != 0 && !(piece_distance(p.start_m, p.tangent, p.length_m, q.start_m,
                                       q.tangent, q.length_m) > 2.2))
      continue;
    if (i % 3 == 0 && dot(p.tangent, q.tangent) > 0.7) continue;
    const double k = 0.02;
    worst = std::max(
        worst, matrix_error(near_bent(p, q, k, GreensKernel::exact, coarse.pair_nats),
                            near_bent(p, q, k, GreensKernel::exact)));
  }
  EXPECT_LT(worst, coarse.tolerance / 5);
  EXPECT_GT(worst, 1e-7);  // fewer points indeed
}

// ---- What must hold for every pair.

/// near_pair of two elements put together from pieces of both: a shape function is, on a
/// piece, a combination of the two shape functions of the piece.
ElementMatrix from_pieces(const Element& p, const Element& q, double k,
                          GreensKernel kernel, int np, int nq) {
  const auto piece = [&](const Element& e, int i, int n, double u[2][2]) {
    for (int end = 0; end < 2; ++end) {
      const double s = e.length_m * (i + end) / n;
      u[0][end] = std::sin(k * (e.length_m - s)) / std::sin(k * e.length_m);
      u[1][end] = std::sin(k * s) / std::sin(k * e.length_m);
    }
    return Element{e.start_m + (e.length_m * i / n) * e.tangent, e.tangent,
                   e.length_m / n, e.radius_m};
  };
  ElementMatrix sum;
  for (int i = 0; i < np; ++i) {
    for (int j = 0; j < nq; ++j) {
      double u[2][2], v[2][2];
      const Element x = piece(p, i, np, u), y = piece(q, j, nq, v);
      const ElementMatrix m = near_pair(x, y, k, kernel);
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
          for (int x_end = 0; x_end < 2; ++x_end) {
            for (int y_end = 0; y_end < 2; ++y_end) {
              sum.z[r][c] += (u[r][x_end] * v[c][y_end]) * m.z[x_end][y_end];
            }
          }
        }
      }
    }
  }
  return sum;
}

TEST(NearPair, LongTubesAddUpFromPieces) {
  const double k = 3e-4;
  for (double length : {30.0, 1000.0}) {
    for (double spacing : {2.2, 5.0, 20.0, 40.0}) {
      for (Vec3 direction : {Vec3{0, 0, 1}, Vec3{0, 0.6, 0.8}, Vec3{0, 1, 0}}) {
        const Element p{{0, 0, 0}, z_axis, length, 1};
        const Element q{{spacing, 0, 0.1 * length}, direction, length, 0.5};
        EXPECT_LT(matrix_error(near_pair(p, q, k, GreensKernel::exact),
                               from_pieces(p, q, k, GreensKernel::exact, 2, 3)),
                  1e-6)
            << length << " " << spacing << " " << direction.z;
      }
    }
  }
}

TEST(NearPair, ReducedBendsAddUpFromPieces) {
  for (double degrees : {5.0, 90.0, 170.0}) {
    const double angle = degrees * pi / 180;
    const Element p{{0, 0, -1}, z_axis, 1, 1e-6};
    const Element q{{0, 0, 0}, {std::sin(angle), 0, -std::cos(angle)}, 0.6, 1e-6};
    EXPECT_LT(matrix_error(near_pair(p, q, 0.6, GreensKernel::reduced),
                           from_pieces(p, q, 0.6, GreensKernel::reduced, 3, 2)),
              1e-8)
        << degrees;
  }
}

/// Elements that begin `middle` of wire apart, at an angle: 0 is a corner.
std::pair<Element, Element> bend(double degrees, double middle, double lp, double lq,
                                 double a, double b) {
  const double angle = degrees * pi / 180;
  const Vec3 direction{std::sin(angle), 0, -std::cos(angle)};
  return {Element{{0, 0, -lp - middle}, z_axis, lp, a},
          Element{middle * direction, direction, lq, b}};
}

/// Green's function is one of points: however the wire is cut, and wherever between the
/// pieces the tubes come free of each other.
TEST(NearPair, BendsAddUpFromPieces) {
  for (double degrees : {60.0, 90.0, 120.0, 150.0, 175.0})
    for (double a : {0.3, 0.1, 0.03, 1e-3})
      for (double thinner : {1.0, 0.3})
        for (double middle : {0.0, 0.7 * a}) {
          const auto [p, q] = bend(degrees, middle, 1, 0.4, a, thinner * a);
          EXPECT_LT(matrix_error(near_pair(p, q, 0.3, GreensKernel::exact),
                                 from_pieces(p, q, 0.3, GreensKernel::exact, 3, 2)),
                    5e-6)
              << degrees << " " << a << " " << thinner << " " << middle;
        }
}

/// Between the arms of a sharp bend tubes nearly touch.
TEST(NearPair, SharpBendsAddUpFromPieces) {
  for (double degrees : {10.0, 30.0})
    for (double a : {0.1, 0.01, 1e-3}) {
      const auto [p, q] = bend(degrees, 0, 1, 0.4, a, a);
      EXPECT_LT(matrix_error(near_pair(p, q, 0.3, GreensKernel::exact),
                             from_pieces(p, q, 0.3, GreensKernel::exact, 3, 2)),
                1e-4)
          << degrees << " " << a;
    }
}

/// Largest second difference of an element matrix along a motion of the second element in
/// `steps` steps, over those of the same motion in half as many: about 1/4 where it is
/// smooth, 1/2 at a kink and 1 at a jump.
double roughness(const std::function<std::pair<Element, Element>(double)>& at,
                 int steps) {
  const auto largest = [&](int n) {
    std::vector<ElementMatrix> m;
    for (int i = 0; i <= n; ++i) {
      const auto [p, q] = at(1.0 * i / n);
      m.push_back(near_pair(p, q, 0.3, GreensKernel::exact));
    }
    double most = 0;
    for (int i = 1; i < n; ++i) {
      ElementMatrix mean;
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          mean.z[r][c] = 0.5 * (m[i - 1].z[r][c] + m[i + 1].z[r][c]);
      most = std::max(most, matrix_error(mean, m[i]));
    }
    return most;
  };
  return largest(steps) / largest(steps / 2);
}

TEST(NearPair, BendsChangeSmoothlyWithTheGeometry) {
  // An arm that comes down from five radii above the other wire's end until it meets it,
  // a bend that opens, and a step in a wire that closes. a = b = 0.1.
  const auto comes_down = [](double t) {
    return std::pair(Element{{0, 0, -1}, z_axis, 1, 0.1},
                     Element{{0, 0.5 * (1 - t), 0}, {1, 0, 0}, 0.6, 0.1});
  };
  const auto opens = [](double t) { return bend(60 + 115 * t, 0.15, 1, 0.5, 0.1, 0.1); };
  const auto closes = [](double t) {
    return std::pair(Element{{0, 0, -1}, z_axis, 1, 0.1},
                     Element{{0.19 * (1 - t), 0, 0.05}, z_axis, 0.6, 0.1});
  };
  EXPECT_LT(roughness(comes_down, 64), 0.45);
  EXPECT_LT(roughness(opens, 64), 0.3);
  EXPECT_LT(roughness(closes, 64), 0.3);
}

TEST(NearPair, AStepThatTurnsALittleChangesALittle) {
  // Parallel axes closer than a + b, as the limit of skew ones.
  const Element p{{0, 0, -1}, z_axis, 1, 0.1}, q{{0.15, 0, 0.05}, z_axis, 0.6, 0.1};
  const ElementMatrix parallel = near_pair(p, q, 0.3, GreensKernel::exact);
  for (double angle : {1e-3, 1e-5, 1e-7, 1e-9}) {
    const Element turned{q.start_m, {std::sin(angle), 0, std::cos(angle)}, 0.6, 0.1};
    EXPECT_LT(matrix_error(near_pair(p, turned, 0.3, GreensKernel::exact), parallel),
              2 * angle + 1e-6)
        << angle;
  }
}

TEST(NearPair, CrossingTubesAddUpFromPieces) {
  // Crossing at interior points, not joined: the same kernel for all pieces that overlap.
  const Element p{{0, 0, -0.5}, z_axis, 1, 0.4};
  const Element q{{0.01, -0.4, 0.1}, {0, 1, 0}, 1, 0.4};
  EXPECT_LT(matrix_error(near_pair(p, q, 0.1, GreensKernel::exact),
                         from_pieces(p, q, 0.1, GreensKernel::exact, 2, 2)),
            1e-6);
}

std::vector<std::pair<Element, Element>> random_pairs() {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto direction = [&] {
    const double z = 2 * uniform(generator) - 1, phi = 2 * pi * uniform(generator);
    const double rho = std::sqrt(1 - z * z);
    return Vec3{rho * std::cos(phi), rho * std::sin(phi), z};
  };
  std::vector<std::pair<Element, Element>> pairs;
  for (int i = 0; i < 40; ++i) {
    const Vec3 t = direction();
    const Element p{
        {uniform(generator), 0, 0}, t, 0.1 + uniform(generator), 0.02 * (1 + i % 3)};
    const Vec3 end = p.start_m + p.length_m * t;
    Element q{end, direction(), 0.1 + uniform(generator), 0.02};
    if (i % 4 == 0) q.tangent = t;
    if (i % 4 == 1) q.start_m = end + 0.2 * direction();
    if (i % 4 == 2) q = reversed(q);
    pairs.push_back({p, q});
  }
  return pairs;
}

TEST(NearPair, ExchangingTheElementsTransposes) {
  for (const auto& [p, q] : random_pairs()) {
    for (GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
      EXPECT_LT(matrix_error(near_pair(q, p, 0.8, kernel),
                             transposed(near_pair(p, q, 0.8, kernel))),
                1e-13);
    }
  }
}

TEST(NearPair, ReversingAnElementExchangesItsShapeFunctionsAndTheSign) {
  for (const auto& [p, q] : random_pairs()) {
    for (GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
      const ElementMatrix m = near_pair(p, q, 0.8, kernel);
      EXPECT_LT(matrix_error(first_reversed(near_pair(reversed(p), q, 0.8, kernel)), m),
                1e-8);
      EXPECT_LT(matrix_error(second_reversed(near_pair(p, reversed(q), 0.8, kernel)), m),
                1e-8);
    }
  }
}

TEST(NearPair, TurningAndMovingChangesNothing) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const auto turn = [&](Vec3 v) {
    const Vec3 w{c * v.x - s * v.y, s * v.x + c * v.y, v.z};
    return Vec3{w.x, c * w.y - s * w.z, s * w.y + c * w.z};
  };
  for (const auto& [p, q] : random_pairs()) {
    const Element p2{turn(p.start_m) + Vec3{1, 2, 3}, turn(p.tangent), p.length_m,
                     p.radius_m};
    const Element q2{turn(q.start_m) + Vec3{1, 2, 3}, turn(q.tangent), q.length_m,
                     q.radius_m};
    EXPECT_LT(matrix_error(near_pair(p2, q2, 0.8, GreensKernel::exact),
                           near_pair(p, q, 0.8, GreensKernel::exact)),
              1e-8);
  }
}

TEST(NearPair, HalfWaveDipoleByInducedEmf) {
  // One function on a half-wave filament: eta0/(4 pi) (Cin(2 pi) + j Si(2 pi)) ohm.
  const double k = 2 * pi;
  const Element lower{{0, 0, -0.25}, z_axis, 0.25, 1e-6};
  const Element upper{{0, 0, 0}, z_axis, 0.25, 1e-6};
  const auto z = [&](const Element& x, const Element& y, int i, int j) {
    return Complex(near_pair(x, y, k, GreensKernel::reduced).z[i][j]);
  };
  const Complex sum = z(lower, lower, 1, 1) + z(lower, upper, 1, 0) +
                      z(upper, lower, 0, 1) + z(upper, upper, 0, 0);
  EXPECT_NEAR(sum.real(), 73.079010, 1e-4);
  EXPECT_NEAR(sum.imag(), 42.514, 2e-3);
}

TEST(NearPair, DipolesSideBySideByInducedEmf) {
  const double k = 2 * pi;
  const auto mutual = [&](double d) {
    const Element x[2] = {{{0, 0, -0.25}, z_axis, 0.25, 1e-6},
                          {{0, 0, 0}, z_axis, 0.25, 1e-6}};
    const Element y[2] = {{{d, 0, -0.25}, z_axis, 0.25, 1e-6},
                          {{d, 0, 0}, z_axis, 0.25, 1e-6}};
    Complex sum = 0;
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        sum += Complex(near_pair(x[i], y[j], k, GreensKernel::exact).z[1 - i][1 - j]);
      }
    }
    return sum;
  };
  EXPECT_NEAR(std::abs(mutual(0.5) - Complex(-12.523, -29.908)), 0, 1e-3);
  EXPECT_NEAR(std::abs(mutual(0.25) - Complex(40.758, -28.329)), 0, 1e-3);
}

}  // namespace
}  // namespace thinwire::near_pair_test
