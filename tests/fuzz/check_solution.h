#pragma once

#include <string>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire::fuzz {

/// Cuts what a problem asks for to what is solved in a fraction of a second: few runs,
/// frequencies, directions and points. Returns false where its structure is too large.
bool shorten(Problem& problem);

/// What a solution must keep: finite numbers, and as many as were asked for; the first
/// breach in words, or nothing.
std::string breach(const Problem& problem, const Solution& solution);

}  // namespace thinwire::fuzz
