#pragma once

#include "papers/assembly/assembly_bench.h"
#include "papers/assembly/elastic_solve.h"
#include "papers/assembly/shares.h"
#include "papers/sparse/sparse_bench.h"
#include "papers/sparse/sparse_gmres.h"

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
