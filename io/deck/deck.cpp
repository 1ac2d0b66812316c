#include "io/deck/deck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "io/deck/card.h"
#include "io/deck/control.h"
#include "io/deck/conversion.h"
#include "io/deck/eznec.h"
#include "io/deck/geometry.h"
#include "io/deck/unsupported.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "mom/problem/set_frequencies.h"
#include "mom/problem/stored_matrix.h"

namespace thinwire {

namespace {

using std::string_view;

/// The problems of a deck, a line each.
class Problems {
 public:
  explicit Problems(std::string name) : name_(std::move(name)) {}

  /// Notes an error that came up while reading a card, unless it merely follows from one
  /// before it.
  void add(const Error& error) {
    const auto* follow_up = dynamic_cast<const FollowUpError*>(&error);
    if (follow_up != nullptr && has_failed(follow_up->cause())) return;
    // Each XQ and RP checks once more what it runs.
    if (text_.find(error.what()) != std::string::npos) return;
    if (follow_up != nullptr && follow_up->cause() == Cause::order) fail(Cause::order);
    if (count_ == 0) kind_ = error.kind();
    if (++count_ > most) {
      text_ += "\n" + name_ + ": further errors were left out.";
      raise();
    }
    if (count_ > 1) text_ += '\n';
    text_ += error.what();
    if (dynamic_cast<const LastError*>(&error) != nullptr) raise();
  }

  /// From here on errors of this cause may follow from one before.
  void fail(Cause cause) { failed_[static_cast<std::size_t>(cause)] = true; }

  void raise_any() const {
    if (count_ > 0) raise();
  }

 private:
  static constexpr int most = 20;

  bool has_failed(Cause cause) const { return failed_[static_cast<std::size_t>(cause)]; }
  [[noreturn]] void raise() const { throw Error(kind_, text_); }

  std::string name_, text_;
  ErrorKind kind_ = ErrorKind::deck;
  int count_ = 0;
  bool failed_[5] = {};
};

/// One structure of a deck while it is read.
class DeckReader {
 public:
  DeckReader(string_view text, int lines_before, const std::string& name,
             std::vector<std::string>& warnings, const DeckLimits& limits,
             const SymbolValues& values, const MatrixFileReader& read_matrix,
             const Monitor& monitor, const DeckReading& reading,
             std::span<const int> origins)
      : scanner_(text, name, lines_before, origins),
        messages_(name, warnings),
        problems_(name),
        limits_(limits),
        budget_(limits.segment_operations),
        geometry_(problem_, messages_, limits, budget_, read_matrix, reading),
        symbols_(values),
        monitor_(monitor),
        dialect_(reading.dialect),
        patch_grids_(reading.patch_grids),
        characters_(text.size()) {
    problem_.name = name;
    problem_.deck_text = text;
  }

  Problem read() {
    while (!ended_ && next_card()) {
      report();
      if (++cards_ > limits_.cards) {
        problems_.add(LastError(fmt::format("{}: a deck may have at most {} cards.",
                                            messages_.place(card_.line), limits_.cards)));
      }
      if (GeometryCards::knows(card_.mnemonic))
        attempt([&] { geometry_.finish_wire(card_.mnemonic); });
      attempt([&] { act(); });
      last_line_ = card_.line;
    }
    attempt([&] { finish(); });
    problems_.raise_any();
    symbols_.check_given();
    problem_.symbols = symbols_.values();
    problem_.deck_dialect = name_of(dialect_);
    problem_.deck_patches = patches_name(patch_grids_);
    problem_.deck_text.resize(problem_.deck_text.size() - rest().size());
    return std::move(problem_);
  }

  /// Returns the text behind the NX that ended the structure; empty if there is none.
  string_view rest() const {
    return card_.mnemonic == "NX" && !scanner_.at_end() ? scanner_.rest() : string_view();
  }
  int lines_read() const { return scanner_.line(); }

 private:
  /// Tells the monitor how much of the text is read, after every so many cards and
  /// segments.
  void report() {
    constexpr std::size_t worth_telling = 10'000;
    const std::size_t done =
        static_cast<std::size_t>(cards_) + problem_.structure.segments().size();
    if (done < next_told_) return;
    next_told_ = done + worth_telling;
    monitor_.report("read", 1 - static_cast<double>(scanner_.rest().size()) /
                                    static_cast<double>(characters_));
  }

