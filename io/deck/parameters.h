#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/deck/formula.h"
#include "mom/problem.h"

namespace thinwire {

/// Reads a deck again, with these values for its symbols beside those given before.
using ReadWith = std::function<std::vector<Problem>(const SymbolValues& values)>;

/// How far a symbol of this value is moved to either side for its derivatives.
double parameter_step(double value);

/// Adds a Parameter of each named SY symbol to the structures of a deck: each to those
/// that define it, what SY cards derive from it following along. Throws Error{usage} for
/// a name that no SY card defines, and what read_with throws.
void add_parameters(std::vector<Problem>& structures,
                    std::span<const std::string> symbols, const ReadWith& read_with);

}  // namespace thinwire
