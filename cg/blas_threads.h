#pragma once

namespace thinwire {

/// Sets the number of threads of OpenBLAS for a scope. The setting is global: do not use
/// it in two threads at once.
class BlasThreads {
 public:
  explicit BlasThreads(int threads);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

/// For programs, before they do anything: OpenBLAS makes a thread for every core when it
/// is loaded, and again after a call that wanted some; these spin for a tenth of a second
/// and more, so that a short solve on 16 cores takes four times as long (0.17 s for
/// 0.04). From here on they live only while a BlasThreads wants more than one. Does
/// nothing where OpenBLAS has no such threads.
void end_idle_blas_threads();

/// Throws Error{memory} where `ulimit -v` leaves no room for the buffers that OpenBLAS
/// takes for each of so many threads that call it or work for it. OpenBLAS 0.3.21 does
/// not say that it got none: it asks again, forever.
void require_blas_buffers(int threads);

}  // namespace thinwire
