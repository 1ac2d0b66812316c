#include "papers/study/gpu.h"

#include "mom/gpu/gpu.h"

namespace thinwire {

const PapersGpu& require_papers_gpu() {
  using Entry = const PapersGpu*();
  return *reinterpret_cast<Entry*>(require_gpu_function(papers_gpu_entry_name))();
}

}  // namespace thinwire
