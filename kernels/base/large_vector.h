#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace thinwire {

/// Memory in huge pages where there is much of it: touched for the first time, small
/// pages take longer than most loops over what is in them.
template <class T>
class LargeAllocator {
 public:
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) {}  // NOLINT: converts, as allocators do

  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / (2 * sizeof(T))) throw std::bad_alloc();
    const std::size_t bytes = count * sizeof(T);
    if (bytes < large) return static_cast<T*>(::operator new(bytes));
    void* memory = ::operator new (bytes, std::align_val_t{page});
    // Advice: what comes of it is none of the caller's business.
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < large)
      ::operator delete(memory);
    else
      ::operator delete (memory, std::align_val_t{page});
  }

  /// Elements without a value stay as the memory was: threads write them side by side.
  template <class U>
  void construct(U*) {
    static_assert(std::is_trivially_copyable_v<U>);
  }
  template <class U, class... Arguments>
  void construct(U* where, Arguments&&... arguments) {
    ::new (static_cast<void*>(where)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const LargeAllocator&) const { return true; }

 private:
  static constexpr std::size_t page = std::size_t{2} << 20, large = 2 * page;
};

/// A vector for millions of elements. resize(n) and the constructor from a count leave
/// new elements without a value; assign(n, value) gives them one.
template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace thinwire
