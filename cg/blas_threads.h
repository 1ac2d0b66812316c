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

}  // namespace thinwire
