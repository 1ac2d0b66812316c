#pragma once

#include <memory>
#include <string>

#include "kernels/base/run_times.h"
#include "kernels/matrix/symv_shapes.h"
#include "kernels/matrix/tiles.h"

namespace thinwire {

/// Times of matrix-vector products on a GPU: the paper's kernel (row_gemv.h), cuBLAS, and
/// the symmetric product of the solvers; and of what has to travel there.
class ProductBench {
 public:
  virtual ~ProductBench() = default;

  virtual std::size_t size() const = 0;
  /// n rounded up to a multiple of 8: the leading dimension of a padded matrix.
  std::size_t padded() const { return (size() + 7) / 8 * 8; }

  /// One thread a row, `threads` a block (1 .. 1024).
  virtual RunTimes row(int threads, bool pad, bool transposed) = 0;
  /// cublasZgemv on the whole matrix.
  virtual RunTimes cublas_gemv(bool transposed) = 0;
  /// cublasZsymv; with atomics, results differ from run to run.
  virtual RunTimes cublas_symv(bool atomics) = 0;
  /// Ours, for 1 or 4 right-hand sides.
  virtual RunTimes symmetric(Storage storage, int rhs_count, SymvSetting setting) = 0;
  /// A vector of n from pageable host memory to the GPU and back.
  virtual RunTimes vector_round_trip() = 0;
  /// The half of the matrix that is stored, in double, from host to GPU. Allocates as
  /// much on the host.
  virtual RunTimes matrix_upload() = 0;
};

/// Times products on the current GPU, by events there, each product once before its first
/// timed run; the matrix consists of random numbers.
class DeviceProductBench final : public ProductBench {
 public:
  /// n x n, n >= 1; repeats >= 1. Throws Error{memory} when the full matrix, 16 n^2
  /// bytes, does not fit; Error{device}.
  DeviceProductBench(std::size_t n, int repeats);
  ~DeviceProductBench() override;

  std::size_t size() const override;
  RunTimes row(int threads, bool pad, bool transposed) override;
  RunTimes cublas_gemv(bool transposed) override;
  RunTimes cublas_symv(bool atomics) override;
  RunTimes symmetric(Storage storage, int rhs_count, SymvSetting setting) override;
  RunTimes vector_round_trip() override;
  RunTimes matrix_upload() override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace thinwire
