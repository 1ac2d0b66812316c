#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "mom/systems/current_solver.h"

namespace thinwire {

/// All that a CurrentSolver gave at one frequency.
struct RecordedCurrents {
  std::vector<std::vector<Complex>> rhs;  ///< [rhs_count][n], in the order of the calls
  SolverReport report;
  bool keeps_small_loops = false;
};

/// Solves by another solver, and keeps what that gives.
class RecordingSolver final : public CurrentSolver {
 public:
  RecordingSolver(CurrentSolver& solver, RecordedCurrents& kept)
      : solver_(solver), kept_(kept) {}

  std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) override {
    std::vector<std::vector<Complex>> currents = solver_.solve(v);
    kept_.rhs.insert(kept_.rhs.end(), currents.begin(), currents.end());
    kept_.report = solver_.report();
    kept_.keeps_small_loops = solver_.keeps_small_loops();
    return currents;
  }
  void watch(const Monitor& monitor) override { solver_.watch(monitor); }
  void feeds(Complex voltage_v) override { solver_.feeds(voltage_v); }
  const SolverReport& report() const override { return solver_.report(); }
  bool keeps_small_loops() const override { return solver_.keeps_small_loops(); }

 private:
  CurrentSolver& solver_;
  RecordedCurrents& kept_;
};

/// Gives kept currents again, to the same calls.
class ReplayingSolver final : public CurrentSolver {
 public:
  explicit ReplayingSolver(RecordedCurrents kept) : kept_(std::move(kept)) {}

  std::vector<std::vector<Complex>> solve(
      const std::vector<std::vector<Complex>>& v) override {
    std::vector<std::vector<Complex>> currents;
    for (std::size_t i = 0; i < v.size(); ++i)
      currents.push_back(std::move(kept_.rhs.at(given_++)));
    return currents;
  }
  const SolverReport& report() const override { return kept_.report; }
  bool keeps_small_loops() const override { return kept_.keeps_small_loops; }

 private:
  RecordedCurrents kept_;
  std::size_t given_ = 0;
};

}  // namespace thinwire
