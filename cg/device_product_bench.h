#pragma once

#include <memory>
#include <string>

#include "kernels/device_tiles.h"
#include "kernels/run_times.h"

namespace thinwire {

/// Times of matrix-vector products on the current GPU: the paper's kernel (row_gemv.h),
/// cuBLAS, and the symmetric product of the solvers. By events on the GPU, each product
/// once before its first timed run; the matrix is of random numbers.
class DeviceProductBench {
 public:
  /// n x n, n >= 1; repeats >= 1. Throws Error{memory} when the full matrix, 16 n^2
  /// bytes, does not fit; Error{device}.
  DeviceProductBench(std::size_t n, int repeats);
  ~DeviceProductBench();

  std::size_t size() const;
  /// n rounded up to a multiple of 8: the leading dimension of a padded matrix.
  std::size_t padded() const { return (size() + 7) / 8 * 8; }

  /// One thread a row, `threads` a block (1 .. 1024).
  RunTimes row(int threads, bool pad, bool transposed);
  /// cublasZgemv on the whole matrix.
  RunTimes cublas_gemv(bool transposed);
  /// cublasZsymv; with atomics, results differ from run to run.
  RunTimes cublas_symv(bool atomics);
  /// Ours, for 1 or 4 right-hand sides, with that many runs a block (symv_runs.h; 0: as
  /// set).
  RunTimes symmetric(Storage storage, int sides, int runs_per_block);
  /// A vector of n from pageable host memory to the GPU and back.
  RunTimes vector_round_trip();
  /// The half of the matrix that is stored, in double, from host to GPU. Allocates as
  /// much on the host.
  RunTimes matrix_upload();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace thinwire
