#pragma once

#include <algorithm>
#include <cstddef>

#include "cg/direct/block_ldlt.h"

namespace thinwire {

/// BlockLdlt over several owners: block columns of LdltLayout are distributed to them
/// cyclically. A panel's owner makes W and L of it and sends both to all, and each
/// updates its own block columns. The owner of the next panel updates that first; it is
/// eliminated and travels aside, while all are busy with the rest:
///
///     owner of panel k + 1   | update k + 1 |     update the rest by k     |
///       aside                               | eliminate k + 1 | send it |
///     others                 |          update the rest by k          |
///
/// There are two Executors, one for the updates and one for the work done aside. Peers
/// connects the owners; every owner makes the same calls. It has
///   void begin_aside() const
///     what is given aside from here on waits for the updates given so far;
///   void send(std::size_t owner, T* values, std::size_t count) const
///     that owner's values to all, aside;
///   void wait_for_sent() const
///     updates given from here on wait for what was sent;
///   void hand_on(std::size_t owner, T* values, std::size_t count) const
///     that owner's values to all, in order with the updates.
template <class T, class Executor, class Peers>
class MultiGpuLdlt {
 public:
  /// a: [layout.entries()], this owner's; panels: [4][layout.work()]; both kept by the
  /// caller. What is above the diagonal in `a` should be numbers.
  MultiGpuLdlt(const LdltLayout& layout, const Executor& executor, const Executor& aside,
               const Peers& peers, T* a, T* panels)
      : layout_(layout),
        executor_(executor),
        aside_(aside),
        peers_(peers),
        panels_(panels),
        own_(layout, executor, a, nullptr),
        own_aside_(layout, aside, a, nullptr) {}

  void factor() const {
    const std::size_t order = layout_.order();
    if (order == 0) return;
    peers_.begin_aside();
    make(0);
    send(0);
    for (std::size_t k = 0; k < order; k += layout_.panel) {
      peers_.wait_for_sent();
      const std::size_t next = end_of(k);
      if (next == order) return;
      update(k, next, end_of(next));
      peers_.begin_aside();
      make(next);
      update(k, end_of(next), order);
      send(next);
    }
  }

  /// As of BlockLdlt. Every owner has all of x and gets all of y.
  void solve(T* x, T* y) const {
    const std::size_t order = layout_.order(), width = layout_.width;
    for (std::size_t first = 0; first < order; first += width) {
      const std::size_t end = std::min(order, first + width);
      if (layout_.holds(first))
        for (std::size_t k = first; k < end; k += layout_.panel) own_.solve_down(k, x, y);
      if (end < order) peers_.hand_on(layout_.owner_of(first), x + end, order - end);
    }
    for (std::size_t end = order; end > 0;) {
      const std::size_t first = (end - 1) / width * width;
      if (layout_.holds(first))
        for (std::size_t k = (end - 1) / layout_.panel * layout_.panel + layout_.panel;
             k > first;)
          own_.solve_up(k -= layout_.panel, y);
      peers_.hand_on(layout_.owner_of(first), y + first, end - first);
      end = first;
    }
  }

 private:
  std::size_t end_of(std::size_t k) const {
    return std::min(k + layout_.panel, layout_.order());
  }
  /// W (0) or L (1) of panel k below its diagonal block; panels take turns.
  Block<T> panel(std::size_t k, std::size_t which) const {
    const std::size_t turn = k / layout_.panel % 2;
    return {panels_ + (2 * turn + which) * layout_.work(), layout_.order() - end_of(k)};
  }

  /// Eliminates panel k, where it is this owner's: W and L to their places.
  void make(std::size_t k) const {
    if (!layout_.holds(k)) return;
    const std::size_t next = end_of(k), size = next - k, rows = layout_.order() - next;
    const Block<T> diagonal = own_.at(k, k), w = panel(k, 0);
    own_aside_.invert(diagonal, size, w.first);
    if (rows == 0) return;
    const Block<T> l = own_.at(next, k);
    aside_.copy(rows, size, l, w);
    aside_.multiply({rows, size, size, false, false, 1, 0, true}, w, diagonal, l);
    aside_.copy(rows, size, l, panel(k, 1));
  }

  void send(std::size_t k) const {
    const std::size_t next = end_of(k), count = (layout_.order() - next) * (next - k);
    for (const std::size_t which : {0, 1})
      if (count > 0) peers_.send(layout_.owner_of(k), panel(k, which).first, count);
  }

  /// A_ij -= L W^T by panel k for the columns first .. end - 1 that this owner has.
  void update(std::size_t k, std::size_t first, std::size_t end) const {
    const std::size_t order = layout_.order(), next = end_of(k), size = next - k;
    for (std::size_t j = first; j < end;) {
      const std::size_t to = std::min(end, (j / layout_.width + 1) * layout_.width);
      if (layout_.holds(j))
        executor_.multiply({order - j, to - j, size, false, true, -1, 1, true},
                           panel(k, 1).at(j - next, 0), panel(k, 0).at(j - next, 0),
                           own_.at(j, j));
      j = to;
    }
  }

  LdltLayout layout_;
  const Executor &executor_, &aside_;
  const Peers& peers_;
  T* panels_;
  BlockLdlt<T, Executor> own_, own_aside_;
};

}  // namespace thinwire
