#include "mom/frequency_solver.h"

#include <utility>

#include "mom/frequency_results.h"
#include "mom/stopwatch.h"
#include "mom/stored_matrix.h"

namespace thinwire {
namespace {

/// Of one frequency's work, what the matrix and its solution take; the rest are fields.
/// For the progress line only.
constexpr double solved_share = 0.9;

}  // namespace

FrequencyOutcome FrequencySolver::solve(std::size_t run_index, double frequency_hz,
                                        const Monitor& monitor, KeptCurrents* kept) {
  outcome_ = {};
  const Run& run = context_.run(run_index);
  const Monitor solving = monitor.part(0, solved_share);
  prepare(run_index, frequency_hz, solving);
  if (!run.matrix_file.empty()) outcome_.stored = stored_matrix(run, frequency_hz);
  if (!run.sources.empty() || run.waves) {
    system_->start(solving);
    KeptCurrents not_wanted;
    KeepingSolver keeping(*system_, kept ? *kept : not_wanted);
    CurrentSolver& solver = kept ? static_cast<CurrentSolver&>(keeping) : *system_;
    add_results(context_, {run_index, frequency_hz, *load_model_, solver, {}},
                monitor.part(solved_share, 1), outcome_);
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
  system_ = std::make_unique<PreparedSystem>(
      context_.backend().make_system(input),
      PreparedSystem::Context{
          context_.options(), outcome_.timings_s,
          [this](std::string text) { outcome_.warnings.push_back({std::move(text)}); }});
  system_run_ = run;
  range_ = input.wavenumbers;
}

void FrequencySolver::prepare(std::size_t run_index, double frequency_hz,
                              const Monitor& monitor) {
  const Run& run = context_.run(run_index);
  take_system(run_index);
  const Filled wanted = {frequency_hz, run.ground, run.loads};
  if (filled_ == wanted) return;
  filled_.reset();
  load_model_ = std::make_unique<LoadModel>(context_.antenna(run_index), run.loads,
                                            frequency_hz, run.ground);
  if (std::string large = load_model_->too_large(); !large.empty())
    outcome_.warnings.push_back({std::move(large)});
  system_->prepare({wavenumber_rad_per_m(frequency_hz), run.ground, *load_model_,
                    context_.problem().stored.get()},
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
  stored->gap_segments = gap_segments(run);
  stored->matrix_ohm = system_->dense();
  return stored;
}

}  // namespace thinwire