  /// Does one step of the reading; its errors are kept for the end, so that all are told
  /// at once.
  template <typename Step>
  void attempt(Step step) {
    const bool in_structure = !geometry_.ended();
    try {
      step();
    } catch (const Error& error) {
      // No problems of the deck.
      if (error.kind() == ErrorKind::memory || error.kind() == ErrorKind::interrupted)
        throw;
      problems_.add(error);
      if (card_.mnemonic == "SY") {
        problems_.fail(Cause::symbols);
      } else {
        problems_.fail(Cause::sources);
        if (card_.mnemonic == "GN" || card_.mnemonic == "GD" || card_.mnemonic == "GF")
          problems_.fail(Cause::ground);
        if (in_structure) problems_.fail(Cause::structure);
      }
    }
  }

  bool next_card() {
    for (;;) {
      try {
        return scanner_.next(card_);
      } catch (const Error& error) {
        problems_.add(error);
        // It might have been any card.
        problems_.fail(Cause::sources);
        problems_.fail(Cause::symbols);
        problems_.fail(Cause::ground);
        if (!geometry_.ended()) problems_.fail(Cause::structure);
      }
    }
  }

  void act() {
    const Mnemonic mnemonic = card_.mnemonic;
    if (mnemonic == "CM" || mnemonic == "CE") {
      problem_.comments.emplace_back(card_.text);
      comment_end_ |= mnemonic == "CE";
      return;
    }
    if (mnemonic == "SY") {
      define_symbols(card_, symbols_, messages_);
      return;
    }
    if (!comment_end_) {
      messages_.warn(card_.line, "the CE card that ends the comments is missing.");
      comment_end_ = true;
    }
    drop_table_file();
    const CardFields fields(card_, symbols_, messages_);
    const bool end = mnemonic == "EN" || mnemonic == "NX";
    ended_ = end;
    const bool gridded = patch_grids_ && PatchGrid::knows(mnemonic);
    gridded_ |= gridded;
    if (const std::string what = unsupported_card(mnemonic); !gridded && !what.empty()) {
      messages_.refuse(card_.line, what);
    } else if (GeometryCards::knows(mnemonic)) {
      geometry_.read(fields);
      if (mnemonic == "GE" && dialect_ == Dialect::automatic) find_nec5(fields);
    } else if (!end && !ControlCards::knows(mnemonic)) {
      fields.refuse("is not a card that NEC-2 knows.");
    } else if (!geometry_.ended()) {
      fields.refuse(Cause::order, "stands before GE. Give GE behind the geometry.");
    } else if (!end) {
      control().read(fields);
    }
  }

  /// NEC-4's GN may end with the name of a file of ground tables, or NOFILE.
  void drop_table_file() {
    if (card_.mnemonic != "GN" || card_.fields.empty()) return;
    const string_view last = card_.fields.back();
    const bool is_name =
        lower_name(last) == "nofile" ||
        lower_name(last.substr(std::max<std::size_t>(last.size(), 4) - 4)) == ".nec";
    if (!is_name) return;
    messages_.warn(card_.line, fmt::format("GN names a file of ground tables ({}), which "
                                           "is not needed: they are always computed.",
                                           quote_text(last)));
    card_.fields.pop_back();
  }

  /// Tells NEC-5's decks by what stands on GE and behind it.
  void find_nec5(const CardFields& end) {
    const std::string mark = nec5_mark(end, scanner_.behind());
    if (mark.empty()) return;
    dialect_ = Dialect::nec5;
    end.warn(mark +
             ": EX, LD, TL and NT name nodes, segment k its far end. Give --dialect nec2 "
             "if they name segments.");
  }

  void finish() {
    if (!geometry_.ended()) {
      messages_.refuse(last_line_, Cause::order,
                       "the deck ends without a GE card. Give one behind the "
                       "geometry.");
    }
    if (!ended_) messages_.warn(0, "the EN card is missing.");
    if (patch_grids_ && !gridded_)
      messages_.warn(0, "--patches grid changes nothing: there are no patches (SP, SM).");
    control().finish(last_line_);
  }

  ControlCards& control() {
    if (!control_) control_.emplace(problem_, messages_, limits_, budget_, dialect_);
    return *control_;
  }

  Problem problem_;
  CardScanner scanner_;
  DeckMessages messages_;
  Problems problems_;
  const DeckLimits& limits_;
  WorkBudget budget_;
  GeometryCards geometry_;
  std::optional<ControlCards> control_;
  Symbols symbols_;
  Card card_;
  const Monitor& monitor_;
  Dialect dialect_;
  bool patch_grids_;
  bool gridded_ = false;  ///< whether there are patches that became grids
  std::size_t characters_;
  std::size_t next_told_ = 0;  ///< cards and segments
  std::int64_t cards_ = 0;
  bool comment_end_ = false;
  bool ended_ = false;
  int last_line_ = 0;
};

/// Whether a text is of Touchstone's format: its first line, but for comments (!), is an
/// option line such as "# MHz S RI R 50".
bool is_touchstone(std::string_view text) {
  std::istringstream lines{std::string(text.substr(0, 4096))};
  for (std::string line; std::getline(lines, line);) {
    std::ranges::transform(line, line.begin(), [](unsigned char c) {
      return static_cast<char>(std::toupper(c));
    });
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word.front() == '!') continue;
    const std::set<std::string> all(std::istream_iterator<std::string>(words), {});
    return word == "#" && all.contains("R") &&
           (all.contains("S") || all.contains("Z") || all.contains("Y"));
  }
  return false;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::file, fmt::format("{}: {}", path, why));
}

}  // namespace

