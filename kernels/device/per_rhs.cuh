#pragma once

namespace thinwire::device {

/// Operations of a kernel on each of several right-hand sides: blocks with blockIdx.y = s
/// work on right-hand side s. Kernels take it as `const __grid_constant__`, so that
/// choosing copies nothing; with one there is nothing to choose.
template <class Op, int RhsCount>
struct PerRhs {
  Op op[RhsCount];
  __device__ const Op& here() const { return op[RhsCount == 1 ? 0 : blockIdx.y]; }
};

}  // namespace thinwire::device
