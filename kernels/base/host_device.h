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

/// Marks a function that a GPU calls instead of inlining it, and a loop that it does not
/// unroll. A kernel whose code outgrows the instruction cache waits for its instructions.
#if defined(__CUDACC__)
#define THINWIRE_APART __noinline__
#define THINWIRE_ROLLED _Pragma("unroll 1")
#else
#define THINWIRE_APART
#define THINWIRE_ROLLED
#endif
