#include "mom/schedule/check_finite.h"

#include <cmath>

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {

void check_finite(std::span<const Complex> numbers, double frequency_hz) {
  for (const Complex& number : numbers)
    if (!std::isfinite(number.real()) || !std::isfinite(number.imag()))
      throw Error(ErrorKind::numeric,
                  fmt::format("solution at {:g} MHz is not finite: the matrix is "
                              "singular. Check for overlapping wires.",
                              frequency_hz * 1e-6));
}

}  // namespace thinwire
