#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>

namespace thinwire {

/// Keeps the exception of the first frequency that failed, in their order, when threads
/// solve several: the same whatever the threads do.
class FirstFailure {
 public:
  void keep(std::size_t index) {
#pragma omp critical(thinwire_first_failure)
    if (index < index_) {
      thrown_ = std::current_exception();
      index_ = index;
    }
  }
  /// True if a frequency before this one has failed: it need not be solved any more.
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
