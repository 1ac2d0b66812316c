#pragma once

#include <span>

#include "kernels/base/complex.h"

namespace thinwire {

/// Throws Error{numeric} where a number of a solution is not finite.
void check_finite(std::span<const Complex> numbers, double frequency_hz);

}  // namespace thinwire
