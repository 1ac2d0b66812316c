#include <cusolverDn.h>
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "tests/emulation/stream.h"

/// LU by LAPACK, in the two interfaces of cuSOLVER that thinwire calls.
struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};

namespace {

using Single = lapack_complex_float;
using Double = lapack_complex_double;

char letter(cublasOperation_t operation) {
  if (operation == CUBLAS_OP_N) return 'N';
  return operation == CUBLAS_OP_T ? 'T' : 'C';
}

int factor(cudaDataType type, int m, int n, void* a, int lda, int* pivots) {
  if (type == CUDA_C_64F)
    return LAPACKE_zgetrf(LAPACK_COL_MAJOR, m, n, static_cast<Double*>(a), lda, pivots);
  return LAPACKE_cgetrf(LAPACK_COL_MAJOR, m, n, static_cast<Single*>(a), lda, pivots);
}

int solve(cudaDataType type, cublasOperation_t operation, int n, int sides, const void* a,
          int lda, const int* pivots, void* b, int ldb) {
  if (type == CUDA_C_64F)
    return LAPACKE_zgetrs(LAPACK_COL_MAJOR, letter(operation), n, sides,
                          static_cast<const Double*>(a), lda, pivots,
                          static_cast<Double*>(b), ldb);
  return LAPACKE_cgetrs(LAPACK_COL_MAJOR, letter(operation), n, sides,
                        static_cast<const Single*>(a), lda, pivots,
                        static_cast<Single*>(b), ldb);
}

}  // namespace

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new cusolverDnContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* parameters) {
  *parameters = nullptr;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t) {
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t,
                                             int64_t, int64_t, cudaDataType, const void*,
                                             int64_t, cudaDataType, size_t* device_bytes,
                                             size_t* host_bytes) {
  *device_bytes = *host_bytes = 1;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t,
                                  int64_t m, int64_t n, cudaDataType type, void* a,
                                  int64_t lda, int64_t* pivots, cudaDataType, void*,
                                  size_t, void*, size_t, int* info) {
  emulation::submit(handle->stream, [=] {
    std::vector<int> rows(std::min(m, n));
    *info = factor(type, m, n, a, lda, rows.data());
    std::ranges::copy(rows, pivots);
  });
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t,
                                  cublasOperation_t operation, int64_t n, int64_t sides,
                                  cudaDataType type, const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType, void* b,
                                  int64_t ldb, int* info) {
  emulation::submit(handle->stream, [=] {
    const std::vector<int> rows(pivots, pivots + n);
    *info = solve(type, operation, n, sides, a, lda, rows.data(), b, ldb);
  });
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnZgetrf_bufferSize(cusolverDnHandle_t, int, int,
                                             cuDoubleComplex*, int, int* work) {
  *work = 1;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnZgetrf(cusolverDnHandle_t handle, int m, int n,
                                  cuDoubleComplex* a, int lda, cuDoubleComplex*,
                                  int* pivots, int* info) {
  emulation::submit(handle->stream,
                    [=] { *info = factor(CUDA_C_64F, m, n, a, lda, pivots); });
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnZgetrs(cusolverDnHandle_t handle, cublasOperation_t operation,
                                  int n, int sides, const cuDoubleComplex* a, int lda,
                                  const int* pivots, cuDoubleComplex* b, int ldb,
                                  int* info) {
  emulation::submit(handle->stream, [=] {
    *info = solve(CUDA_C_64F, operation, n, sides, a, lda, pivots, b, ldb);
  });
  return CUSOLVER_STATUS_SUCCESS;
}
