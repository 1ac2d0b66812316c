#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "io/result/journal.h"
#include "mom/problem.h"

namespace thinwire {

/// Of a solve, the frequencies solved so far: what each came to as outcome_bytes()
/// (mom/outcome_bytes.h) gave it, by its step in the order of all runs.
class FrequencyJournal {
 public:
  using Outcomes = std::map<std::size_t, std::string>;

  /// Starts a journal in the place of what is at `path`. settings: all but the deck that
  /// results depend on. Throws as Journal does.
  FrequencyJournal(const std::filesystem::path& path, const Problem& problem,
                   const std::string& settings);
  /// Goes on with the one at `path`, and puts what it holds into `kept`. Throws as
  /// Journal::resumed() does.
  static FrequencyJournal resumed(const std::filesystem::path& path,
                                  const Problem& problem, const std::string& settings,
                                  Outcomes& kept);

  /// Throws Error{file} where the disk refuses.
  void add(std::size_t step, const std::string& outcome);

 private:
  explicit FrequencyJournal(Journal journal) : journal_(std::move(journal)) {}
  Journal journal_;
};

}  // namespace thinwire