std::vector<Problem> read_structures(string_view text, const std::string& foreign_name,
                                     std::vector<std::string>& warnings,
                                     const DeckLimits& limits, const SymbolValues& values,
                                     const MatrixFileReader& read_matrix,
                                     const Monitor& monitor,
                                     const DeckReading& asked_reading) {
  const std::string name = printable(foreign_name);
  if (static_cast<std::int64_t>(text.size()) > limits.file_bytes) {
    refuse_file(name, fmt::format("too large for a deck (limit {} bytes; got {}).",
                                  limits.file_bytes, text.size()));
  }
  if (is_touchstone(text))
    refuse_file(name,
                "a Touchstone file is no deck. The live page compares it with a deck.");
  std::string converted;
  if (!is_utf8(text)) text = converted = utf8_text(std::string(text));
  DeckReading reading = asked_reading;
  const ConvertedDeck converted_deck = convert_deck(text, name, warnings, reading);
  if (!converted_deck.text.empty()) text = converted_deck.text;
  std::vector<Problem> structures;
  int lines = 0;
  do {
    if (static_cast<std::int64_t>(structures.size()) == limits.structures) {
      throw Error(ErrorKind::deck,
                  fmt::format("{}:{}: NX begins a structure too many (limit {}). Split "
                              "the deck.",
                              name, lines, limits.structures));
    }
    DeckReader reader(text, lines, name, warnings, limits, values, read_matrix, monitor,
                      reading, converted_deck.lines);
    structures.push_back(reader.read());
    text = reader.rest();
    lines = reader.lines_read();
  } while (!text.empty());
  return structures;
}

Problem read_deck(string_view text, const std::string& name,
                  std::vector<std::string>& warnings, const DeckLimits& limits,
                  const SymbolValues& values, const DeckReading& reading) {
  std::vector<Problem> structures =
      read_structures(text, name, warnings, limits, values, {}, {}, reading);
  if (structures.size() > 1) {
    throw Error(ErrorKind::deck,
                fmt::format("{}: holds {} structures (NX), where one is wanted. Choose "
                            "one with --structure 1 to {}.",
                            name, structures.size(), structures.size()));
  }
  return std::move(structures.front());
}

std::string read_deck_text(std::istream& in, const std::string& name,
                           const DeckLimits& limits) {
  // Read in pieces up to the limit: the size of a pipe or device is not known before.
  std::string text;
  std::vector<char> piece(1 << 16);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         in.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (static_cast<std::int64_t>(text.size()) > limits.file_bytes) {
      refuse_file(
          name, fmt::format("too large for a deck (limit {} bytes).", limits.file_bytes));
    }
  }
  if (in.bad()) refuse_file(name, "cannot be read.");
  if (is_eznec(text)) return eznec_cards(text, name);
  return utf8_text(std::move(text));
}

std::string read_deck_text(const std::filesystem::path& path, const DeckLimits& limits) {
  const std::string name = shown(path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    refuse_file(name, "is a folder. Give a NEC deck.");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_file(name, "cannot be opened. Check the path and its permissions.");
  return read_deck_text(in, name, limits);
}

Problem read_deck_file(const std::filesystem::path& path,
                       std::vector<std::string>& warnings, const DeckLimits& limits) {
  return read_deck(read_deck_text(path, limits), path.filename().string(), warnings,
                   limits);
}

void replace_frequencies(Problem& problem, const std::vector<double>& frequency_hz,
                         std::vector<std::string>& warnings) {
  if (problem.stored) {
    const double stored_hz = problem.stored->frequency_hz;
    if (frequency_hz.size() != 1 || std::abs(frequency_hz[0] / stored_hz - 1) > 1e-9)
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} (GF) holds the matrix at {:.9g} MHz, and other "
                              "frequencies are asked for. Leave them out.",
                              problem.name, problem.stored->name, stored_hz * 1e-6));
  }
  set_frequencies(problem, frequency_hz);
  std::erase_if(warnings, [](const std::string& warning) {
    return warning.find(no_frequency_warning) != warning.npos;
  });
}

}  // namespace thinwire
