#include "cli/distributed_work.h"

#include <fmt/format.h>

#include "cli/failure.h"
#include "cli/processes.h"

namespace thinwire::cli {

DistributedWork::DistributedWork(const char* parts, std::size_t count, int groups,
                                 const OpenJournal& open, const Monitor& monitor)
    : parts_(parts), count_(count), monitor_(monitor) {
  RankDistributor::Task task;
  if (is_first_process()) {
    if (open) journal_ = open();
    for (std::size_t part = 0; part < count; ++part)
      if (auto kept = journal_ ? journal_->find(std::to_string(part)) : std::nullopt)
        results_[part] = std::move(*kept);
      else
        task.left.push_back(part);
    task.keep = [this](std::size_t part, std::string_view result) { keep(part, result); };
    task.waiting = [this] { tell(); };
    task.failed = [](const std::exception_ptr& thrown) { fail(thrown); };
  }
  distributor_.emplace(processes(), groups, std::move(task));
}

TaskQueue DistributedWork::tasks() {
  const auto next = [this] {
    if (is_first_process()) tell();
    return distributor_->next();
  };
  const auto progress = [this](std::size_t parts) {
    const auto done = static_cast<double>(done_count()),
               all = static_cast<double>(count_);
    return monitor_.part(done / all, (done + static_cast<double>(parts)) / all);
  };
  return {next, progress};
}

void DistributedWork::done(std::size_t part, const std::string& result) {
  distributor_->done(part, result);
}

std::size_t DistributedWork::done_count() const {
  const std::lock_guard lock(mutex_);
  return results_.size();
}

std::string DistributedWork::take(std::size_t part) {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_.at(part), {});
}

void DistributedWork::keep(std::size_t part, std::string_view result) {
  std::string bytes(result);
  if (journal_) journal_->keep(std::to_string(part), bytes);
  const std::lock_guard lock(mutex_);
  results_[part] = std::move(bytes);
}

void DistributedWork::tell() const {
  monitor_.report(parts_,
                  static_cast<double>(done_count()) / static_cast<double>(count_));
}

std::string DistributedWork::what_is_kept() const {
  return journal_ ? journal_->what_is_kept(
                        fmt::format("{} of {} {} are", done_count(), count_, parts_))
                  : "";
}

void DistributedWork::end() {
  if (journal_) journal_->end();
}

}  // namespace thinwire::cli
