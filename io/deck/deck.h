#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "io/deck/dialect.h"
#include "io/deck/formula.h"
#include "kernels/base/monitor.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Limits of one deck: beyond them it is refused before memory or time is spent.
struct DeckLimits {
  std::int64_t file_bytes = std::int64_t{2} << 30;
  std::int64_t structures = 100;
  std::int64_t cards = 20'000'000;  ///< this and what follows: of one structure
  std::int64_t segments = 25'000'000;
  std::int64_t pattern_points = 10'000'000;  ///< of one RP card
  std::int64_t networks = 500;               ///< in force together
  std::int64_t incident_waves = 100'000;     ///< of one EX card
  /// Frequencies, sources, pieces of loads and pattern requests of all runs together.
  std::int64_t run_items = 4'000'000;
  /// Segments moved, copied, scaled or loaded by all cards together: bounds the time.
  std::int64_t segment_operations = 500'000'000;
};

/// How a deck is to be read.
struct DeckReading {
  Dialect dialect = Dialect::automatic;
  bool patch_grids = false;  ///< whether surface patches become grids of wires
};

/// Reads the file that a GF card names into an empty problem; throws Error{file}. None:
/// GF is refused.
using MatrixFileReader = std::function<void(const std::string& file, Problem& problem)>;

/// Reads a NEC-2 deck in free format (see CardScanner), with SY symbols and formulas in
/// any field. docs/reference/decks.md lists the cards. Each XQ, RP, NE or NH after a
/// change makes one Run with the environment in force, as in NEC-2:
/// - EX cards that follow one another (PT and PQ may stand between) form a group; the
///   next group replaces it. The same holds for LD, and for TL and NT together; LD -1
///   drops all loads, TL 0 -1 and NT 0 -1 all networks.
/// - a further RP without a change adds its pattern to the run before. After a loop over
///   frequencies it is computed at the last frequency only. The same holds for outputs
///   requested after later changes, until the next FR.
/// - an NE or NH before a loop over frequencies is executed by the next XQ or RP; if
///   there are several, only the last is used.
/// - on a structure made by GR or GX an LD on the first cell holds for all cells.
/// A file of MMANA-GAL (.maa), known by its content, is read as the cards that
/// read_mmana() makes of it; they are the problem's deck_text.
/// Each structure that NX divides the deck into is read as a deck of its own, symbols
/// included.
/// A deck with sources but neither XQ nor RP is run as if XQ stood at its end.
///
/// `text`: where it is not UTF-8, it is read as Latin-1 and kept as UTF-8. `name`: of the
/// deck, for messages and results, which get it as printable() gives it. `values`: of
/// symbols, instead of what SY cards say.
///
/// Throws Error, kinds deck and geometry, whose text has a line `name:line: CARD problem`
/// for each of the first 20 problems (not for those that follow from an earlier one);
/// what is not supported is refused by name. Error{usage} where `values` names a symbol
/// that no SY card defines. What is odd but clear goes to `warnings` in the same form.
/// Throws what the monitor does, too.
std::vector<Problem> read_structures(std::string_view text, const std::string& name,
                                     std::vector<std::string>& warnings,
                                     const DeckLimits& limits = {},
                                     const SymbolValues& values = {},
                                     const MatrixFileReader& read_matrix = {},
                                     const Monitor& monitor = {},
                                     const DeckReading& reading = {});

/// Reads a deck of one structure; others are refused.
Problem read_deck(std::string_view text, const std::string& name,
                  std::vector<std::string>& warnings, const DeckLimits& limits = {},
                  const SymbolValues& values = {}, const DeckReading& reading = {});

/// Gives every run these frequencies, as set_frequencies() does; removes the warning that
/// there are none. Throws Error{usage} where a stored matrix (GF) has another frequency.
void replace_frequencies(Problem& problem, const std::vector<double>& frequency_hz,
                         std::vector<std::string>& warnings);

/// Returns the text of a deck, from a file or a stream, as utf8_text() gives it. Throws
/// Error{file} where it cannot be read or is larger than the limit.
std::string read_deck_text(const std::filesystem::path& path,
                           const DeckLimits& limits = {});
std::string read_deck_text(std::istream& in, const std::string& name,
                           const DeckLimits& limits = {});

/// Both; the problem is named by the file's last part.
Problem read_deck_file(const std::filesystem::path& path,
                       std::vector<std::string>& warnings, const DeckLimits& limits = {});

/// The deck without SY cards, every formula resolved to its number, as NEC-2 reads it:
/// CE, GE and EN present, one blank between fields, no comments behind cards, no Z0.
/// Numbers keep ten digits at least. Throws as read_deck() does.
std::string expanded_deck(std::string_view text, const std::string& name,
                          std::vector<std::string>& warnings,
                          const SymbolValues& values = {},
                          const DeckReading& reading = {});

}  // namespace thinwire
