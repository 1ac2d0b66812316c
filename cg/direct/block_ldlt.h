#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cg/direct/ldlt_layout.h"

namespace thinwire {

/// Blocked Z = L D L^T of a complex-symmetric matrix in LdltLayout, without pivoting
/// between blocks. In place, panel by panel (k; i, j > k):
///
///     before step k            after                   X_k = A_kk^-1 (explicit)
///     [X_0           ]         [X_0           ]        W   = A_ik
///     [L   A_kk      ]         [L   X_k       ]        L   = W X_k
///     [L   A_ik  A_ij]         [L   L    A_ij ]        A_ij -= L W^T, lower triangle
///
/// The last line is all of the work: 4/3 n^3 flop as matrix products, one a block column.
///
/// Executor does the arithmetic, on a CPU or a GPU; T is an entry. Matrices are
/// column-major, given by Block. It has
///   void invert_base(Block<T> a) const
///     inverts a symmetric block of order `base`, given by its lower triangle, into both;
///   void transpose(std::size_t rows, std::size_t columns, Block<T> a, Block<T> to) const
///     to = a^T, a is rows x columns;
///   void copy(std::size_t rows, std::size_t columns, Block<T> a, Block<T> to) const
///   void multiply(Product p, Block<T> a, Block<T> b, Block<T> c) const
///     c = alpha op(a) op(b) + beta c;
///   void multiply_vector(bool transposed, std::size_t rows, std::size_t columns,
///                        double alpha, Block<T> a, const T* x, double beta, T* y) const
///     y = alpha op(a) x + beta y, a is rows x columns.
template <class T>
struct Block {
  T* first;
  std::size_t leading;
  Block at(std::size_t i, std::size_t j) const {
    return {first + i + j * leading, leading};
  }
};

struct Product {
  std::size_t rows, columns, depth;  ///< of c, and what is summed over
  bool transposed_a, transposed_b;
  double alpha, beta;
  bool max_work;  ///< whether it is one of those that a faster arithmetic is meant for
};

template <class T, class Executor>
class BlockLdlt {
 public:
  /// a: [layout.entries()], w: [layout.work()], both kept by the caller. What is above
  /// the diagonal in `a` is not used but takes part in sums: it should be numbers.
  BlockLdlt(const LdltLayout& layout, const Executor& executor, T* a, T* w)
      : layout_(layout), executor_(executor), a_(a), w_(w) {}

  void factor() const {
    const std::size_t order = layout_.order();
    for (std::size_t k = 0; k < order; k += layout_.panel) {
      const std::size_t size = std::min(layout_.panel, order - k);
      const Block<T> diagonal = at(k, k);
      invert(diagonal, size, w_);
      const std::size_t next = k + size, rows = order - next;
      if (rows == 0) break;
      const Block<T> w = {w_, rows}, l = at(next, k);
      executor_.copy(rows, size, l, w);
      executor_.multiply({rows, size, size, false, false, 1, 0, true}, w, diagonal, l);
      for (std::size_t j = next; j < order;) {
        const std::size_t end = std::min(order, (j / layout_.width + 1) * layout_.width);
        executor_.multiply({order - j, end - j, size, false, true, -1, 1, true},
                           l.at(j - next, 0), w.at(j - next, 0), at(j, j));
        j = end;
      }
    }
  }

  /// y = (L D L^T)^-1 x; x, y: [layout.order()], x is lost.
  void solve(T* x, T* y) const {
    const std::size_t order = layout_.order(), panel = layout_.panel;
    for (std::size_t k = 0; k < order; k += panel) solve_down(k, x, y);
    for (std::size_t k = (order - 1) / panel * panel; k > 0;) solve_up(k -= panel, y);
  }

  /// The step of panel k on the way down, L u = x, u in x, y = D^-1 u: leaves y of its
  /// rows, and what is left of x below them.
  void solve_down(std::size_t k, T* x, T* y) const {
    const std::size_t order = layout_.order(), size = std::min(layout_.panel, order - k),
                      next = k + size;
    executor_.multiply_vector(false, size, size, 1, at(k, k), x + k, 0, y + k);
    if (next < order)
      executor_.multiply_vector(false, order - next, size, -1, at(next, k), x + k, 1,
                                x + next);
  }
  /// And on the way up, L^T z = y, z in y: makes z of its rows from that below them.
  void solve_up(std::size_t k, T* y) const {
    const std::size_t order = layout_.order(), next = k + layout_.panel;
    if (next < order)
      executor_.multiply_vector(true, order - next, layout_.panel, -1, at(next, k),
                                y + next, 1, y + k);
  }

  Block<T> at(std::size_t i, std::size_t j) const {
    return {a_ + layout_.offset(i, j), layout_.leading(j)};
  }

  /// Replaces a symmetric block, given by its lower triangle, by its inverse, in both
  /// triangles, cutting it in two: with T = A21 X11, S = A22 - T A21^T,
  ///   X22 = S^-1, X21 = -X22 T, X11 += T^T X22 T.
  /// work: [size^2 / 3].
  void invert(Block<T> a, std::size_t size, T* work) const {
    if (size == layout_.base) {
      executor_.invert_base(a);
      return;
    }
    // The larger part: the largest base 2^m below size.
    const std::size_t h = layout_.base * std::bit_floor((size - 1) / layout_.base),
                      rest = size - h;
    const Block<T> a21 = a.at(h, 0), a22 = a.at(h, h), t = {work, rest};
    invert(a, h, work);
    executor_.multiply({rest, h, h, false, false, 1, 0, false}, a21, a, t);
    executor_.multiply({rest, rest, h, false, true, -1, 1, false}, t, a21, a22);
    invert(a22, rest, work + rest * h);
    executor_.multiply({rest, h, rest, false, false, -1, 0, false}, a22, t, a21);
    executor_.multiply({h, h, rest, true, false, -1, 1, false}, t, a21, a);
    executor_.transpose(rest, h, a21, a.at(0, h));
  }

 private:
  LdltLayout layout_;
  const Executor& executor_;
  T* a_;
  T* w_;
};

}  // namespace thinwire
