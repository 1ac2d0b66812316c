#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/distributed_work.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"

namespace thinwire::cli {

/// Which of a deck's structures, with these HDF5 results, are to go on with a journal: by
/// --resume those that have one, as the others are finished or not begun; where none has,
/// all, and the first will say so.
std::vector<char> structures_to_resume(
    const boost::program_options::variables_map& values,
    std::span<const std::filesystem::path> hdf5);

/// Throws as Journal::refuse_left() does for the journal of a solve with this HDF5
/// result, which may be empty. values: --force.
void refuse_left_journal(const std::filesystem::path& hdf5, bool resume,
                         const boost::program_options::variables_map& values);

/// A solve, alone or with the processes beside this one. Long work is kept in a journal
/// beside the HDF5 result, frequency by frequency.
class ResumableSolve {
 public:
  /// options: with what all processes choose alike. hdf5: may be empty. resume: go on
  /// with the journal. values: of the command line. planner must outlive this.
  /// Throws Error{usage} for what contradicts these, and as DistributedWork does.
  ResumableSolve(Planner& planner, const Options& options,
                 const std::filesystem::path& hdf5, bool resume,
                 const boost::program_options::variables_map& values);
  ResumableSolve(const ResumableSolve&) = delete;
  ResumableSolve& operator=(const ResumableSolve&) = delete;

  /// As thinwire::solve(); of several processes the first gets all results.
  Solution run();
  /// " 3 of 10 frequencies are kept in r.h5.journal: continue with --resume."; empty
  /// where nothing is.
  std::string what_is_kept() const;
  /// The results are written: nothing needs to be kept.
  void end();

 private:
  bool is_long();

  Planner& planner_;
  Options options_;
  std::optional<DistributedWork> work_;
};

}  // namespace thinwire::cli
