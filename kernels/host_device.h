#pragma once

/// Marks a function that is compiled for the CPU and, by nvcc, for the GPU too.
#if defined(__CUDACC__)
#define THINWIRE_HD __host__ __device__
#else
#define THINWIRE_HD
#endif
