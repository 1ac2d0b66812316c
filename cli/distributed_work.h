#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/journal_store.h"
#include "kernels/base/monitor.h"
#include "mom/schedule/rank_distributor.h"
#include "mom/schedule/tasks.h"

namespace thinwire::cli {

/// The numbered parts of a command's work (frequencies, variants): distributes them to
/// the processes as these become free, and stores the result of each, in a journal too
/// where there is one.
class DistributedWork {
 public:
  /// Opens the journal; may return null for none.
  using OpenJournal = std::function<std::unique_ptr<JournalStore>()>;

  /// parts: their name, in the plural. groups: of the processes, each with parts of its
  /// own. open: called on the first process. monitor: must outlive this. Throws what
  /// `open` throws.
  DistributedWork(const char* parts, std::size_t count, int groups,
                  const OpenJournal& open, const Monitor& monitor);

  /// Returns the ranks that solve each part together with this process; null: none.
  const Comm* group() const { return distributor_->group(); }

  /// Returns the parts that come to this process.
  TaskQueue tasks();
  /// Stores a part's result, from any thread.
  void done(std::size_t part, const std::string& result);
  std::size_t done_count() const;
  /// Returns a part's result, which leaves this; on the first process, once none is left.
  std::string take(std::size_t part);

  /// " 3 of 10 frequencies are kept in r.h5.journal: --resume goes on."; empty where
  /// nothing is.
  std::string what_is_kept() const;
  /// The results are written: nothing needs to be kept.
  void end();

 private:
  void keep(std::size_t part, std::string_view result);
  void tell() const;

  const char* parts_;
  std::size_t count_;
  const Monitor& monitor_;
  mutable std::mutex mutex_;                    ///< of results_
  std::map<std::size_t, std::string> results_;  ///< those not yet taken
  std::unique_ptr<JournalStore> journal_;
  std::optional<RankDistributor>
      distributor_;  ///< the last to be made and the first to go
};

}  // namespace thinwire::cli
