#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace thinwire {

/// The unit vector x, [columns], that A makes shortest: the right singular vector of its
/// smallest singular value. a: column-major, rows >= columns >= 1, by QR and then SVD.
/// Throws Error{numeric} where an entry is not finite.
std::vector<std::complex<double>> least_vector(std::size_t rows, std::size_t columns,
                                               std::vector<std::complex<double>> a);

}  // namespace thinwire
