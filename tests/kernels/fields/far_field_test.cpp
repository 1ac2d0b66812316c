#include "kernels/fields/far_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/fields/far_field_terms.h"

namespace thinwire {
namespace {

/// A sinusoidal half-wave filament: E_theta = j 60 cos((pi/2) cos theta) / sin theta for
/// 1 A (Balanis 2016, eq. 4-84), and J0(ka sin theta) times that on a tube.
TEST(FarField, IsThatOfTheHalfWaveDipole) {
  const double k = 2 * pi, a = 0.02;
  const std::vector<Element> elements = {{{0, 0, -0.25}, {0, 0, 1}, 0.25, a},
                                         {{0, 0, 0}, {0, 0, 1}, 0.25, a}};
  const std::vector<Complex> ends = {0, 1, 1, 0};
  std::vector<Direction> directions;
  for (int t = 1; t < 18; ++t) directions.push_back({t * pi / 18, 0.3 * t});
  for (const GreensKernel kernel : {GreensKernel::reduced, GreensKernel::exact}) {
    std::vector<Complex> theta(directions.size()), phi(directions.size());
    far_field(current_moments(elements, ends, k, kernel, Medium::free_space()),
              directions, k, theta, phi);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const double st = std::sin(directions[d].theta), ct = std::cos(directions[d].theta);
      const double ring =
          kernel == GreensKernel::exact ? std::cyl_bessel_j(0, k * a * st) : 1.0;
      const Complex right(0, ring * eta0_ohm / (2 * pi) * std::cos(pi / 2 * ct) / st);
      EXPECT_LT(std::abs(theta[d] - right), 1e-7 * eta0_ohm / (2 * pi));
      EXPECT_LT(std::abs(phi[d]), 1e-12);
    }
  }
}

/// The far field by many Gauss points and the standard library's J0; and what it would be
/// if all currents added up.
struct ByQuadrature {
  Complex theta, phi;
  double size = 0;

