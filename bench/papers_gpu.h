#pragma once

#include "cg/krylov/elastic_solve.h"
#include "cg/krylov/sparse_gmres.h"
#include "kernels/assembly/assembly_bench.h"
#include "kernels/assembly/shares.h"
#include "kernels/spmv/sparse_bench.h"

namespace thinwire {

/// The functions of the papers' studies that need CUDA. They work on the GPU in use. The
/// CUDA module exports a function that returns them, beside the one that returns its Gpu
/// (mom/gpu/gpu.h).
struct PapersGpu {
  decltype(&make_device_sparse_bench) sparse_bench;
  decltype(&device_sparse_gmres) sparse_gmres;
  decltype(&make_device_assembly_bench) assembly_bench;
  decltype(&make_shared_assembly) shared_assembly;
  decltype(&device_elastic_solve) elastic_solve;
};

/// Returns the module's. Throws Error{device} where there is no CUDA module.
const PapersGpu& require_papers_gpu();

inline constexpr const char* papers_gpu_entry_name = "thinwire_papers_gpu";

}  // namespace thinwire
