#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mom/optimize/optimize.h"

namespace thinwire {

/// An optimisation that has ended, and what it was of.
struct OptimizationReport {
  std::string deck_name, deck_text;
  std::string deck_dialect = "auto", deck_patches = "refuse";  ///< as Problem has them
  std::vector<Variable> variables;
  std::vector<Goal> goals;
  double reference_ohm = 50;
  Optimization result;
  double seconds = 0;
  std::vector<std::string> warnings;  ///< of the best variant and of the search

  const Evaluation& best() const { return result.evaluations[result.best]; }
  /// Whether the best keeps a goal that is a bound.
  bool is_met(std::size_t goal) const;
};

/// Returns the warnings about the search and its best variant, a line each. options: of
/// each solve.
std::vector<std::string> search_warnings(const OptimizationReport& report,
                                         const Options& options);

/// Predicted cost of an optimisation at most, from one evaluation.
struct OptimizationPlan {
  std::size_t unknowns = 0, frequencies = 0, evaluations = 0;
  int side_by_side = 1;      ///< evaluations at once
  bool derivatives = false;  ///< with those of the goals, as the search takes them
  double seconds_each = 0;   ///< of an evaluation
  double seconds_limit = 0;  ///< of the search; 0: none

  double seconds() const;
};

std::string plan_table(const OptimizationPlan& plan);
std::string plan_json(const OptimizationPlan& plan);

/// Variables and goals, at the start and at the best.
std::string optimization_table(const OptimizationReport& report);
std::string optimization_json(const OptimizationReport& report);
/// Every evaluation (docs/guide/optimize.md has the layout). Throws as write_hdf5() does.
void write_optimization_hdf5(const std::filesystem::path& path,
                             const OptimizationReport& report,
                             const std::string& command_line);

}  // namespace thinwire
