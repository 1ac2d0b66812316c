#pragma once

#include <atomic>
#include <boost/program_options.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>

#include "io/result/journal.h"
#include "mom/problem/problem.h"
#include "mom/problem/result_store.h"

namespace thinwire::cli {

/// The results of a command's parts in a journal beside its output.
class JournalStore final : public ResultStore {
 public:
  /// resume: go on with the journal. values: --force and all that results depend on.
  /// Throws as open_journal() does.
  JournalStore(const char* command, const std::filesystem::path& journal,
               const Problem& problem, bool resume,
               const boost::program_options::variables_map& values);

  std::optional<std::string> find(const std::string& key) const override;
  void keep(const std::string& key, const std::string& bytes) override;

  /// Writes the file now: results are not long in coming.
  void begin();

  /// " 3 results are kept in r.h5.journal: continue with --resume."; empty where none is.
  std::string what_is_kept() const;
  /// Returns that line with other words for " 3 results are".
  std::string what_is_kept(const std::string& what) const;
  /// The results are written: nothing needs to be kept.
  void end() { journal_->remove(); }

 private:
  std::unordered_map<std::string, std::string> before_;  ///< of the journal
  std::atomic<std::size_t> count_ = 0;
  std::unique_ptr<Journal> journal_;
};

}  // namespace thinwire::cli
