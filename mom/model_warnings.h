#pragma once

#include <string>
#include <vector>

#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire {

/// What makes a result doubtful and shows in the model already, one line each: wires that
/// overlap without being joined (looked for in up to 20,000 segments; `thinwire check`
/// looks in any number), segments too short for the reduced kernel (below two radii), and
/// wires that dip into perfect ground without ending on it.
std::vector<std::string> model_warnings(const Problem& problem, const Options& options);

}  // namespace thinwire
