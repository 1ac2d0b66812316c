#pragma once

/// Included before every translated source: what nvcc knows without an include.

// Before what follows: these declare with CUDA's own words, and know a compiler without
// CUDA from nvcc.
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cusolverDn.h>
#include <cusparse.h>

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __launch_bounds__
#undef __grid_constant__
#undef __forceinline__
#undef __align__
#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__
#define __align__(bytes) __attribute__((aligned(bytes)))
// Blocks that run at once are on threads of their own.
#define __shared__ static thread_local

#define __CUDACC__ 1
#define __CUDA_ARCH_LIST__ 800

#include "tests/emulation/atomics.h"
#include "tests/emulation/intrinsics.h"
#include "tests/emulation/launch.h"
#include "tests/emulation/warp.h"
