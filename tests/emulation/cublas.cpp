#include <cblas.h>
#include <cublas_v2.h>

#include <complex>
#include <type_traits>
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
template <class T>
T element(cublasOperation_t operation, const T* a, int64_t lda, int64_t i, int64_t j) {
  if (operation == CUBLAS_OP_N) return a[i + j * lda];
  const T transposed = a[j + i * lda];
  return operation == CUBLAS_OP_T ? transposed : std::conj(transposed);
}

template <class T, class Cuda>
cublasStatus_t add(cublasHandle_t handle, cublasOperation_t a_operation,
                   cublasOperation_t b_operation, int64_t m, int64_t n, T alpha,
                   const Cuda* a, int64_t lda, T beta, const Cuda* b, int64_t ldb,
                   Cuda* c, int64_t ldc) {
  emulation::submit(handle->stream, [=] {
    const auto* const from_a = reinterpret_cast<const T*>(a);
    const auto* const from_b = reinterpret_cast<const T*>(b);
    auto* const sum = reinterpret_cast<T*>(c);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < m; ++i) {
        T value = 0;
        if (alpha != T(0)) value += alpha * element(a_operation, from_a, lda, i, j);
        if (beta != T(0)) value += beta * element(b_operation, from_b, ldb, i, j);
        sum[i + j * ldc] = value;
      }
  });
  return CUBLAS_STATUS_SUCCESS;
}

/// `count` products of matrices that lie so many entries apart.
template <class T, class Cuda>
cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t a_operation,
                        cublasOperation_t b_operation, int64_t m, int64_t n, int64_t k,
                        const void* alpha_at, const void* a, int64_t lda, int64_t a_step,
                        const void* b, int64_t ldb, int64_t b_step, const void* beta_at,
                        void* c, int64_t ldc, int64_t c_step, int count) {
  const T alpha = *static_cast<const T*>(alpha_at),
          beta = *static_cast<const T*>(beta_at);
  emulation::submit(handle->stream, [=] {
    if (m == 0 || n == 0) return;
    constexpr auto gemm = std::is_same_v<T, Single> ? cblas_cgemm : cblas_zgemm;
    for (int q = 0; q < count; ++q) {
      auto* const to = static_cast<Cuda*>(c) + q * c_step;
      clear_if_zero(beta, to, m, n, 1, ldc);
      gemm(CblasColMajor, cblas(a_operation), cblas(b_operation), m, n, k, &alpha,
           static_cast<const Cuda*>(a) + q * a_step, lda,
           static_cast<const Cuda*>(b) + q * b_step, ldb, &beta, to, ldc);
    }
  });
  return CUBLAS_STATUS_SUCCESS;
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
                              const cuComplex* alpha, const cuComplex* a, int64_t lda,
                              const cuComplex* beta, const cuComplex* b, int64_t ldb,
                              cuComplex* c, int64_t ldc) {
  return add(handle, a_operation, b_operation, m, n, number(alpha), a, lda, number(beta),
             b, ldb, c, ldc);
}
cublasStatus_t cublasZgeam_64(cublasHandle_t handle, cublasOperation_t a_operation,
                              cublasOperation_t b_operation, int64_t m, int64_t n,
                              const cuDoubleComplex* alpha, const cuDoubleComplex* a,
                              int64_t lda, const cuDoubleComplex* beta,
                              const cuDoubleComplex* b, int64_t ldb, cuDoubleComplex* c,
                              int64_t ldc) {
  return add(handle, a_operation, b_operation, m, n, number(alpha), a, lda, number(beta),
             b, ldb, c, ldc);
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t a_operation, cublasOperation_t b_operation,
    int m, int n, int k, const void* alpha, const void* a, cudaDataType type, int lda,
    long long a_step, const void* b, cudaDataType, int ldb, long long b_step,
    const void* beta, void* c, cudaDataType, int ldc, long long c_step, int count,
    cublasComputeType_t, cublasGemmAlgo_t) {
  const auto by = type == CUDA_C_32F ? multiply<Single, cuComplex>
                                     : multiply<Double, cuDoubleComplex>;
  return by(handle, a_operation, b_operation, m, n, k, alpha, a, lda, a_step, b, ldb,
            b_step, beta, c, ldc, c_step, count);
}
cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t a_operation,
                               cublasOperation_t b_operation, int64_t m, int64_t n,
                               int64_t k, const void* alpha, const void* a,
                               cudaDataType type, int64_t lda, const void* b,
                               cudaDataType, int64_t ldb, const void* beta, void* c,
                               cudaDataType, int64_t ldc, cublasComputeType_t,
                               cublasGemmAlgo_t) {
  const auto by = type == CUDA_C_32F ? multiply<Single, cuComplex>
                                     : multiply<Double, cuDoubleComplex>;
  return by(handle, a_operation, b_operation, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta,
            c, ldc, 0, 1);
}
