#pragma once

#include <complex>
#include <filesystem>

#include "kernels/spmv/csr.h"

namespace thinwire {

/// A sparse matrix from a Matrix Market file (R. F. Boisvert, R. Pozo, K. A. Remington,
/// "The Matrix Market exchange formats", NISTIR 5935, 1996): `matrix coordinate` with
/// field real, integer, pattern (ones) or, for complex A, complex, and symmetry general,
/// symmetric, skew-symmetric or hermitian, made whole. Entries given twice are added up.
/// A: double or std::complex<double>, which takes real files, too.
/// Throws Error{file}, one line, with the line's number where it is about one: a folder,
/// not such a file, another field or symmetry, complex values for real A, empty or not
/// square, an index out of range, no number or none that is finite, no integer in an
/// integer file, anything after an entry, cut short or too long.
template <class A>
Csr<A> read_matrix_market(const std::filesystem::path& file);

/// Whether the file's first line says that its values are complex. Throws as above for
/// what that line says.
bool matrix_market_is_complex(const std::filesystem::path& file);

}  // namespace thinwire
