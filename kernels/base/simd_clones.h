#pragma once

/// Compiles a function for several instruction sets; the best one is chosen when the
/// program starts. For loops that vectorise, on x86 with GCC; elsewhere, on Windows and
/// under sanitizers it does nothing.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__) && !defined(__CUDACC__)
#define THINWIRE_SIMD_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THINWIRE_SIMD_CLONES
#endif

/// Before a loop whose steps do not depend on each other: `omp simd` for bodies that hold
/// structures within structures, which GCC keeps in memory there and does not vectorise.
#if defined(__GNUC__) && !defined(__clang__)
#define THINWIRE_INDEPENDENT_STEPS _Pragma("GCC ivdep")
#else
#define THINWIRE_INDEPENDENT_STEPS _Pragma("omp simd")
#endif
