#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "cg/krylov/device_solver.h"

namespace thinwire::testing {

struct NamedRecurrence {
  const char* name;
  Recurrence recurrence;
};
inline const std::vector<NamedRecurrence> every_recurrence = [] {
  std::vector<NamedRecurrence> all;
  for (const auto& [value, name] : words_of(Recurrence()))
    if (value != Recurrence::automatic && value != Recurrence::direct)
      all.push_back({name.data(), value});
  return all;
}();

struct NamedPlacement {
  const char* name;
  Placement placement;
};
inline constexpr NamedPlacement every_placement[] = {{"product", Placement::product},
                                                     {"resident", Placement::resident},
                                                     {"graph", Placement::graph}};

inline SolverControl to(double tolerance, int max_iterations = 0) {
  SolverControl control;
  control.tolerance = tolerance;
  control.max_iterations = max_iterations;
  return control;
}

/// Rounding grows along a recurrence: the histories agree to a fraction of the residual
/// while it falls by six decades.
inline void expect_same_history(const SolveResult& device, const SolveResult& cpu) {
  EXPECT_EQ(device.status, cpu.status);
  EXPECT_EQ(device.iterations, cpu.iterations);
  ASSERT_EQ(device.residual_history.size(), cpu.residual_history.size());
  for (std::size_t i = 0; i < cpu.residual_history.size(); ++i)
    EXPECT_NEAR(device.residual_history[i], cpu.residual_history[i],
                1e-3 * cpu.residual_history[i] + 1e-13)
        << "iteration " << i;
  ASSERT_EQ(device.reaction_history.size(), cpu.reaction_history.size());
  for (std::size_t i = 0; i < cpu.reaction_history.size(); ++i)
    EXPECT_LE(std::abs(device.reaction_history[i] - cpu.reaction_history[i]),
              1e-5 * std::abs(cpu.reaction_history[i]) + 1e-13)
        << "iteration " << i;
}

}  // namespace thinwire::testing
