#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace thinwire {

/// Where solve() hands the impedance matrix instead of keeping it: a file, for which
/// bands of its rows are enough. Of several ranks the first calls its own alone.
class MatrixSink {
 public:
  virtual ~MatrixSink() = default;

  /// Before anything is filled: the matrix will be [n][n]. Throws where there is no place
  /// for it.
  virtual void expect(std::size_t n) = 0;

  /// The next rows, ohm, [some][n], from the first on; they live as long as the call.
  virtual void take(std::size_t n, std::span<const std::complex<double>> rows) = 0;
};

}  // namespace thinwire
