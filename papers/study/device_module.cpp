// Entry of the CUDA module for the papers' studies.
#include "papers/study/gpu.h"

extern "C" __attribute__((visibility("default"))) const thinwire::PapersGpu*
thinwire_papers_gpu() {
  static constexpr thinwire::PapersGpu gpu = {
      thinwire::make_device_sparse_bench, thinwire::device_sparse_gmres,
      thinwire::make_device_assembly_bench, thinwire::make_shared_assembly,
      thinwire::device_elastic_solve};
  return &gpu;
}
