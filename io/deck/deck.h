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

/// Limits of one deck. A deck beyond them is refused before memory or time is spent.
struct DeckLimits {
  std::int64_t file_bytes = std::int64_t{2} << 30;
  std::int64_t structures = 100;
  // Limits for each structure:
  std::int64_t cards = 20'000'000;
  std::int64_t segments = 25'000'000;
  std::int64_t pattern_points = 10'000'000;  ///< of one RP card
  std::int64_t networks = 500;               ///< in force together
  std::int64_t incident_waves = 100'000;     ///< of one EX card
  /// Frequencies, sources, pieces of loads and pattern requests of all runs together.
  std::int64_t run_items = 4'000'000;
  /// Segments moved, copied, scaled or loaded by all cards together: bounds the time.
  std::int64_t segment_operations = 500'000'000;
};

/// Options of reading a deck.
struct DeckReading {
  Dialect dialect = Dialect::automatic;
  bool patch_grids = false;  ///< whether surface patches become grids of wires
  /// Whether cards behind the last run have no effect, as in NEC-2, in all dialects.
  bool in_order = false;
};

/// Reads the file that a GF card names into an empty problem. Throws Error{file}. If the
/// function is empty, GF cards are refused.
using MatrixFileReader = std::function<void(const std::string& file, Problem& problem)>;

/// Reads a NEC-2 deck in free format (see CardScanner), with SY symbols and formulas in
/// any field, and returns a Problem for each structure (NX), which has symbols of its
/// own. docs/reference/decks.md lists the cards. The first XQ, RP, NE or NH after a card
/// that changes frequency, ground, loads, sources or networks makes a Run, as in NEC-2:
/// - Consecutive EX cards (PT and PQ may come between) form a group; the next group
///   replaces it. The same holds for LD, and for TL and NT together. LD -1 removes all
///   loads, TL 0 -1 and NT 0 -1 all networks.
/// - A further RP without such a change adds its pattern to the previous run. After a
///   loop over frequencies it is computed at the last frequency only. The same holds for
///   outputs requested after later changes, until the next FR.
/// - An NE or NH before a loop over frequencies is executed by the next XQ or RP; if
///   there are several, only the last is used.
/// - On a structure made by GR or GX an LD on the first cell holds for all cells.
/// - A deck with sources but neither XQ nor RP is run as if it ended with XQ.
/// The syntax of other programs, such as that of a file of MMANA-GAL (.maa), is first
/// converted by convert_deck() to cards that become Problem::deck_text.
///
/// text: read as Latin-1 if it is not UTF-8, and stored as UTF-8. name: name of the deck
/// in messages and results, after printable(). values: replace the values of SY cards.
/// warnings: gets a line for each doubtful place, in the form of the errors.
///
/// Throws Error{deck} or Error{geometry} with a line `name:line: CARD problem` for each
/// of the first 20 problems (not for those that follow from an earlier one), Error{usage}
/// if `values` names a symbol that no SY card defines, and what the monitor throws.
std::vector<Problem> read_structures(std::string_view text, const std::string& name,
                                     std::vector<std::string>& warnings,
                                     const DeckLimits& limits = {},
                                     const SymbolValues& values = {},
                                     const MatrixFileReader& read_matrix = {},
                                     const Monitor& monitor = {},
                                     const DeckReading& reading = {});

/// Reads a deck of one structure. Throws as read_structures(), and Error{deck} if the
/// deck has several structures.
Problem read_deck(std::string_view text, const std::string& name,
                  std::vector<std::string>& warnings, const DeckLimits& limits = {},
                  const SymbolValues& values = {}, const DeckReading& reading = {});

/// Gives every run these frequencies, as set_frequencies() does, and removes the warning
/// that the deck has none. Throws Error{usage} if a stored matrix (GF) has another
/// frequency.
void replace_frequencies(Problem& problem, const std::vector<double>& frequency_hz,
                         std::vector<std::string>& warnings);

/// Returns the text of a deck, from a file or a stream, as utf8_text() gives it, and the
/// cards of a file of EZNEC. Throws Error{file} where it cannot be read or is larger than
/// the limit, and what eznec_cards() throws.
std::string read_deck_text(const std::filesystem::path& path,
                           const DeckLimits& limits = {});
std::string read_deck_text(std::istream& in, const std::string& name,
                           const DeckLimits& limits = {});

/// Reads the text of a file and its deck, as read_deck_text() and read_deck() do. The
/// problem gets the name of the file without its folder.
Problem read_deck_file(const std::filesystem::path& path,
                       std::vector<std::string>& warnings, const DeckLimits& limits = {});

/// Returns the deck as NEC-2 reads it: without SY and Z0 cards, every formula replaced by
/// its number with at least ten digits, CE, GE and EN present, one blank between fields,
/// no comments behind cards. Throws as read_deck() does.
std::string expanded_deck(std::string_view text, const std::string& name,
                          std::vector<std::string>& warnings,
                          const SymbolValues& values = {},
                          const DeckReading& reading = {});

}  // namespace thinwire
