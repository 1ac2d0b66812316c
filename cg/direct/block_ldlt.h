#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cg/direct/ldlt_layout.h"

namespace thinwire {

/// A column-major matrix.
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
/// Where several owners share the matrix, GPUs or ranks, a panel's owner sends W and L to
/// all, and each updates its own block columns. With Owners::looks_ahead, the owner of
/// the next panel updates that first; it is eliminated and travels aside, while all are
/// busy with the rest:
///
///     owner of panel k + 1   | update k + 1 |     update the rest by k     |
///       aside                               | eliminate k + 1 | send it |
///     others                 |          update the rest by k          |
///
/// Executor does the arithmetic, on a CPU or a GPU; T is an entry. It has
///   base
///     order of the largest blocks that it inverts at once;
///   void invert_base(Block<T> a, std::size_t size) const
///     inverts a symmetric block, given by its lower triangle, into both;
///   void transpose(std::size_t rows, std::size_t columns, Block<T> a, Block<T> to) const
///     to = a^T, a is rows x columns;
///   void copy(std::size_t rows, std::size_t columns, Block<T> a, Block<T> to) const
///   void multiply(Product p, Block<T> a, Block<T> b, Block<T> c) const
///     c = alpha op(a) op(b) + beta c.
///
/// Owners connects the owners, which all make the same calls. It has
///   static constexpr bool looks_ahead
///   void begin_aside() const
///     what is given aside from here on waits for the updates given so far;
///   void wait_for_sent() const
///     updates given from here on wait for what was sent; these two only to look ahead;
///   void made(std::size_t k) const
///     called when the owner of panel k has eliminated it;
///   void send(std::size_t owner, T* values, std::size_t count) const
///     that owner's values to all, aside;
///   void hand_down(std::size_t owner, Block<T> x, std::size_t next, std::size_t rows,
///                  std::size_t rhs_count) const
///     completes at least the first `next` of the remaining rows of x, which are current
///     at this owner, or a sum over all;
///   void hand_up(std::size_t owner, Block<T> y, std::size_t rows,
///                std::size_t rhs_count) const
///     that owner's rows of y to all.
template <class T, class Executor, class Owners>
class BlockLdlt {
 public:
  /// a: [layout.entries()], this owner's; panels: [layout.panels(looks_ahead)]
  /// [layout.work()]; both kept by the caller. What is above the diagonal in `a` is not
  /// used but takes part in sums: it should be numbers.
  BlockLdlt(const LdltLayout& layout, const Executor& executor, const Executor& aside,
            const Owners& owners, T* a, T* panels)
      : layout_(layout),
        executor_(executor),
        aside_(aside),
        owners_(owners),
        a_(a),
        panels_(panels) {}

  void factor() const {
    const std::size_t order = layout_.order();
    if (order == 0) return;
    begin_aside();
    make(0);
    send(0);
    for (std::size_t k = 0, next = end_of(0); next < order; k = next, next = end_of(k)) {
      wait_for_sent();
      const std::size_t ahead = looks_ahead() ? end_of(next) : next;
      update(k, next, ahead);
      begin_aside();
      if (looks_ahead()) make(next);
      update(k, ahead, order);
      if (!looks_ahead()) make(next);
      send(next);
    }
    wait_for_sent();
  }

  /// y = (L D L^T)^-1 x; x, y: [rhs_count][layout.order()], x is lost. Each owner gets
  /// all of y. What Owners::hand_down() sums is to be in x once.
  void solve(T* x_values, T* y_values, std::size_t rhs_count = 1) const {
    const std::size_t order = layout_.order(), width = layout_.width,
                      panel = layout_.panel;
    const Block<T> x = {x_values, order}, y = {y_values, order};
    for (std::size_t first = 0; first < order; first += width) {
      const std::size_t end = std::min(order, first + width);
      if (layout_.holds(first))
        for (std::size_t k = first; k < end; k += panel) solve_down(k, x, y, rhs_count);
      if (shared() && end < order)
        owners_.hand_down(layout_.owner_of(first), x.at(end, 0),
                          std::min(order - end, width), order - end, rhs_count);
    }
    for (std::size_t end = order; end > 0;) {
      const std::size_t first = (end - 1) / width * width;
      if (layout_.holds(first))
        for (std::size_t k = (end - 1) / panel * panel + panel; k > first;)
          solve_up(k -= panel, y, rhs_count);
      if (shared())
        owners_.hand_up(layout_.owner_of(first), y.at(first, 0), end - first, rhs_count);
      end = first;
    }
  }

 private:
  bool shared() const { return layout_.owners > 1; }
  bool looks_ahead() const { return Owners::looks_ahead && shared(); }
  void begin_aside() const {
    if constexpr (Owners::looks_ahead)
      if (shared()) owners_.begin_aside();
  }
  void wait_for_sent() const {
    if constexpr (Owners::looks_ahead)
      if (shared()) owners_.wait_for_sent();
  }

