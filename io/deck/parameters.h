#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/deck/formula.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Reads a deck again, with these values for its symbols beside those given before.
using ReadWith = std::function<std::vector<Problem>(const SymbolValues& values)>;

/// The parameter of `name` that has this value in a problem: with the problems a little
/// to either side of it, at a distance at which second-order terms and the digits of
/// coordinates are both far below 1e-6 of the derivatives. Throws what problem_at throws.
Parameter parameter_of(const Problem& problem, std::string name, double value,
                       const std::function<Problem(double value)>& problem_at);

/// Adds a Parameter of each named SY symbol to the structures of a deck: each to those
/// that define it, what SY cards derive from it following along. Throws Error{usage} for
/// a name that no SY card defines or that is there twice, and what read_with throws.
void add_parameters(std::vector<Problem>& structures,
                    std::span<const std::string> symbols, const ReadWith& read_with);

}  // namespace thinwire
