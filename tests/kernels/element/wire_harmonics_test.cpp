#include "kernels/element/wire_harmonics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/mom/round_wires_values.h"

namespace thinwire {
namespace {

/// Wires of a section, and their images in the plane y = 0 after them.
std::vector<SectionWire> section_of(const RoundWires& wires) {
  std::vector<SectionWire> section;
  for (const bool image : {false, true}) {
    if (image && !wires.over_ground) break;
    for (const auto& w : wires.x_y_radius)
      section.push_back({w[0], image ? -w[1] : w[1], w[2]});
  }
  return section;
}

/// Returns -B^T D^-1 B of wires of uniform charge, [wires][wires], in units of
/// 1 / (2 pi eps): what the proximity effect adds to their potentials.
std::vector<double> proximity_potentials(std::span<const SectionWire> wires) {
  const WireHarmonics harmonics(wires, harmonic_orders(wires));
  const std::size_t n = wires.size(), rows = harmonics.rows(), each = rows / n;
  std::vector<double> drive(n * rows), added(n * n), response(rows);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) {
      if (q == p) continue;
      const double x = wires[q].x_m - wires[p].x_m, y = wires[q].y_m - wires[p].y_m;
      const std::vector<double> factor(
          each / 2,
          proximity_weight(std::hypot(x, y), wires[p].radius_m, wires[q].radius_m));
      add_harmonic_drive(x, y, wires[p].radius_m, factor,
                         {&drive[q * rows + p * each], each});
    }
  for (std::size_t q = 0; q < n; ++q) {
    std::ranges::fill(response, 0);
    for (std::size_t j = 0; j < rows; ++j)
      harmonics.add_response(j, drive[q * rows + j], response);
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t i = 0; i < rows; ++i)
        added[p * n + q] -= drive[p * rows + i] * response[i];
  }
  return added;
}

TEST(WireHarmonics, GivePotentialsOfBoundaryElements) {
  for (const RoundWires& wires : round_wires) {
    const std::vector<SectionWire> section = section_of(wires);
    const std::vector<double> added = proximity_potentials(section);
    const std::size_t n = wires.x_y_radius.size(), all = section.size();
    const auto potential = [&](std::size_t i, std::size_t j) {
      const auto one = [&](std::size_t other) {
        const double uniform = i == other
                                   ? section[i].radius_m
                                   : std::hypot(section[i].x_m - section[other].x_m,
                                                section[i].y_m - section[other].y_m);
        return -std::log(uniform) + added[i * all + other];
      };
      return wires.over_ground ? one(j) - one(j + n) : one(j);
    };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        // Relative to the least potential between two wires, or to the ground.
        double scale = wires.over_ground ? wires.potential[i][i] : 10;
        for (std::size_t k = 0; k < n; ++k)
          if (k != i)
            scale = std::min(scale, wires.potential[i][i] - wires.potential[i][k]);
        EXPECT_NEAR(potential(i, j), wires.potential[i][j], 1e-3 * scale)
            << wires.name << " " << i << " " << j;
      }
  }
}

TEST(WireHarmonics, AreNoneOfDistantAndOverlappingWires) {
  for (const double distance : {2.0, 1.5, 26.0, 100.0})
    for (const double added :
         proximity_potentials(std::vector<SectionWire>{{0, 0, 1}, {0, distance, 1}}))
      EXPECT_EQ(added, 0) << distance;
}

/// A sheath makes a wire act on fields like a thicker one: like itself with eps_r = 1,
/// like the sheath with eps_r without limit.
TEST(WireHarmonics, SheathsMakeWiresThicker) {
  for (const int order : {1, 2, 5}) {
    EXPECT_NEAR(sheath_self_factor(order, 1.5, 1), 1, 1e-12);
    EXPECT_NEAR(sheath_self_factor(order, 1.5, 1e9), std::pow(1.5, -2 * order), 1e-8);
  }
}

}  // namespace
}  // namespace thinwire