  std::size_t end_of(std::size_t k) const {
    return std::min(k + layout_.panel, layout_.order());
  }
  Block<T> at(std::size_t i, std::size_t j) const {
    return {a_ + layout_.offset(i, j), layout_.leading(j)};
  }
  /// W of panel k below its diagonal block, and L, which one owner has in place. Panels
  /// that look ahead take turns.
  Block<T> w(std::size_t k) const { return panel(k, 0); }
  Block<T> l(std::size_t k) const { return shared() ? panel(k, 1) : at(end_of(k), k); }
  Block<T> panel(std::size_t k, std::size_t which) const {
    const std::size_t turn = looks_ahead() ? k / layout_.panel % 2 : 0;
    return {panels_ + (2 * turn + which) * layout_.work(), layout_.order() - end_of(k)};
  }

  /// Eliminates panel k, where it is this owner's: W and L to their places.
  void make(std::size_t k) const {
    if (layout_.holds(k)) {
      const std::size_t next = end_of(k), size = next - k, rows = layout_.order() - next;
      const Block<T> diagonal = at(k, k);
      invert(diagonal, size, w(k).first);
      if (rows > 0) {
        const Block<T> below = at(next, k);
        aside_.copy(rows, size, below, w(k));
        aside_.multiply({rows, size, size, false, false, 1, 0, true}, w(k), diagonal,
                        below);
        if (shared()) aside_.copy(rows, size, below, l(k));
      }
    }
    owners_.made(k);
  }

  void send(std::size_t k) const {
    const std::size_t next = end_of(k), count = (layout_.order() - next) * (next - k);
    if (!shared() || count == 0) return;
    for (const Block<T> sent : {w(k), l(k)})
      owners_.send(layout_.owner_of(k), sent.first, count);
  }

  /// A_ij -= L W^T by panel k for the columns first .. end - 1 that this owner has.
  void update(std::size_t k, std::size_t first, std::size_t end) const {
    const std::size_t order = layout_.order(), next = end_of(k), size = next - k;
    for (std::size_t j = first; j < end;) {
      const std::size_t to = std::min(end, (j / layout_.width + 1) * layout_.width);
      if (layout_.holds(j))
        executor_.multiply({order - j, to - j, size, false, true, -1, 1, true},
                           l(k).at(j - next, 0), w(k).at(j - next, 0), at(j, j));
      j = to;
    }
  }

  /// The step of panel k on the way down, L u = x, u in x, y = D^-1 u: leaves y of its
  /// rows, and what is left of x below them.
  void solve_down(std::size_t k, Block<T> x, Block<T> y, std::size_t rhs_count) const {
    const std::size_t next = end_of(k), size = next - k, rows = layout_.order() - next;
    executor_.multiply({size, rhs_count, size, false, false, 1, 0, false}, at(k, k),
                       x.at(k, 0), y.at(k, 0));
    if (rows > 0)
      executor_.multiply({rows, rhs_count, size, false, false, -1, 1, false}, at(next, k),
                         x.at(k, 0), x.at(next, 0));
  }
  /// And on the way up, L^T z = y, z in y: makes z of its rows from that below them.
  void solve_up(std::size_t k, Block<T> y, std::size_t rhs_count) const {
    const std::size_t next = end_of(k), rows = layout_.order() - next;
    if (rows > 0)
      executor_.multiply({next - k, rhs_count, rows, true, false, -1, 1, false},
                         at(next, k), y.at(next, 0), y.at(k, 0));
  }

  /// Replaces a symmetric block, given by its lower triangle, by its inverse, in both
  /// triangles, cutting it in two: with T = A21 X11, S = A22 - T A21^T,
  ///   X22 = S^-1, X21 = -X22 T, X11 += T^T X22 T.
  /// work: [size^2 / 3].
  void invert(Block<T> a, std::size_t size, T* work) const {
    const std::size_t base = aside_.base;
    if (size <= base) {
      aside_.invert_base(a, size);
      return;
    }
    // The larger part: the largest base 2^m below size.
    const std::size_t h = base * std::bit_floor((size - 1) / base), rest = size - h;
    const Block<T> a21 = a.at(h, 0), a22 = a.at(h, h), t = {work, rest};
    invert(a, h, work);
    aside_.multiply({rest, h, h, false, false, 1, 0, false}, a21, a, t);
    aside_.multiply({rest, rest, h, false, true, -1, 1, false}, t, a21, a22);
    invert(a22, rest, work + rest * h);
    aside_.multiply({rest, h, rest, false, false, -1, 0, false}, a22, t, a21);
    aside_.multiply({h, h, rest, true, false, -1, 1, false}, t, a21, a);
    aside_.transpose(rest, h, a21, a.at(0, h));
  }

  LdltLayout layout_;
  const Executor &executor_, &aside_;
  const Owners& owners_;
  T *a_, *panels_;
};

}  // namespace thinwire
