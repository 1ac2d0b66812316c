#include "tests/guarded/guarded_malloc.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

// glibc's own allocator under the names that it keeps for programs which replace it.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

thread_local bool guarding = false;

/// Guarded blocks come from this range of addresses, each used once, so that free() knows
/// them and a use after free() is caught too.
struct Range {
  static constexpr std::size_t size = std::size_t{1} << 40;
  std::uintptr_t begin, next;

  Range() {
    void* memory = mmap(nullptr, size, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    begin = next = memory == MAP_FAILED ? 0 : reinterpret_cast<std::uintptr_t>(memory);
  }
  bool holds(const void* p) const {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return begin != 0 && address >= begin && address < begin + size;
  }
};

Range& range() {
  static Range the_range;
  return the_range;
}

std::size_t page_size() {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return page;
}

/// The size that was asked for, kept on a page of its own in front of each block.
std::size_t& size_of(void* p) {
  const std::uintptr_t page = page_size();
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(p) / page * page;
  return *reinterpret_cast<std::size_t*>(first - page);
}

/// A block that ends at a page without access, or null.
void* guarded(std::size_t bytes, std::size_t alignment) {
  const std::size_t page = page_size();
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  const std::size_t pages = (whole + page - 1) / page;
  Range& r = range();
  if (r.begin == 0 || r.next + (pages + 2) * page > r.begin + Range::size) return nullptr;
  const std::uintptr_t start = r.next;
  r.next += (pages + 2) * page;
  if (mprotect(reinterpret_cast<void*>(start), (pages + 1) * page,
               PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  void* block = reinterpret_cast<void*>(start + (pages + 1) * page - whole);
  *reinterpret_cast<std::size_t*>(start) = bytes;
  return block;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  return guarding ? guarded(bytes, 16) : __libc_malloc(bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  return guarding ? guarded(bytes, alignment) : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}

int posix_memalign(void** p, std::size_t alignment, std::size_t bytes) {
  *p = memalign(alignment, bytes);
  return *p == nullptr ? ENOMEM : 0;
}

void* calloc(std::size_t count, std::size_t bytes) {
  return guarding ? malloc(count * bytes)
                  : __libc_calloc(count, bytes);  // pages are zero
}

void free(void* p) {
  if (!range().holds(p)) return __libc_free(p);
  std::size_t& size = size_of(p);
  const std::size_t length = page_size() + size;
  madvise(&size, length, MADV_DONTNEED);
  mprotect(&size, length, PROT_NONE);
}

void* realloc(void* p, std::size_t bytes) {
  if (!range().holds(p)) {
    if (p != nullptr || !guarding) return __libc_realloc(p, bytes);
    return malloc(bytes);
  }
  void* moved = malloc(bytes);
  if (moved != nullptr) std::memcpy(moved, p, bytes < size_of(p) ? bytes : size_of(p));
  free(p);
  return moved;
}
}

namespace thinwire::test {

GuardedMalloc::GuardedMalloc() {
  range();
  guarding = true;
}
GuardedMalloc::~GuardedMalloc() {
  guarding = false;
}

}  // namespace thinwire::test