  ByQuadrature(std::span<const Element> elements, std::span<const Complex> ends, double k,
               Direction way) {
    const Vec3 u = {std::sin(way.theta) * std::cos(way.phi),
                    std::sin(way.theta) * std::sin(way.phi), std::cos(way.theta)};
    const GaussRule rule = gauss_rule(16);
    Complex sum[3] = {};
    for (std::size_t e = 0; e < elements.size(); ++e) {
      const auto& [start, tangent, length, a] = elements[e];
      const double c = dot(u, tangent);
      const double ring =
          std::cyl_bessel_j(0, k * a * std::sqrt(std::max(0.0, 1 - c * c)));
      constexpr int parts = 8;
      for (int part = 0; part < parts; ++part)
        for (int g = 0; g < rule.points; ++g) {
          const double s = length / parts * (part + 0.5 + 0.5 * rule.node[g]);
          const Complex current = (std::sin(k * (length - s)) * ends[2 * e] +
                                   std::sin(k * s) * ends[2 * e + 1]) /
                                  std::sin(k * length);
          const double weight = 0.5 * length / parts * rule.weight[g];
          const Complex seen =
              weight * current * std::polar(ring, k * dot(u, start + s * tangent));
          sum[0] += tangent.x * seen;
          sum[1] += tangent.y * seen;
          sum[2] += tangent.z * seen;
          size += weight * std::abs(current) * k * eta0_ohm / (4 * pi);
        }
    }
    transverse_field(way, sum[0], sum[1], sum[2], k, theta, phi);
  }
};

void expect_by_quadrature(const CurrentMoments& moments,
                          std::span<const Element> elements,
                          std::span<const Complex> ends, double k, double tolerance) {
  std::vector<Direction> ways;
  for (int d = 0; d < 40; ++d) ways.push_back({0.08 * d, 0.3 * d});
  std::vector<Complex> theta(ways.size()), phi(ways.size());
  far_field(moments, ways, k, theta, phi);
  for (std::size_t d = 0; d < ways.size(); ++d) {
    const ByQuadrature right(elements, ends, k, ways[d]);
    EXPECT_LT(std::hypot(std::abs(theta[d] - right.theta), std::abs(phi[d] - right.phi)),
              tolerance * right.size)
        << "direction " << d;
  }
}

/// Elements short and long, thin and thick, in wavelengths.
TEST(FarField, PiecesAreTheIntegral) {
  const double k = 2 * pi;
  struct Case {
    double length_m, radius_m, tolerance;
  };
  for (const auto& [length, a, tolerance] :
       {Case{0.003, 1e-4, 1e-9}, Case{0.01, 1e-4, 1e-9}, Case{0.019, 1e-4, 1e-9},
        Case{0.063, 1e-4, 1e-9}, Case{0.1, 0.016, 1e-9}, Case{0.159, 0.02, 1e-9},
        Case{0.16, 0.16, 3e-8}, Case{0.45, 0.05, 1e-9}, Case{1.3, 0.01, 1e-9},
        Case{0.1, 0.31, 1e-5}}) {
    SCOPED_TRACE(length);
    const Vec3 tangent = (1 / std::sqrt(14.0)) * Vec3{1, -2, 3};
    const std::vector<Element> element = {{{0.3, -0.2, 5}, tangent, length, a}};
    const std::vector<Complex> ends = {Complex(1, 0.5), Complex(-0.3, 2)};
    const CurrentMoments moments =
        current_moments(element, ends, k, GreensKernel::exact, Medium::free_space());
    EXPECT_EQ(moments.size(), std::max<std::size_t>(1, std::ceil(k * length)));
    expect_by_quadrature(moments, element, ends, k, tolerance);
  }
}

/// Elements one behind the other are one piece, up to a radian and where neither their
/// direction nor their radius changes.
TEST(FarField, APieceTakesElementsInALine) {
  const double k = 2 * pi, a = 0.002;
  const Vec3 one = (1 / std::sqrt(14.0)) * Vec3{1, -2, 3}, other = {0, 1, 0};
  std::vector<Element> wire;
  std::vector<Complex> ends;
  Vec3 at = {0.3, -0.2, 5};
  const auto add = [&](Vec3 tangent, double length, double radius) {
    wire.push_back({at, tangent, length, radius});
    at = at + length * tangent;
    const double e = static_cast<double>(wire.size());
    ends.emplace_back(std::cos(e), std::sin(2 * e));
    ends.emplace_back(std::sin(3 * e), std::cos(e));
  };
  // 0.155 wavelengths, less than a radian; 0.06 more than that; a bend; a step in radius.
  for (const double length : {0.001, 0.004, 0.02, 0.03, 0.1}) add(one, length, a);
  for (const double length : {0.04, 0.02}) add(one, length, a);
  for (const double length : {0.02, 0.03}) add(other, length, a);
  for (const double length : {0.03, 0.03}) add(other, length, 2 * a);
  const auto moments = [&](Medium medium, double longest_rad = 1) {
    return current_moments(wire, ends, k, GreensKernel::exact, medium, longest_rad);
  };
  EXPECT_EQ(moments(Medium::free_space()).size(), 4);
  EXPECT_EQ(piece_count(wire, k), 4);
  expect_by_quadrature(moments(Medium::free_space()), wire, ends, k, 1e-9);
  // Pieces of 0.03 wavelengths: 0.025 and 0.03 in the first wire, then four of 0.1.
  EXPECT_EQ(piece_count(wire, k, 0.06 * pi + 1e-9),
            moments(Medium::free_space(), 0.06 * pi + 1e-9).size());
  EXPECT_EQ(moments(Medium::free_space(), 0.06 * pi + 1e-9).size(),
            2 + 4 + 2 + 1 + 2 + 2);
  expect_by_quadrature(moments(Medium::free_space(), 0.06 * pi + 1e-9), wire, ends, k,
                       1e-9);
  // Images are wires too, with the opposite current.
  std::vector<Element> with_image = wire;
  std::vector<Complex> all_ends = ends;
  for (const Element& e : wire)
    with_image.push_back(Medium::perfect_ground().source(e, 1));
  for (const Complex end : ends) all_ends.push_back(-end);
  EXPECT_EQ(moments(Medium::perfect_ground()).size(), 8);
  expect_by_quadrature(moments(Medium::perfect_ground()), with_image, all_ends, k, 1e-9);
  // A silent element in the middle of a piece.
  ends[4] = ends[5] = 0;
  EXPECT_EQ(moments(Medium::free_space()).size(), 5);
  expect_by_quadrature(moments(Medium::free_space()), wire, ends, k, 1e-9);
}

/// Over perfect ground, a dipole h above it has the pattern of two: those upright in
/// phase, lying ones opposed (Balanis 2016, eqs. 4-99 and 4-116).
TEST(FarField, OverGroundIsThatOfTheArrayWithTheImage) {
  const double k = 2 * pi, h = 0.4;
  std::vector<Direction> directions;
  for (int t = 0; t < 9; ++t) directions.push_back({t * pi / 18, 0.5 * t});
  for (const bool upright : {true, false}) {
    const Vec3 along = upright ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const std::vector<Element> element = {{{0.1, 0, h}, along, 1e-4, 1e-6}};
    const std::vector<Complex> ends = {1, 1};
    std::vector<Complex> theta(9), phi(9), free_theta(9), free_phi(9);
    far_field(
        current_moments(element, ends, k, GreensKernel::exact, Medium::perfect_ground()),
        directions, k, theta, phi);
    far_field(
        current_moments(element, ends, k, GreensKernel::exact, Medium::free_space()),
        directions, k, free_theta, free_phi);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      // Relative to the dipole's own phase, e^{j k h cos(theta)}.
      const double height =
          k * (h + (upright ? 0.5e-4 : 0)) * std::cos(directions[d].theta);
      const Complex image = std::polar(upright ? 1.0 : -1.0, -2 * height);
      const double size = 1e-12 * k * eta0_ohm * 1e-4;
      EXPECT_LT(std::abs(theta[d] - (1.0 + image) * free_theta[d]), size) << upright << d;
      EXPECT_LT(std::abs(phi[d] - (1.0 + image) * free_phi[d]), size) << upright << d;
    }
  }
}

}  // namespace
}  // namespace thinwire
