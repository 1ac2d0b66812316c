#pragma once

#include <string_view>

#include "io/variation.h"
#include "mom/optimize/variable.h"

namespace thinwire {

/// NAME=VALUE,VALUE.. where a VALUE is a number, a formula of numbers or
/// START:STOP:COUNT, which stands for COUNT values evenly from START to STOP. Throws
/// Error{usage}.
Variation variation_of(std::string_view text);

/// NAME=LOWER:UPPER, numbers or formulas of numbers, the lower one first; it starts in
/// the middle. Throws Error{usage}.
Variable variable_of(std::string_view text);

}  // namespace thinwire
