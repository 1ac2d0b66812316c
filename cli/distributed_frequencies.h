#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "io/result/journal.h"
#include "mom/schedule/frequency_queue.h"
#include "mom/schedule/rank_distributor.h"

namespace thinwire::cli {

/// Work queue of the frequencies of a solve: distributes them to the processes and stores
/// the results in a journal beside the output.
class DistributedFrequencies final : public FrequencyQueue {
 public:
  /// Opens the journal, giving what it holds to `take`; null: none.
  using OpenJournal = std::function<std::unique_ptr<Journal>(const Journal::Take&)>;

  /// groups: of the processes, each solving a frequency at a time. problem and monitor
  /// must outlive this. Throws as Journal does.
  DistributedFrequencies(const Problem& problem, int groups, const OpenJournal& open,
                         const Monitor& monitor);

  /// Returns the ranks that share each matrix with this process; null: none.
  const Comm* group() const { return distributor_->group(); }

  std::vector<std::size_t> next() override;
  void done(std::size_t step, const FrequencyOutcome& outcome) override;
  bool collects() const override;
  FrequencyOutcome outcome(std::size_t step) const override;

  /// " 3 of 10 frequencies are kept in r.h5.journal: continue with --resume."; empty
  /// where nothing is.
  std::string what_is_kept() const;
  /// The results are written: the journal is not needed any more.
  void remove_journal();

 private:
  void keep(std::size_t step, std::string_view bytes);
  void tell() const;

  const Monitor& monitor_;
  std::size_t steps_;
  std::thread::id thread_ =
      std::this_thread::get_id();            ///< thread that calls the monitor
  mutable std::mutex mutex_;                 ///< of what is kept
  std::map<std::size_t, std::string> kept_;  ///< outcome_bytes() of a step
  std::unique_ptr<Journal> journal_;
  std::optional<RankDistributor>
      distributor_;  ///< the last to be made and the first to go
};

}  // namespace thinwire::cli
