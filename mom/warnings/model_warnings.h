#pragma once

#include <string>
#include <vector>

#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Returns the doubts about a model, one line each: segments too short for the reduced
/// kernel (below two radii), wires close to perfect ground, wires thick against the
/// wavelength, sharp bends that take more than 1 % off an antenna's wire, sources on
/// segments with an open end or on antennas of few segments, and closed loops so small
/// that rounding decides where they are not solved apart (mom/systems/loop_system.h).
/// Throws Error{geometry} as WireMesh does.
std::vector<std::string> run_warnings(const Problem& problem, const Options& options);

/// Returns the warnings of every solve: the serious kinds of geometry/advice.h (in up to
/// 20,000 segments; `thinwire check` examines any number), and run_warnings().
std::vector<std::string> model_warnings(const Problem& problem, const Options& options);

}  // namespace thinwire
