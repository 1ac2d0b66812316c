#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>

namespace emulation {

/// A function with a stack of its own, which stops in the middle and goes on later. It
/// stays on the thread that first ran it.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs `function` from its beginning, again and again, to where it calls suspend(). To
  /// return from it would end the thread.
  void resume(void (*function)());
  /// Back to who called resume().
  void suspend();

 private:
  void begin(void (*function)());

  void* stack_ = nullptr;
  ucontext_t first_;  // only to begin: it costs two system calls
  jmp_buf fiber_, caller_;
};

}  // namespace emulation
