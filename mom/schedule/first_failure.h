#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>

namespace thinwire {

/// Of frequencies that threads solve, what the first that failed threw, first in their
/// order: the same whatever the threads do.
class FirstFailure {
 public:
  void keep(std::size_t index) {
#pragma omp critical(thinwire_first_failure)
    if (index < index_) {
      thrown_ = std::current_exception();
      index_ = index;
    }
  }
  /// Those after it need not be solved, those before it may still fail.
  bool is_before(std::size_t index) const {
    return index_ < index;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
  std::atomic<std::size_t> index_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace thinwire
