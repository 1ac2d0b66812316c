#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mom/optimize/optimize.h"

namespace thinwire {

/// An optimisation that has ended, and what it was of.
struct OptimizationReport {
  std::string deck_name, deck_text;
  std::vector<Variable> variables;
  std::vector<Goal> goals;
  double reference_ohm = 50;
  Optimization result;
  double seconds = 0;

  const Evaluation& best() const { return result.evaluations[result.best]; }
  /// Whether the best keeps a goal that is a bound.
  bool is_met(std::size_t goal) const;
};

/// Variables and goals, at the start and at the best.
std::string optimization_table(const OptimizationReport& report);
std::string optimization_json(const OptimizationReport& report);
/// Every evaluation (docs/optimize.md has the layout). Throws as write_hdf5() does.
void write_optimization_hdf5(const std::filesystem::path& path,
                             const OptimizationReport& report,
                             const std::string& command_line);

}  // namespace thinwire
