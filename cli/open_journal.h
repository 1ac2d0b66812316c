#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <memory>
#include <span>

#include "io/result/journal.h"
#include "mom/problem/problem.h"

namespace thinwire::cli {

/// The header of a command's journal: the deck and every option that is not in the list
/// of options without effect on what is kept. values: of the whole command line.
nlohmann::json journal_header(const char* command, const Problem& problem,
                              const boost::program_options::variables_map& values);

/// The path of a command's journal: beside the first of its outputs that is a file; empty
/// where none is. Throws Error{usage} where none is and --resume is given.
std::filesystem::path journal_path(const char* command,
                                   std::span<const std::filesystem::path> outputs,
                                   const boost::program_options::variables_map& values);

/// Opens the journal of a command. resume: go on with it, `take` getting what it holds;
/// damaged lines cause a warning. Otherwise a journal that is left there is replaced, and
/// the path taken before any work, so that a second process is refused at once.
/// values: --force, --quiet. Throws Error{usage} where one is left and neither `resume`
/// nor --force is given, and as Journal does.
std::unique_ptr<Journal> open_journal(const std::filesystem::path& path,
                                      const nlohmann::json& header, bool resume,
                                      const boost::program_options::variables_map& values,
                                      const Journal::Take& take);

}  // namespace thinwire::cli
