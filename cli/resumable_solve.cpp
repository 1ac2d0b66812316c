#include "cli/resumable_solve.h"

#include <algorithm>

#include "cli/parse.h"
#include "cli/processes.h"
#include "cli/split.h"
#include "io/result/output_file.h"
#include "mom/schedule/batches.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/outcome_bytes.h"

namespace thinwire::cli {
namespace fs = std::filesystem;
namespace po = boost::program_options;

std::vector<char> structures_to_resume(const po::variables_map& values,
                                       std::span<const fs::path> hdf5) {
  std::vector<char> resumed(hdf5.size(), values["resume"].as<bool>() ? 1 : 0);
  // Also one without results, as a kill before the first leaves it.
  const auto has_journal = [](const fs::path& output) {
    return fs::exists(Journal::beside(output));
  };
  if (values["resume"].as<bool>() && std::ranges::any_of(hdf5, has_journal))
    std::ranges::transform(hdf5, resumed.begin(), has_journal);
  return resumed;
}

namespace {

/// Where the journal of a solve is; empty where it has none.
fs::path journal_of(const fs::path& hdf5) {
  return hdf5.empty() || is_written_directly(hdf5) ? fs::path() : Journal::beside(hdf5);
}

}  // namespace

void refuse_left_journal(const fs::path& hdf5, bool resume,
                         const po::variables_map& values) {
  if (const fs::path journal = journal_of(hdf5); !journal.empty())
    Journal::refuse_left(journal, resume, values["force"].as<bool>());
}

ResumableSolve::ResumableSolve(Planner& planner, const Options& options,
                               const fs::path& hdf5, bool resume,
                               const po::variables_map& values)
    : planner_(planner), options_(options) {
  const Problem& problem = planner.problem();
  const std::string undivided = why_not_distributable(problem, options);
  if (resume && !undivided.empty())
    throw Error(ErrorKind::usage, "--resume: " + undivided + " Leave it out.");
  const int groups =
      group_count(values, "frequency", step_count(problem), undivided, planner, options);
  const fs::path journal = journal_of(hdf5);
  // With --force: others were refused.
  const bool left = !journal.empty() && fs::exists(journal);
  if (!undivided.empty() || (processes() == nullptr && !resume && !left && !is_long())) {
    if (left && is_first_process())
      JournalStore("solve", journal, problem, false, values).end();
    options_.ranks = processes();
    return;
  }
  if (resume && journal.empty())
    throw Error(ErrorKind::usage,
                "--resume: frequencies are kept in a journal beside --output, which must "
                "be a file. Name one.");
  DistributedWork::OpenJournal open;
  if (!journal.empty())
    open = [&] {
      return std::make_unique<JournalStore>("solve", journal, problem, resume, values);
    };
  work_.emplace("frequencies", step_count(problem), groups, open, options_.monitor);
  options_.ranks = work_->group();
}

Solution ResumableSolve::run() {
  const Plan& plan = planner_.choose(options_);
  if (!work_) return solve(planner_);
  // The planner's monitor still has all of it.
  options_.monitor = options_.monitor.part(prepared_share(plan), 1);
  try {
    FrequencyQueue queue = {work_->tasks(),
                            [this](std::size_t step, FrequencyOutcome&& outcome) {
                              work_->done(step, outcome_bytes(outcome));
                            },
                            {}};
    if (is_first_process())
      queue.take = [this](std::size_t step) { return outcome_of(work_->take(step)); };
    return solve(planner_, queue);
  } catch (const Error& error) {
    const std::string kept = what_is_kept();
    if (error.kind() != ErrorKind::interrupted || kept.empty()) throw;
    throw Error(ErrorKind::interrupted, "interrupted." + kept);
  }
}

std::string ResumableSolve::what_is_kept() const {
  return work_ ? work_->what_is_kept() : "";
}

void ResumableSolve::end() {
  if (work_) work_->end();
}

/// Whether it would be a pity to begin anew. Batches are short, and what is kept one by
/// one is not in batches.
bool ResumableSolve::is_long() {
  constexpr double long_s = 5;
  return step_count(planner_.problem()) > 1 &&
         !wants_a_batch(planner_.problem(), options_) &&
         planner_.choose(options_).predicted_seconds > long_s;
}

}  // namespace thinwire::cli
