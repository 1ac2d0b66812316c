#include "kernels/element/medium_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/element/near_pair.h"
#include "tests/kernels/element/blend_reference.h"
#include "tests/kernels/element/reference_integrals.h"

namespace thinwire {
namespace {

using reference::Cplx;
using reference::Real;

constexpr Vec3 z_axis{0, 0, 1};

/// Largest difference of two matrices relative to the largest entry of the second.
double matrix_error(const ElementMatrix& got, const ElementMatrix& want) {
  double error = 0, largest = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      error = std::max(error, std::abs(Complex(got.z[i][j]) - Complex(want.z[i][j])));
      largest = std::max(largest, std::abs(Complex(want.z[i][j])));
    }
  return error / largest;
}

/// A ground at a frequency: relative permittivity. `name` for messages.
struct Ground {
  const char* name;
  Complex eps;

  PairWave wave(double k) const {
    const Complex k2 = k * std::sqrt(eps), scalar = 1.0 / eps;
    return {{k2.real(), k2.imag()}, {1, 0}, {scalar.real(), scalar.imag()}};
  }
  Cplx k2(double k) const { return Cplx(wave(k).k_rad_per_m.re, wave(k).k_rad_per_m.im); }
  ElementMatrix impedance(const reference::Sums& sums, double cosine, double k) const {
    const PairWave w = wave(k);
    return sums.impedance(cosine, k, {1, 0}, {w.scalar.re, w.scalar.im});
  }
};

const std::vector<Ground> grounds = {
    {"air", 1},
    {"dry sand at 10 MHz", {3, -0.18}},
    {"soil at 3.5 MHz", {13, -25.7}},
    {"fresh water at 30 MHz", {80, -0.6}},
    {"sea at 3 MHz", {81, -29958}},
    {"sea at 0.56 MHz", {81, -160000}},
};

/// For references that take long.
const std::vector<Ground> three_grounds = {grounds[2], grounds[3], grounds[4]};

std::string where(const Ground& ground, double phase, const std::string& what) {
  return std::string(ground.name) + ", |k2| L " + std::to_string(phase) + ", " + what;
}

/// k for which |k2| times a length of 1 is this.
double wavenumber(const Ground& ground, double phase) {
  return phase / std::sqrt(std::abs(ground.eps));
}

// ---- Against quadrature by the definition.

TEST(MediumPair, CoaxialPairs) {
  for (const Ground& ground : {grounds[0], grounds[2], grounds[3], grounds[5]})
    for (double phase : {1e-3, 2.0, 7.0})
      for (double a : {1e-4, 0.02, 0.5 / phase}) {
        const double k = wavenumber(ground, phase);
        if (a > 1.1 || k > 3 || a * phase > 0.51) continue;
        const auto error = [&](double lq, double offset, double b) {
          const auto sums = reference::parallel_sums(
              [&](Real t) { return reference::coaxial(t, a, b, ground.k2(k)); }, 1, lq,
              offset, k, 1e-9L * std::min({a, b, lq}));
          const Element p{{0, 0, 0}, z_axis, 1, a}, q{{0, 0, offset}, z_axis, lq, b};
          return matrix_error(
              pair_in_medium(p, q, k, ground.wave(k), GreensKernel::exact),
              ground.impedance(sums, 1, k));
        };
        const std::string at = "a " + std::to_string(a);
        EXPECT_LT(error(1, 0, a), 1e-8) << where(ground, phase, "self, " + at);
        EXPECT_LT(error(1, 1, a), 1e-8) << where(ground, phase, "adjacent, " + at);
        EXPECT_LT(error(0.4, 1.7, a), 1e-8) << where(ground, phase, "separated, " + at);
        EXPECT_LT(error(0.4, 9.3, a), 1e-8) << where(ground, phase, "far, " + at);
        EXPECT_LT(error(0.5, 1, 0.3 * a), 1e-8) << where(ground, phase, "step, " + at);
      }
}

TEST(MediumPair, ParallelTubes) {
  for (const Ground& ground : three_grounds)
    for (double phase : {0.05, 5.0})
      for (double spacing : {2.1, 3.0, 25.0, 60.0}) {
        const double length = 10, k = wavenumber(ground, phase) / length;
        if (k * length > 3 || phase / length > 0.5) continue;
        const int n = spacing < 2.5 ? 80 : spacing < 10 ? 16 : 8;
        const auto green = [&](Real t) {
          Cplx sum = 0;
          for (int i = 0; i < n; ++i) {
            const Real c = std::cos(reference::pi_l * (i + Real(0.5)) / n);
            const Real d = std::sqrt(spacing * spacing + 1 + 2 * spacing * c);
            sum += reference::coaxial(t, d, 1, ground.k2(k));
          }
          return sum / Real(n);
        };
        for (double offset : {0.0, 7.0}) {
          const Element p{{0, 0, 0}, z_axis, length, 1};
          const Element q{{0, spacing, offset + length}, -z_axis, length, 1};
          const ElementMatrix want = second_reversed(ground.impedance(
              reference::parallel_sums(green, length, length, offset, k, 0.05L), 1, k));
          const double limit = spacing < 2.5 ? 1e-6 : 1e-8;
          EXPECT_LT(
              matrix_error(pair_in_medium(p, q, k, ground.wave(k), GreensKernel::exact),
                           want),
              limit)
              << where(ground, phase, std::to_string(spacing) + " apart");
        }
      }
}

TEST(MediumPair, ReducedKernelBeside) {
  for (const Ground& ground : grounds)
    for (double phase : {0.01, 2.0, 7.0, 30.0})
      for (double beside : {0.0, 0.3, 3.0}) {
        const double k = wavenumber(ground, phase), a = 1e-3;
        if (k > 3) continue;
        const auto sums = reference::parallel_sums(
            [&](Real t) {
              const Real r2 = t * t + Real(a * a + beside * beside);
              return reference::exp_over_r(std::sqrt(r2), ground.k2(k));
            },
            1, 0.8, 0.3, k, 1e-3L * a);
        const Element p{{0, 0, 0}, z_axis, 1, a}, q{{beside, 0, 0.3}, z_axis, 0.8, a};
        EXPECT_LT(
            matrix_error(pair_in_medium(p, q, k, ground.wave(k), GreensKernel::reduced),
                         ground.impedance(sums, 1, k)),
            1e-8)
            << where(ground, phase, std::to_string(beside) + " beside");
      }
}

TEST(MediumPair, Bends) {
  for (const Ground& ground : three_grounds)
    for (double phase : {0.01, 7.0})
      for (double degrees : {20.0, 150.0}) {
        const double a = phase > 1 ? 1e-3 : 0.05;
        const double k = wavenumber(ground, phase), angle = degrees * pi / 180;
        if (k > 3) continue;
        // The first element ends at the bend, the second starts there.
        const Element p{{0, 0, -1}, z_axis, 1, a};
        const Element q{{0, 0, 0}, {std::sin(angle), 0, -std::cos(angle)}, 0.7, a};
        const auto sums = reference::general_sums<14>(
            [&](const Real* r) {
              const Real r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
              return reference::coaxial(std::sqrt(r2), a, a, ground.k2(k));
            },
            p, q, k, 1, 1e-4L * a);
        const HdComplex wave = ground.wave(k).k_rad_per_m;
        const auto more = reference::general_sums<24>(
            [&](const Real* r) {
              const Vec3 step{static_cast<double>(r[0]), static_cast<double>(r[1]),
                              static_cast<double>(r[2])};
              const Complex g = reference::blend_difference(p, q, step, wave);
              return reference::Cplx(g.real(), g.imag());
            },
            p, q, k, 1, 0.1L * a, 3);
        const double cosine = dot(p.tangent, q.tangent);
        ElementMatrix want = ground.impedance(sums, cosine, k);
        const ElementMatrix added = ground.impedance(more, cosine, k);
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) want.z[i][j] += added.z[i][j];
        EXPECT_LT(matrix_error(
                      pair_in_medium(p, q, k, ground.wave(k), GreensKernel::exact), want),
                  degrees < 60 ? 2e-5 : 3e-6)
            << where(ground, phase, std::to_string(degrees) + " degrees");
      }
}

