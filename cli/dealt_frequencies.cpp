#include "cli/dealt_frequencies.h"

#include <fmt/format.h>

#include "cli/failure.h"
#include "cli/processes.h"
#include "mom/outcome_bytes.h"

namespace thinwire::cli {
namespace {

/// A journal is begun once so much work would be lost without.
constexpr std::chrono::seconds worth_keeping(1);

}  // namespace

DealtFrequencies::DealtFrequencies(const Problem& problem, int groups, Keeping keeping,
                                   const Monitor& monitor)
    : problem_(problem),
      keeping_(std::move(keeping)),
      monitor_(monitor),
      steps_(step_count(problem)),
      start_(std::chrono::steady_clock::now()) {
  RankDealer::Task task;
  if (is_first_process()) {
    if (keeping_.resume)
      journal_ =
          FrequencyJournal::resumed(keeping_.journal, problem_, keeping_.settings, kept_);
    for (std::size_t step = 0; step < steps_; ++step)
      if (!kept_.contains(step)) task.left.push_back(step);
    task.keep = [this](std::size_t step, std::string_view bytes) { keep(step, bytes); };
    task.waiting = [this] { tell(); };
    task.failed = [](const std::exception_ptr& thrown) { fail(thrown); };
  }
  dealer_.emplace(processes(), groups, std::move(task));
}

std::vector<std::size_t> DealtFrequencies::next() {
  if (is_first_process()) tell();
  return dealer_->next();
}

void DealtFrequencies::done(std::size_t step, const FrequencyOutcome& outcome) {
  dealer_->done(step, outcome_bytes(outcome));
  if (is_first_process() && std::this_thread::get_id() == thread_) tell();
}

bool DealtFrequencies::collects() const {
  return is_first_process();
}

FrequencyOutcome DealtFrequencies::outcome(std::size_t step) const {
  return outcome_of(kept_.at(step));
}

void DealtFrequencies::keep(std::size_t step, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const std::string& kept = kept_[step] = bytes;
  if (journal_) return journal_->add(step, kept);
  if (keeping_.journal.empty() ||
      std::chrono::steady_clock::now() - start_ < worth_keeping)
    return;
  journal_.emplace(keeping_.journal, problem_, keeping_.settings);
  for (const auto& [number, outcome] : kept_) journal_->add(number, outcome);
}

void DealtFrequencies::tell() const {
  const auto fraction = [this] {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(kept_.size()) / static_cast<double>(steps_);
  };
  monitor_.tell("frequencies", fraction());
}

std::string DealtFrequencies::what_is_kept() const {
  const std::lock_guard lock(mutex_);
  if (!journal_) return "";
  return fmt::format("{} of {} frequencies are kept in {}: --resume goes on.",
                     kept_.size(), steps_, keeping_.journal.string());
}

void DealtFrequencies::remove_journal() {
  if (!journal_) return;
  journal_.reset();
  std::filesystem::remove(keeping_.journal);
}

}  // namespace thinwire::cli
