#pragma once

/// Marks a function that is compiled for the CPU and, by nvcc, for the GPU too.
#if defined(__CUDACC__)
#define THINWIRE_HD __host__ __device__
#else
#define THINWIRE_HD
#endif

/// Marks a small function that must be inlined for the loop around its call to vectorise.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define THINWIRE_INLINE __attribute__((always_inline)) inline
#else
#define THINWIRE_INLINE inline
#endif
