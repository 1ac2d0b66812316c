#pragma once

#include <gtest/gtest.h>

#include "mom/solve.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::test {

/// side x side dipoles of 17 segments.
inline Problem dipoles(int side) {
  Problem problem;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const Vec3 at = {0.5 * i, 0.6 * j, 0};
      problem.structure.add_wire(1, 17, at, at + Vec3{0, 0, 0.47}, 1e-3);
    }
  return problem;
}

/// 8 x 8 of them, two fed, with a pattern and near fields enough to be shared.
inline Problem shared_array() {
  Problem problem = dipoles(8);
  Run run;
  run.frequency_hz = {one_metre_wave_hz};
  run.sources = {volt_on(8), volt_on(17 * 20 + 8, {0, 1})};
  PatternRequest pattern = broadside();
  pattern.theta_count = 19;
  pattern.phi_count = 73;
  pattern.theta_step_deg = pattern.phi_step_deg = 5;
  run.patterns = {pattern};
  NearFieldRequest points = {
      .count = {20, 15, 1}, .start = {0.1, 0.2, 3}, .step = {0.3, 0.2, 0}};
  run.near_fields = {points};
  problem.runs = {run};
  return problem;
}

inline Options by(SolverChoice solver) {
  Options options = options_for(MeshChoice::as_given);
  options.solver = solver;
  options.tolerance = 1e-10;
  options.save_matrix = true;
  return options;
}

/// To `tolerance` of the largest.
inline void expect_near(std::span<const Complex> got, std::span<const Complex> right,
                        double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), right.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    largest = std::max(largest, std::abs(right[i]));
    difference = std::max(difference, std::abs(got[i] - right[i]));
  }
  EXPECT_LE(difference, tolerance * largest);
}

}  // namespace thinwire::test
