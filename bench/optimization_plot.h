#pragma once

#include <string>

#include "io/result/write_optimization.h"

namespace thinwire {

/// SVG: over the evaluations, the smallest objective so far of variants that keep the
/// bounds, and the smallest miss.
std::string optimization_plot(const OptimizationReport& report);

}  // namespace thinwire