TEST(MediumPair, SkewTubes) {
  for (const Ground& ground : {grounds[2], grounds[4]})
    for (double phase : {0.5, 7.0})
      for (double spacing : {2.5, 10.0, 40.0}) {
        const double length = 14, angle = spacing < 5 ? 1.2 : 0.3;
        const double k = wavenumber(ground, phase) / length;
        if (k * length > 3) continue;
        const Vec3 tangent{0, std::sin(angle), std::cos(angle)};
        const Element p{{0, 0, -0.3 * length}, z_axis, length, 1};
        const Element q{Vec3{spacing, 0, 0} - 0.4 * length * tangent, tangent, length,
                        0.7};
        const int n = spacing < 3 ? 48 : 10;
        const auto sums = reference::general_sums<10>(
            [&](const Real* r) {
              Cplx sum = 0;
              for (int i = 0; i < n; ++i) {
                const double psi = 2 * pi * i / n;
                const Vec3 e1{1, 0, 0}, e2 = cross(tangent, e1);
                const Vec3 ring = 0.7 * std::cos(psi) * e1 + 0.7 * std::sin(psi) * e2;
                const Real x = r[0] + ring.x, y = r[1] + ring.y, z = r[2] + ring.z;
                sum += reference::coaxial(z, std::sqrt(x * x + y * y), 1, ground.k2(k));
              }
              return sum / Real(n);
            },
            p, q, k, 0.3 * length, 1.0L);
        EXPECT_LT(
            matrix_error(pair_in_medium(p, q, k, ground.wave(k), GreensKernel::exact),
                         ground.impedance(sums, dot(p.tangent, q.tangent), k)),
            1e-6)
            << where(ground, phase, std::to_string(spacing) + " apart");
      }
}

