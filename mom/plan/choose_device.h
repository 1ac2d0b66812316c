#pragma once

#include "mom/plan/plan_input.h"

namespace thinwire {

/// Decides by Options::device and, for `auto`, by the predicted time among what fits into
/// memory; makes the GPU that it takes the current one. Plan::solver.why then says why.
/// For small problems `auto` does not even look for a GPU: starting one takes longer.
/// Where `auto` chooses the solver, one that fits goes before a faster one that does not.
/// input.size: that of the mesh.
///
/// Allocates nothing, except that several GPUs are measured once (rates_of). Throws
/// Error{device}: no CUDA module, no driver, no such GPU, no code for it, or a precision
/// that only a GPU has on the CPU.
Plan choose_device(PlanInput input);

/// Below this predicted time on the CPU, `auto` does not look for a GPU.
inline constexpr double worth_a_look_s = 0.5;

}  // namespace thinwire
