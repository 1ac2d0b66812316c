#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/progress_line.h"
#include "io/deck/deck.h"
#include "mom/problem/options.h"

namespace thinwire::cli {

/// --set, --frequency, --structure, --dialect and --patches, of every command that reads
/// a deck.
boost::program_options::options_description deck_options();

/// A deck as the command line names it, and the values given for its symbols.
struct DeckInput {
  std::filesystem::path path;  ///< or - for standard input
  std::string name, text;
  std::filesystem::path folder;  ///< of the deck, where GF looks first
  SymbolValues values;
  std::vector<double> frequency_hz;  ///< of every run; empty: the deck's own
  DeckReading reading;
  int structure = 0;  ///< to take of those that NX divides the deck into; 0: all

  /// Returns the problems to be solved. Throws Error{usage} where the deck has no such
  /// structure.
  std::vector<Problem> problems(std::vector<std::string>& warnings,
                                const Monitor& monitor = {}) const;
  /// Returns the problems with these values, which precede those of `values`; without
  /// warnings.
  std::vector<Problem> problems_with(const SymbolValues& others) const;
  /// Returns the files that these problems of the deck were read from.
  std::vector<std::filesystem::path> files(std::span<const Problem> problems) const;
};

/// Returns the files that a deck's GF cards name, also where the deck cannot be read;
/// none of a pipe.
std::vector<std::filesystem::path> matrices_named_in(const std::filesystem::path& deck);

/// Whether DECK stands for standard input.
bool is_standard_input(const std::filesystem::path& deck);

/// Calls wait_without_spinning() before DECK is read if it is a pipe, which a restarted
/// program could not read again, or a file so large that reading it twice takes longer
/// than a restart, 0.01 s. threads: as asked for; one alone never spins.
void restart_before_reading(const std::filesystem::path& deck, int threads, char** argv);

/// DECK's path, or "stdin": what results are named after.
std::filesystem::path deck_name(const std::filesystem::path& deck);

/// Returns what DeckInput::problems() does. While the deck is read, a progress line shows
/// how far that is, and an interrupt ends the program with 130. No InterruptGuard may be
/// alive.
std::vector<Problem> read_problems(const DeckInput& input,
                                   std::vector<std::string>& warnings, ProgressMode mode);

/// Reads DECK, a file or - for standard input; of several processes the first reads it
/// for all. Throws Error{usage} for a --set that is not NAME=VALUE, a --structure below 1
/// and an unknown --dialect or --patches; Error{file}.
DeckInput read_deck_input(const std::filesystem::path& deck,
                          const boost::program_options::variables_map& values);

/// Returns the options that such a deck is to be read with, each behind a blank.
std::string reading_options(const DeckReading& reading);

/// Values of symbols and options as JSON, for a result file.
std::string settings_text(const DeckInput& input, const Options& options);

}  // namespace thinwire::cli
