#pragma once

#include <vector>

#include "mom/problem/problem.h"

namespace thinwire {

/// Gives every run these frequencies, Hz, instead of its own. Runs that then differ in
/// nothing but what they ask for become one, with the patterns and near fields of all.
void set_frequencies(Problem& problem, const std::vector<double>& frequency_hz);

}  // namespace thinwire
