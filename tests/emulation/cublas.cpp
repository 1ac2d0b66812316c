#include <cblas.h>
#include <cublas_v2.h>

#include <complex>
#include <vector>

#include "tests/emulation/stop.h"
#include "tests/emulation/stream.h"

/// The functions of cuBLAS that thinwire calls. As on a GPU, beta = 0 means that what was
/// in the result is not read.
struct cublasContext {
  cudaStream_t stream = nullptr;
};

namespace {

using Single = std::complex<float>;
using Double = std::complex<double>;

CBLAS_TRANSPOSE cblas(cublasOperation_t operation) {
  if (operation == CUBLAS_OP_N) return CblasNoTrans;
  return operation == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

Single number(const cuComplex* z) {
  return {z->x, z->y};
}
Double number(const cuDoubleComplex* z) {
  return {z->x, z->y};
}

/// y becomes zero if beta is: OpenBLAS would keep a NaN.
template <class T, class Cuda>
void clear_if_zero(T beta, Cuda* y, int64_t rows, int64_t columns, int64_t row_step,
                   int64_t column_step) {
  if (beta != T(0)) return;
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) y[i * row_step + j * column_step] = {0, 0};
}

/// Column by column. Element (i, j) of what the operation makes of a matrix.
Single element(cublasOperation_t operation, const Single* a, int64_t lda, int64_t i,
               int64_t j) {
  if (operation == CUBLAS_OP_N) return a[i + j * lda];
  const Single transposed = a[j + i * lda];
  return operation == CUBLAS_OP_T ? transposed : std::conj(transposed);
}

}  // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) {
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusString(cublasStatus_t) {
  return "a status of the emulated cuBLAS";
}

cublasStatus_t cublasZgemv_v2_64(cublasHandle_t handle, cublasOperation_t operation,
                                 int64_t m, int64_t n, const cuDoubleComplex* alpha_at,
                                 const cuDoubleComplex* a, int64_t lda,
                                 const cuDoubleComplex* x, int64_t x_step,
                                 const cuDoubleComplex* beta_at, cuDoubleComplex* y,
                                 int64_t y_step) {
  const Double alpha = number(alpha_at), beta = number(beta_at);
  emulation::submit(handle->stream, [=] {
    clear_if_zero(beta, y, operation == CUBLAS_OP_N ? m : n, 1, y_step, 0);
    cblas_zgemv(CblasColMajor, cblas(operation), m, n, &alpha, a, lda, x, x_step, &beta,
                y, y_step);
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasCgemv_v2_64(cublasHandle_t handle, cublasOperation_t operation,
                                 int64_t m, int64_t n, const cuComplex* alpha_at,
                                 const cuComplex* a, int64_t lda, const cuComplex* x,
                                 int64_t x_step, const cuComplex* beta_at, cuComplex* y,
                                 int64_t y_step) {
  const Single alpha = number(alpha_at), beta = number(beta_at);
  emulation::submit(handle->stream, [=] {
    clear_if_zero(beta, y, operation == CUBLAS_OP_N ? m : n, 1, y_step, 0);
    cblas_cgemv(CblasColMajor, cblas(operation), m, n, &alpha, a, lda, x, x_step, &beta,
                y, y_step);
  });
  return CUBLAS_STATUS_SUCCESS;
}
/// BLAS has no product with a complex symmetric matrix.
cublasStatus_t cublasZsymv_v2_64(cublasHandle_t handle, cublasFillMode_t stored,
                                 int64_t n, const cuDoubleComplex* alpha_at,
                                 const cuDoubleComplex* a, int64_t lda,
                                 const cuDoubleComplex* x, int64_t x_step,
                                 const cuDoubleComplex* beta_at, cuDoubleComplex* y,
                                 int64_t y_step) {
  const Double alpha = number(alpha_at), beta = number(beta_at);
  emulation::submit(handle->stream, [=] {
    clear_if_zero(beta, y, n, 1, y_step, 0);
    const bool lower = stored == CUBLAS_FILL_MODE_LOWER;
    for (int64_t i = 0; i < n; ++i) {
      Double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += number((i >= j) == lower ? a + i + j * lda : a + j + i * lda) *
               number(x + j * x_step);
      const Double product = alpha * sum + beta * number(y + i * y_step);
      y[i * y_step] = {product.real(), product.imag()};
    }
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasCgeam_64(cublasHandle_t handle, cublasOperation_t a_operation,
                              cublasOperation_t b_operation, int64_t m, int64_t n,
                              const cuComplex* alpha_at, const cuComplex* a, int64_t lda,
                              const cuComplex* beta_at, const cuComplex* b, int64_t ldb,
                              cuComplex* c, int64_t ldc) {
  const Single alpha = number(alpha_at), beta = number(beta_at);
  emulation::submit(handle->stream, [=] {
    const auto* const from_a = reinterpret_cast<const Single*>(a);
    const auto* const from_b = reinterpret_cast<const Single*>(b);
    auto* const sum = reinterpret_cast<Single*>(c);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        Single value = 0;
        if (alpha != Single(0)) value += alpha * element(a_operation, from_a, lda, i, j);
        if (beta != Single(0)) value += beta * element(b_operation, from_b, ldb, i, j);
        sum[i + j * ldc] = value;
      }
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t a_operation,
                               cublasOperation_t b_operation, int64_t m, int64_t n,
                               int64_t k, const void* alpha_at, const void* a,
                               cudaDataType a_type, int64_t lda, const void* b,
                               cudaDataType, int64_t ldb, const void* beta_at, void* c,
                               cudaDataType, int64_t ldc, cublasComputeType_t,
                               cublasGemmAlgo_t) {
  if (a_type != CUDA_C_32F) emulation::stop("cublasGemmEx of other than complex single");
  const Single alpha = *static_cast<const Single*>(alpha_at);
  const Single beta = *static_cast<const Single*>(beta_at);
  emulation::submit(handle->stream, [=] {
    if (m == 0 || n == 0) return;
    clear_if_zero(beta, static_cast<cuComplex*>(c), m, n, 1, ldc);
    cblas_cgemm(CblasColMajor, cblas(a_operation), cblas(b_operation), m, n, k, &alpha, a,
                lda, b, ldb, &beta, c, ldc);
  });
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasCgemmStridedBatched(
    cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
    int m, int n, int k, const cuComplex* alpha_at, const cuComplex* a, int lda,
    long long a_step, const cuComplex* b, int ldb, long long b_step,
    const cuComplex* beta_at, cuComplex* c, int ldc, long long c_step, int count) {
  const Single alpha = number(alpha_at), beta = number(beta_at);
  emulation::submit(handle->stream, [=] {
    for (int q = 0; q < count; ++q) {
      clear_if_zero(beta, c + q * c_step, m, n, 1, ldc);
      cblas_cgemm(CblasColMajor, cblas(a_operation), cblas(b_operation), m, n, k, &alpha,
                  a + q * a_step, lda, b + q * b_step, ldb, &beta, c + q * c_step, ldc);
    }
  });
  return CUBLAS_STATUS_SUCCESS;
}
