#pragma once

#include <filesystem>

#include "kernels/spmv/csr.h"

namespace thinwire {

/// A sparse matrix from a Matrix Market file (R. F. Boisvert, R. Pozo, K. A. Remington,
/// "The Matrix Market exchange formats", NISTIR 5935, 1996): `matrix coordinate` with
/// field real, integer, pattern (ones) or complex (real parts), and symmetry general,
/// symmetric, skew-symmetric or hermitian, made whole. Entries given twice are added up.
/// Throws Error{file}, one line with the line's number: not such a file, another field or
/// symmetry, not square, an index out of range, cut short or too long.
Csr<double> read_matrix_market(const std::filesystem::path& file);

}  // namespace thinwire
