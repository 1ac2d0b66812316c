#pragma once

#include <gtest/gtest.h>

#include "cg/krylov/device_solver.h"

namespace thinwire::testing {

struct NamedRecurrence {
  const char* name;
  Recurrence recurrence;
};
inline constexpr NamedRecurrence every_recurrence[] = {{"cg", Recurrence::cg},
                                                       {"cocg", Recurrence::cocg},
                                                       {"cocr", Recurrence::cocr},
                                                       {"gmres", Recurrence::gmres}};

struct NamedPlacement {
  const char* name;
  Placement placement;
};
inline constexpr NamedPlacement every_placement[] = {{"product", Placement::product},
                                                     {"resident", Placement::resident},
                                                     {"graph", Placement::graph}};

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
}

}  // namespace thinwire::testing
