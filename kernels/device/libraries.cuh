#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <string>

#include "kernels/base/error.h"
#include "kernels/device/device.h"

namespace thinwire {

inline void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(
        status == CUBLAS_STATUS_ALLOC_FAILED ? ErrorKind::memory : ErrorKind::device,
        std::string("direct solver: ") + call + " failed (" +
            cublasGetStatusString(status) + "). Use an iterative solver.");
}
inline void check_cusolver(cusolverStatus_t status, const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw Error(
        status == CUSOLVER_STATUS_ALLOC_FAILED ? ErrorKind::memory : ErrorKind::device,
        std::string("direct solver: ") + call + " failed (status " +
            std::to_string(static_cast<int>(status)) + "). Use an iterative solver.");
}

/// A cuBLAS handle on a stream.
class Cublas {
 public:
  explicit Cublas(const DeviceStream& stream) {
    check_cublas(cublasCreate(&handle_), "cublasCreate");
    check_cublas(cublasSetStream(handle_, stream.get()), "cublasSetStream");
  }
  ~Cublas() { (void)cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

class Cusolver {
 public:
  explicit Cusolver(const DeviceStream& stream) {
    check_cusolver(cusolverDnCreate(&handle_), "cusolverDnCreate");
    check_cusolver(cusolverDnSetStream(handle_, stream.get()), "cusolverDnSetStream");
    check_cusolver(cusolverDnCreateParams(&params_), "cusolverDnCreateParams");
  }
  ~Cusolver() {
    (void)cusolverDnDestroyParams(params_);
    (void)cusolverDnDestroy(handle_);
  }
  Cusolver(const Cusolver&) = delete;
  Cusolver& operator=(const Cusolver&) = delete;
  cusolverDnHandle_t get() const { return handle_; }
  cusolverDnParams_t params() const { return params_; }

 private:
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
};

}  // namespace thinwire
