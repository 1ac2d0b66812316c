#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/variation.h"
#include "mom/optimize/variable.h"

namespace thinwire {

/// NAME=VALUE,VALUE.. where a VALUE is a number, a formula of numbers or
/// START:STOP:COUNT, which stands for COUNT values evenly from START to STOP. Throws
/// Error{usage}.
Variation variation_of(std::string_view text);

/// Returns frequencies in Hz from VALUE,VALUE.. where a VALUE is a number or
/// START:STOP:COUNT, in MHz or with a unit: "144:146:21", "7.1,14.2", "1.8GHz". option:
/// as messages name it. Throws Error{usage}.
std::vector<double> frequencies_of(const std::string& option, std::string_view list);

/// NAME=LOWER:UPPER, numbers or formulas of numbers, the lower one first; it starts in
/// the middle. Throws Error{usage}.
Variable variable_of(std::string_view text);

}  // namespace thinwire
