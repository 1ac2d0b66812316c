#include "tests/emulation/fiber.h"

#include <sys/mman.h>

#include "tests/emulation/stop.h"

namespace emulation {
namespace {

constexpr std::size_t stack_bytes = 128 << 10;

}  // namespace

Fiber::~Fiber() {
  if (stack_ != nullptr) munmap(stack_, stack_bytes);
}

void Fiber::begin(void (*function)()) {
  stack_ = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack_ == MAP_FAILED) stop("no memory for the stack of a lane");
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
