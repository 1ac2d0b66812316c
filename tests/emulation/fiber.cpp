#include "tests/emulation/fiber.h"

#include <sys/mman.h>

#include <mutex>
#include <vector>

#include "tests/emulation/stop.h"

namespace emulation {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

/// Stacks of threads that have ended. Streams come and go, and pages of new stacks would
/// cost more than short kernels.
class FreeStacks {
 public:
  void* take() {
    const std::lock_guard lock(mutex_);
    if (stacks_.empty()) return map();
    void* const stack = stacks_.back();
    stacks_.pop_back();
    return stack;
  }
  void give(void* stack) {
    const std::lock_guard lock(mutex_);
    stacks_.push_back(stack);
  }

 private:
  static void* map() {
    void* const stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) stop("no memory for the stack of a lane");
    return stack;
  }

  std::mutex mutex_;
  std::vector<void*> stacks_;
};

/// Never deleted: the threads of default streams outlive main().
FreeStacks& free_stacks() {
  static auto& only = *new FreeStacks;
  return only;
}

}  // namespace

Fiber::~Fiber() {
  if (stack_ != nullptr) free_stacks().give(stack_);
}

void Fiber::begin(void (*function)()) {
  stack_ = free_stacks().take();
  getcontext(&first_);
  first_.uc_stack.ss_sp = stack_;
  first_.uc_stack.ss_size = stack_bytes;
  first_.uc_link = nullptr;
  makecontext(&first_, function, 0);
  setcontext(&first_);
}

void Fiber::resume(void (*function)()) {
  if (_setjmp(caller_) != 0) return;
  if (stack_ == nullptr) begin(function);
  _longjmp(fiber_, 1);
}

void Fiber::suspend() {
  if (_setjmp(fiber_) == 0) _longjmp(caller_, 1);
}

}  // namespace emulation