// ---- What must hold for every pair.

Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const Vec3 v{normal(random), normal(random), normal(random)};
  return (1 / norm(v)) * v;
}

/// Pairs of all kinds: the same, joined, bent, parallel, skew, near and far.
std::vector<std::pair<Element, Element>> random_pairs(int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::pair<Element, Element>> pairs;
  for (int i = 0; i < count; ++i) {
    const double a = std::pow(10, -1 - 3 * unit(random));
    const Element p{{unit(random), unit(random), unit(random)},
                    random_direction(random),
                    0.3 + 0.7 * unit(random),
                    a};
    Element q = p;
    const Vec3 end = p.start_m + p.length_m * p.tangent;
    const Vec3 away = std::pow(10, 2 * unit(random) - 1) * random_direction(random);
    const int kind = i % 6;
    if (kind > 0) q.length_m = 0.3 + 0.7 * unit(random);
    if (kind == 1 || kind == 2) q.start_m = end;
    if (kind == 2 || kind == 3 || kind == 5) q.tangent = random_direction(random);
    if (kind > 2) q.start_m = end + away;
    if (kind == 5) q.radius_m = a * unit(random);
    pairs.emplace_back(p, q);
  }
  return pairs;
}

/// Tubes apart have their series (9e-9) from other distances on.
TEST(MediumPair, IsThatOfFreeSpaceThere) {
  for (const auto& [p, q] : random_pairs(300))
    for (double k : {1e-3, 0.3, 1.2})
      for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced}) {
        const PairWave wave{{k, 0}, {1, 0}, {1, 0}};
        EXPECT_LT(matrix_error(pair_in_medium(p, q, k, wave, kernel),
                               near_pair(p, q, k, kernel)),
                  axis_distance(p, q) > 0 ? 1e-8 : 1e-9)
            << k;
      }
}

TEST(MediumPair, ExchangeTransposesToTheLastBit) {
  for (const Ground& ground : grounds)
    for (const auto& [p, q] : random_pairs(120)) {
      const double k = wavenumber(ground, 2.5);
      const ElementMatrix pq =
          pair_in_medium(p, q, k, ground.wave(k), GreensKernel::exact);
      const ElementMatrix qp =
          transposed(pair_in_medium(q, p, k, ground.wave(k), GreensKernel::exact));
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
          EXPECT_EQ(pq.z[i][j].re, qp.z[i][j].re);
          EXPECT_EQ(pq.z[i][j].im, qp.z[i][j].im);
        }
    }
}

/// Longer elements than the errors are promised for: as the sum of their halves.
TEST(MediumPair, LongElementsAreTheSumOfShortOnes) {
  const Ground& sea = grounds[4];
  for (double phase : {20.0, 80.0})
    for (auto [p, q] : random_pairs(24)) {
      p.radius_m /= phase;
      q.radius_m /= phase;
      const double k = wavenumber(sea, phase);
      const PairWave wave = sea.wave(k);
      constexpr GreensKernel kernel = GreensKernel::exact;
      const auto half = [](const Element& e, int i) {
        return Element{e.start_m + (0.5 * i * e.length_m) * e.tangent, e.tangent,
                       0.5 * e.length_m, e.radius_m};
      };
      // u_0 and u_1 of the whole at the ends of the halves.
      const auto at = [k](const Element& e, int i, int end, int shape) {
        const double s = 0.5 * (i + end) * e.length_m;
        return std::sin(k * (shape == 0 ? e.length_m - s : s)) / std::sin(k * e.length_m);
      };
      ElementMatrix want;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b) {
          const ElementMatrix m = pair_in_medium(half(p, a), half(q, b), k, wave, kernel);
          for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
              for (int from = 0; from < 2; ++from)
                for (int to = 0; to < 2; ++to)
                  want.z[i][j] += at(p, a, from, i) * at(q, b, to, j) * m.z[from][to];
        }
      // Between the arms of sharp bends tubes nearly touch.
      const bool sharp =
          axis_distance(p, q) < p.radius_m + q.radius_m && !elements_parallel(p, q);
      EXPECT_LT(matrix_error(pair_in_medium(p, q, k, wave, kernel), want),
                sharp ? 5e-5 : 2e-6)
          << phase;
    }
}

}  // namespace
}  // namespace thinwire
