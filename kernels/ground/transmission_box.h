#pragma once

#include <array>
#include <span>
#include <vector>

namespace thinwire {

/// A sum of c T_i(x) T_j(y) T_l(w) over i < nodes[0], j < nodes[1], l < nodes[2], for
/// `numbers` functions at once: real and imaginary parts of kernels, side by side.
class ChebyshevBox {
 public:
  static constexpr int max_nodes = 12;

  /// From the values at the nodes (chebyshev_nodes), [x][y][w][numbers].
  ChebyshevBox(std::array<int, 3> nodes, int numbers, std::vector<double> values);

  const std::array<int, 3>& nodes() const { return nodes_; }
  /// Returns the sums of the highest two powers of each variable, where it has more than
  /// two (the highest alone where it has three).
  std::array<double, 3> tails() const;
  /// Without the highest powers of each variable that sum up to less than `tolerance`.
  ChebyshevBox shortened(double tolerance) const;
  /// Returns the polynomial on the lower or the upper half of the box in one variable.
  ChebyshevBox half(int variable, bool upper) const;

  /// Which powers to keep.
  struct Powers {
    int degree;               ///< of the three together
    std::array<int, 3> most;  ///< of each
    int terms() const;
  };
  /// As few as leave out less than `tolerance`, a sum of moduli.
  Powers powers_within(double tolerance) const;
  /// Appends [terms][numbers] in the order of across_boxes.h.
  void append(const Powers& powers, std::vector<double>& coefficients) const;

 private:
  /// [n][m]: replaces T_m of one variable by the sum of matrix[n][m] times the n-th.
  using Matrix = std::array<std::array<double, max_nodes>, max_nodes>;
  void apply(int variable, const Matrix& matrix);
  /// Its first powers.
  ChebyshevBox first(const std::array<int, 3>& nodes) const;
  template <class Visit>  // visit(i, j, l, modulus of the largest kernel)
  void for_each(const Visit& visit) const;

  ChebyshevBox() = default;

  std::array<int, 3> nodes_{};
  int numbers_ = 0;
  std::vector<double> c_;
};

/// In -1 .. 1.
std::span<const double> chebyshev_nodes(int count);

}  // namespace thinwire
