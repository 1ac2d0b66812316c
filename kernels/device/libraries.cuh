#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <string>

#include "kernels/base/error.h"
#include "kernels/device/device.h"

namespace thinwire {

/// Caller of a library, for its errors.
struct LibraryUse {
  const char* where;
  const char* way_out;  ///< a sentence
};

[[noreturn]] inline void throw_library_error(const LibraryUse& use, const char* call,
                                             const std::string& status, bool memory) {
  throw Error(
      memory ? ErrorKind::memory : ErrorKind::device,
      std::string(use.where) + ": " + call + " failed (" + status + "). " + use.way_out);
}
inline void check_cublas(const LibraryUse& use, cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw_library_error(use, call, cublasGetStatusString(status),
                        status == CUBLAS_STATUS_ALLOC_FAILED);
}
inline void check_cusolver(const LibraryUse& use, cusolverStatus_t status,
                           const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS)
    throw_library_error(use, call, "status " + std::to_string(static_cast<int>(status)),
                        status == CUSOLVER_STATUS_ALLOC_FAILED);
}

/// A cuBLAS handle on a stream.
class Cublas {
 public:
  Cublas(const DeviceStream& stream, const LibraryUse& use) {
    check_cublas(use, cublasCreate(&handle_), "cublasCreate");
    check_cublas(use, cublasSetStream(handle_, stream.get()), "cublasSetStream");
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
  Cusolver(const DeviceStream& stream, const LibraryUse& use) {
    check_cusolver(use, cusolverDnCreate(&handle_), "cusolverDnCreate");
    check_cusolver(use, cusolverDnSetStream(handle_, stream.get()),
                   "cusolverDnSetStream");
    check_cusolver(use, cusolverDnCreateParams(&params_), "cusolverDnCreateParams");
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
