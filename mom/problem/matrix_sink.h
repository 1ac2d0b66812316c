#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace thinwire {

/// Where solve() hands the impedance matrix instead of keeping it: a file, for which
/// bands of its rows are enough. Each rank has its own; all of one kind.
class MatrixSink {
 public:
  virtual ~MatrixSink() = default;

  /// Before anything is filled: the matrix will be [n][n]. On the first rank alone.
  /// Throws where there is no place for it.
  virtual void expect(std::size_t n) = 0;

  /// Before the first rows of a matrix that lies spread over the ranks: whether each
  /// rank is to take some of them. Otherwise the first takes all. All ranks call it
  /// together and get the same answer.
  virtual bool share(std::size_t n) {
    (void)n;
    return false;
  }

  /// Rows, ohm, [some][n], from row `first` on; they live as long as the call. Rows come
  /// in their order.
  virtual void take(std::size_t n, std::size_t first,
                    std::span<const std::complex<double>> rows) = 0;

  /// After the last rows where ranks share them. All ranks call it together.
  virtual void end_shared() {}
};

}  // namespace thinwire
