#pragma once

#include <cblas.h>

namespace thinwire {

/// Sets the number of threads of OpenBLAS for a scope. The setting is global: do not use
/// it in two threads at once.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) : before_(openblas_get_num_threads()) {
    openblas_set_num_threads(threads);
  }
  ~BlasThreads() { openblas_set_num_threads(before_); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

/// Throws Error{memory} where `ulimit -v` leaves no room for the buffers that OpenBLAS
/// takes for each of so many threads that call it or work for it. OpenBLAS 0.3.21 does
/// not say that it got none: it asks again, forever.
void require_blas_buffers(int threads);

}  // namespace thinwire
