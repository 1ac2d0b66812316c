#pragma once

#include <memory>
#include <span>

#include "cg/krylov/device_executor.cuh"

namespace thinwire::device {

class IterationGraph;

/// Runs a recurrence on a GPU, cycle by cycle, while the CPU looks on.
class DeviceCycles {
 public:
  /// `placement`: resident or graph.
  DeviceCycles(DeviceRecurrence& recurrence, Placement placement);
  ~DeviceCycles();

  /// As Cycle says (iteration.h), from the residuals in the machine. When Iteration
  /// throws Error{interrupted}, `current` holds the last sound iterates.
  void run(std::span<SolveRhs> all_rhs);

  /// Iterations that the GPU may be given before the CPU sees the end.
  static int ahead(Placement placement);

 private:
  DeviceRecurrence& recurrence_;
  Placement placement_;
  std::unique_ptr<IterationGraph> graph_;  // once one is needed
};

}  // namespace thinwire::device
