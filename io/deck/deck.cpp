#include "io/deck/deck.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <system_error>

#include "io/deck/card.h"
#include "io/deck/control.h"
#include "io/deck/geometry.h"
#include "io/deck/unsupported.h"
#include "kernels/base/error.h"

namespace thinwire {

namespace {

using std::string_view;

/// One deck while it is read.
class DeckReader {
 public:
  DeckReader(string_view text, const std::string& name,
             std::vector<std::string>& warnings, const DeckLimits& limits)
      : scanner_(text, name),
        messages_(name, warnings),
        limits_(limits),
        budget_(limits.segment_operations),
        geometry_(problem_, messages_, limits, budget_) {
    problem_.name = name;
    problem_.deck_text = text;
  }

  Problem read() {
    Card card;
    bool ended = false;
    while (!ended && scanner_.next(card)) {
      if (++cards_ > limits_.cards) {
        messages_.refuse(card.line,
                         fmt::format("a deck may have at most {} cards.", limits_.cards));
      }
      ended = act(card);
      last_line_ = card.line;
    }
    if (!geometry_.ended()) {
      messages_.refuse(last_line_,
                       "the deck ends without a GE card. Give one behind the "
                       "geometry.");
    }
    if (!ended) messages_.warn(0, "the EN card is missing.");
    control().finish(last_line_);
    return std::move(problem_);
  }

 private:
  /// Returns whether the card ends the deck.
  bool act(const Card& card) {
    if (card.mnemonic == "CM" || card.mnemonic == "CE") {
      problem_.comments.emplace_back(card.text);
      comment_end_ |= card.mnemonic == "CE";
      return false;
    }
    if (card.mnemonic == "SY") {
      define(card);
      return false;
    }
    if (!comment_end_) {
      messages_.warn(card.line, "the CE card that ends the comments is missing.");
      comment_end_ = true;
    }
    const CardFields fields(card, symbols_, messages_);
    if (geometry_.read(fields)) return false;
    if (const std::string what = unsupported_card(card.mnemonic); !what.empty()) {
      messages_.refuse(card.line, what + " is not supported.");
    }
    if (card.mnemonic == "EN" || card.mnemonic == "NX") {
      if (!geometry_.ended())
        fields.refuse("stands before GE. Give GE behind the geometry.");
      if (card.mnemonic == "NX") refuse_next_structure(card.line);
      return true;
    }
    if (!geometry_.ended() && is_control(card.mnemonic)) {
      fields.refuse("stands before GE. Give GE behind the geometry.");
    }
    if (!geometry_.ended() || !control().read(fields)) {
      fields.refuse("is not a card that NEC-2 knows.");
    }
    return false;
  }

  static bool is_control(string_view mnemonic) {
    for (const string_view known :
         {"FR", "EX", "LD", "GN", "EK", "KH", "PT", "PQ", "XQ", "RP", "NE", "NH"}) {
      if (mnemonic == known) return true;
    }
    return false;
  }

  void define(const Card& card) {
    for (const string_view part : split_at_commas(card.text)) {
      const std::size_t equals = part.find('=');
      if (equals == string_view::npos) {
        messages_.refuse(
            card.line, fmt::format("SY expected name=value, got {}.", quote_text(part)));
      }
      try {
        symbols_.define(trimmed(part.substr(0, equals)),
                        evaluate(trimmed(part.substr(equals + 1)), symbols_));
      } catch (const Error& error) {
        messages_.refuse(card.line, fmt::format("SY {}", error.what()));
      }
    }
  }

  /// NX at the very end is the same as EN.
  void refuse_next_structure(int line) {
    Card card;
    if (scanner_.next(card)) {
      messages_.refuse(line,
                       "NX (next structure) is not supported: a file may hold one "
                       "structure. Split it.");
    }
  }

  ControlCards& control() {
    if (!control_) control_.emplace(problem_, messages_, limits_, budget_, geometry_);
    return *control_;
  }

  Problem problem_;
  CardScanner scanner_;
  DeckMessages messages_;
  const DeckLimits& limits_;
  WorkBudget budget_;
  GeometryCards geometry_;
  std::optional<ControlCards> control_;
  Symbols symbols_;
  std::int64_t cards_ = 0;
  bool comment_end_ = false;
  int last_line_ = 0;
};

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::file, fmt::format("{}: {}", path, why));
}

}  // namespace

Problem read_deck(string_view text, const std::string& name,
                  std::vector<std::string>& warnings, const DeckLimits& limits) {
  if (static_cast<std::int64_t>(text.size()) > limits.file_bytes) {
    refuse_file(name, fmt::format("too large for a deck (limit {} bytes; got {}).",
                                  limits.file_bytes, text.size()));
  }
  return DeckReader(text, name, warnings, limits).read();
}

Problem read_deck_file(const std::filesystem::path& path,
                       std::vector<std::string>& warnings, const DeckLimits& limits) {
  const std::string shown = path.string();
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    refuse_file(shown, "is a folder. Give a NEC deck.");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_file(shown, "cannot be opened. Check the path and its permissions.");
  // Read in pieces up to the limit: the size of a pipe or device is not known before.
  std::string text;
  std::vector<char> piece(1 << 16);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) ||
         in.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (static_cast<std::int64_t>(text.size()) > limits.file_bytes) {
      refuse_file(shown, fmt::format("too large for a deck (limit {} bytes).",
                                     limits.file_bytes));
    }
  }
  if (in.bad()) refuse_file(shown, "cannot be read.");
  return read_deck(text, path.filename().string(), warnings, limits);
}

}  // namespace thinwire
