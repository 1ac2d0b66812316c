#include "mom/schedule/frequency_solver.h"

#include <utility>

#include <fmt/format.h>

#include "kernels/base/stopwatch.h"
#include "mom/problem/stored_matrix.h"
#include "mom/schedule/frequency_results.h"

namespace thinwire {
namespace {

/// For the progress line: the part of a frequency's work that the matrix and its solution
/// take; the rest are fields. Incident waves take nearly all of the work.
constexpr double solved_share = 0.9, solved_share_of_waves = 0.1;

}  // namespace

FrequencyOutcome FrequencySolver::solve(std::size_t run_index, double frequency_hz,
                                        const Monitor& monitor, RecordedCurrents* kept) {
  outcome_ = {};
  const Run& run = context_.run(run_index);
  const double share = run.waves ? solved_share_of_waves : solved_share;
  const Monitor solving = monitor.part(0, share);
  prepare(run_index, frequency_hz, solving);
  if (!run.matrix_file.empty()) outcome_.stored = stored_matrix(run, frequency_hz);
  if (!run.sources.empty() || run.waves) {
    system_->start(solving);
    RecordedCurrents not_wanted;
    RecordingSolver keeping(*system_, kept ? *kept : not_wanted);
    CurrentSolver& solver = kept ? static_cast<CurrentSolver&>(keeping) : *system_;
    add_results(context_, {run_index, frequency_hz, *load_model_, solver, {}},
                monitor.part(share, 1), outcome_);
  }
  return std::exchange(outcome_, {});
}

/// The system of a run's structure and frequencies: that of the run before where both
/// agree in these.
void FrequencySolver::take_system(std::size_t run) {
  const SystemInput input = context_.system_input(run);
  if (system_ && context_.meshes().same(system_run_, run) && input.wavenumbers == range_)
    return;
  system_.reset();
  filled_.reset();
  const Stopwatch watch(outcome_.timings_s.fill);
  set_system(context_.backend().make_system(input), run);
  range_ = input.wavenumbers;
}

void FrequencySolver::set_system(std::unique_ptr<System> system, std::size_t run) {
  system_ = std::make_unique<PreparedSystem>(
      std::move(system),
      PreparedSystem::Context{
          context_.options(), outcome_.timings_s,
          [this](std::string text) { outcome_.warnings.push_back({std::move(text)}); }});
  system_run_ = run;
}

void FrequencySolver::expect(std::span<const double> frequency_hz) {
  std::vector<double> k;
  for (const double f : frequency_hz) k.push_back(wavenumber_rad_per_m(f));
  system_->expect(k);
}

std::unique_ptr<FrequencySolver> FrequencySolver::clone() const {
  std::unique_ptr<System> system = system_ ? system_->clone() : nullptr;
  if (!system) return nullptr;
  auto other = std::make_unique<FrequencySolver>(context_);
  other->set_system(std::move(system), system_run_);
  other->range_ = range_;
  return other;
}

void FrequencySolver::prepare(std::size_t run_index, double frequency_hz,
                              const Monitor& monitor) {
  const Run& run = context_.run(run_index);
  take_system(run_index);
  const Filled wanted = {frequency_hz, run.ground, run.loads};
  if (filled_ == wanted) return;
  const bool only_frequency_differs =
      filled_ && filled_->ground == run.ground && filled_->loads == run.loads;
  filled_.reset();
  load_model_ = std::make_unique<LoadModel>(context_.discretization(run_index), run.loads,
                                            frequency_hz, run.ground);
  if (std::string large = load_model_->too_large(); !large.empty())
    outcome_.warnings.push_back(
        {std::move(large), fmt::format("a load of run {}", run_index)});
  system_->prepare({wavenumber_rad_per_m(frequency_hz), run.ground, *load_model_,
                    context_.problem().stored.get(), only_frequency_differs},
                   context_.plan_for(run_index), monitor);
  filled_ = wanted;
}

/// The matrix in force, for WG.
std::shared_ptr<const StoredMatrix> FrequencySolver::stored_matrix(
    const Run& run, double frequency_hz) const {
  auto stored = std::make_shared<StoredMatrix>();
  stored->name = run.matrix_file;
  stored->frequency_hz = frequency_hz;
  stored->ground = run.ground;
  stored->loads = run.loads;
  stored->load_cards = run.load_cards;
  stored->mesh = context_.options().mesh;
  stored->refinement = context_.options().refinement;
  stored->kernel = context_.options().kernel;
  stored->proximity = includes_proximity(context_.problem(), run, context_.options());
  stored->gap_segments = gap_segments(run);
  stored->matrix_ohm = system_->dense();
  return stored;
}

}  // namespace thinwire
