#pragma once

namespace thinwire::test {

/// Makes every block that this thread allocates, in C, C++ or Fortran, end at an
/// unreadable page for as long as the object lives, so that access behind the block
/// raises SIGSEGV. A block whose size is no multiple of 16 bytes has a gap of less than
/// 16 bytes.
class GuardedMalloc {
 public:
  GuardedMalloc();
  ~GuardedMalloc();
  GuardedMalloc(const GuardedMalloc&) = delete;
  GuardedMalloc& operator=(const GuardedMalloc&) = delete;
};

}  // namespace thinwire::test
