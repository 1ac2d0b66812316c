#pragma once

#include <string>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire::fuzz {

/// Cuts what a problem asks for to what is solved in a fraction of a second: few runs,
/// frequencies, directions and points. Returns false where its structure is too large.
bool shorten(Problem& problem);

/// Returns the first violated invariant of a solution, in words, or nothing: finite
/// numbers, and as many as were asked for.
std::string breach(const Problem& problem, const Solution& solution);

}  // namespace thinwire::fuzz
