#pragma once

#include <driver_types.h>

#include <memory>
#include <vector>

#include "tests/emulation/stream.h"

namespace emulation {

/// Decides of a node whether, or whether again, its body runs.
struct Conditional;

}  // namespace emulation

/// Tasks in the order in which they were captured: streams that are captured together run
/// one after another.
struct CUgraph_st {
  std::vector<emulation::Task> tasks;
  std::vector<std::shared_ptr<emulation::Conditional>> conditionals;
};
