#pragma once

#include "kernels/base/error.h"

namespace thinwire {

inline constexpr const char* no_cuda_text =
    "cuda: this build has no CUDA parts. Configure with -DTHINWIRE_CUDA=on, or use "
    "--device cpu.";

/// For the stand-ins of GPU functions in a build without CUDA.
[[noreturn]] inline void throw_no_cuda() {
  throw Error(ErrorKind::device, no_cuda_text);
}

}  // namespace thinwire
