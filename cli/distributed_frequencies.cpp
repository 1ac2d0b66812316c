#include "cli/distributed_frequencies.h"

#include <fmt/format.h>

#include <stdexcept>

#include "cli/failure.h"
#include "cli/processes.h"
#include "io/result/hex.h"
#include "mom/schedule/outcome_bytes.h"

namespace thinwire::cli {

DistributedFrequencies::DistributedFrequencies(const Problem& problem, int groups,
                                               const OpenJournal& open,
                                               const Monitor& monitor)
    : monitor_(monitor), steps_(step_count(problem)) {
  RankDistributor::Task task;
  if (is_first_process()) {
    if (open)
      journal_ = open([this](const std::string& key, const std::string& text) {
        const std::size_t step = std::stoull(key);
        if (step >= steps_) throw std::out_of_range("no such frequency");
        std::string bytes = bytes_of(text);
        (void)outcome_of(bytes);  // throws where it is none
        kept_[step] = std::move(bytes);
      });
    for (std::size_t step = 0; step < steps_; ++step)
      if (!kept_.contains(step)) task.left.push_back(step);
    task.keep = [this](std::size_t step, std::string_view bytes) { keep(step, bytes); };
    task.waiting = [this] { tell(); };
    task.failed = [](const std::exception_ptr& thrown) { fail(thrown); };
  }
  distributor_.emplace(processes(), groups, std::move(task));
}

std::vector<std::size_t> DistributedFrequencies::next() {
  if (is_first_process()) tell();
  return distributor_->next();
}

void DistributedFrequencies::done(std::size_t step, const FrequencyOutcome& outcome) {
  distributor_->done(step, outcome_bytes(outcome));
  if (is_first_process() && std::this_thread::get_id() == thread_) tell();
}

bool DistributedFrequencies::collects() const {
  return is_first_process();
}

FrequencyOutcome DistributedFrequencies::outcome(std::size_t step) const {
  return outcome_of(kept_.at(step));
}

void DistributedFrequencies::keep(std::size_t step, std::string_view bytes) {
  if (journal_) journal_->add(std::to_string(step), hex_of(bytes));
  const std::lock_guard lock(mutex_);
  kept_[step] = bytes;
}

void DistributedFrequencies::tell() const {
  const auto fraction = [this] {
    const std::lock_guard lock(mutex_);
    return static_cast<double>(kept_.size()) / static_cast<double>(steps_);
  };
  monitor_.report("frequencies", fraction());
}

std::string DistributedFrequencies::what_is_kept() const {
  if (!journal_ || !journal_->has_begun()) return "";
  const std::lock_guard lock(mutex_);
  return fmt::format(" {} of {} frequencies are kept in {}: continue with --resume.",
                     kept_.size(), steps_, journal_->path().string());
}

void DistributedFrequencies::remove_journal() {
  if (journal_) journal_->remove();
}

}  // namespace thinwire::cli
