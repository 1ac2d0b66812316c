#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/dealt_frequencies.h"
#include "mom/solve.h"

namespace thinwire::cli {

/// A solve, alone or with the processes beside this one. Long work is kept in a journal
/// beside the HDF5 result, frequency by frequency.
class KeptSolve {
 public:
  /// options: with what all processes choose alike. hdf5: may be empty. settings: of
  /// FrequencyJournal. values: --split, --resume, --force. problem must outlive this.
  /// Throws Error{usage} for what contradicts these, and as DealtFrequencies does.
  KeptSolve(const Problem& problem, const Options& options,
            const std::filesystem::path& hdf5, const std::string& settings,
            const boost::program_options::variables_map& values);
  KeptSolve(const KeptSolve&) = delete;
  KeptSolve& operator=(const KeptSolve&) = delete;

  /// As thinwire::solve(); of several processes the first gets all results.
  Solution run();
  /// The results are written: nothing needs to be kept.
  void end();

 private:
  bool is_long() const;
  void share_matrix(const Comm* ranks,
                    const boost::program_options::variables_map& values);

  const Problem& problem_;
  Options options_;
  std::optional<DealtFrequencies> dealt_;
};

}  // namespace thinwire::cli
