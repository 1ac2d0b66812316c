#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/deck/formula.h"
#include "kernels/base/error.h"

namespace thinwire {

/// The two characters that a card starts with, letters in upper case. A reader compares
/// them tens of times for each card, which strings would slow down.
class Mnemonic {
 public:
  constexpr Mnemonic() = default;
  constexpr Mnemonic(char first, char second) : letters_{first, second} {}
  constexpr Mnemonic(const char (&letters)[3]) : Mnemonic(letters[0], letters[1]) {}

  constexpr bool empty() const { return letters_[0] == '\0'; }
  constexpr char operator[](std::size_t i) const { return letters_[i]; }
  std::string text() const { return {letters_, empty() ? 0u : 2u}; }
  constexpr auto operator<=>(const Mnemonic&) const = default;

 private:
  char letters_[2] = {};
};

/// One card of a deck. The views point into the deck's text.
struct Card {
  int line = 0;  ///< in the file, from 1
  Mnemonic mnemonic;
  std::string_view text;                 ///< all behind the mnemonic; CM, CE: the comment
  std::vector<std::string_view> fields;  ///< not split for CM, CE and SY
  std::vector<double> numbers;           ///< plain_number of the fields, or NaN
  bool has_hash_comment = false;         ///< whether a comment begins with # behind them
};

/// Cuts a text into lines, which end in LF, CR LF or CR.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  /// The next line, or false at the end.
  bool next(std::string_view& line);
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;         ///< where the next line begins
  std::size_t line_feed_ = 0;  ///< the first from there on, once it is searched for
};

/// Cuts a deck into cards: skips empty lines and comment lines (# ! '), removes comments
/// at the end of lines, splits fields (see split_fields). Lines may end in LF, CR LF or
/// CR. Leading blanks and lower-case letters are allowed, and so is a number right behind
/// the mnemonic (GW1 9 ...). Of a large text all threads read some thousand cards ahead.
class CardScanner {
 public:
  /// `name`: of the deck, for messages. `text` must outlive the scanner and its cards;
  /// `lines_before` it in the file. `origins`: the line of the file that each line of a
  /// converted text comes from (see ConvertedDeck); empty: its own.
  CardScanner(std::string_view text, std::string name, int lines_before = 0,
              std::span<const int> origins = {});

  /// The next card, or false at the end. Throws Error{deck} for what is no card, and may
  /// be called again for the one behind it; LastError where the file is no text.
  bool next(Card& card);

  /// Returns the rest of the text, and the number of lines before it.
  std::string_view rest() const { return lines_.rest(); }
  int line() const { return line_; }
  /// Whether nothing but empty lines, comments and an EN card is left.
  bool at_end() const;
  /// Returns a scanner of the rest that reads no card ahead.
  CardScanner behind() const;

 private:
  /// A line that was read ahead.
  struct Ahead {
    std::string_view text;
    Lines behind{{}};
    Card card;
    bool is_card = false;
    std::exception_ptr error;
  };
  int line_in_file(int line) const;
  /// False where the line has no card. Throws as next() does.
  bool parse(std::string_view text, int line, Card& card) const;
  void read_ahead();

  Lines lines_;
  std::string name_;
  int line_ = 0;
  std::span<const int> origins_;
  std::vector<Ahead> ahead_;
  std::size_t next_ = 0, count_ = 0;  ///< in ahead_
};

/// Splits at blanks, tabs and commas outside parentheses; runs of blanks and tabs count
/// once. On a line with tabs or commas a formula may have blanks in it, where operators
/// show that it goes on (h / 2) or a unit follows a number (10 pF).
void split_fields(std::string_view text, std::vector<std::string_view>& fields);
/// Finds the first number with a decimal comma on a card whose fields blanks or tabs
/// separate, behind its whole numbers. Empty where there is none, or where commas
/// separate fields. `text`: the fields.
std::string_view decimal_comma(Mnemonic mnemonic, std::string_view text);
std::vector<std::string_view> split_at_commas(std::string_view text);
std::string_view trimmed(std::string_view text);
/// The shortest text that gives the number back; ten digits where that is long, since
/// nec2c reads lines of 132 characters at most.
std::string number_text(double value);

/// Earlier error that another one may merely follow from: once that was refused, the
/// later one is not worth a line of its own.
enum class Cause {
  order,      ///< cards on the wrong side of GE
  structure,  ///< a segment or tag is missing
  symbols,    ///< a name is not defined
  sources,    ///< nothing is excited
  ground,     ///< there is none, no second medium or no screen
};

class FollowUpError : public Error {
 public:
  FollowUpError(Cause cause, const std::string& text)
      : Error(ErrorKind::deck, text), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// An error behind which reading on makes no sense.
class LastError : public Error {
 public:
  explicit LastError(const std::string& text) : Error(ErrorKind::deck, text) {}
};

/// Where messages say they come from, and where warnings go.
class DeckMessages {
 public:
  DeckMessages(std::string name, std::vector<std::string>& warnings)
      : name_(std::move(name)), warnings_(warnings) {}

  const std::string& name() const { return name_; }
  /// `name:line`, or the name alone for line 0.
  std::string place(int line) const;
  /// Adds `name:line: text`; after many, one last line says that more were left out.
  void warn(int line, const std::string& text);
  /// Throws Error{deck} with `name:line: text`.
  [[noreturn]] void refuse(int line, const std::string& text) const;
  /// Throws a FollowUpError.
  [[noreturn]] void refuse(int line, Cause cause, const std::string& text) const;
  /// Throws a LastError.
  [[noreturn]] void give_up(int line, const std::string& text) const;

 private:
  std::string name_;
  std::vector<std::string>& warnings_;
  std::size_t count_ = 0;
};

/// The fields of one card as numbers. Fields count from 1 behind the mnemonic, as in the
/// NEC-2 user's guide; a missing field is 0. `meaning` names the field in messages.
class CardFields {
 public:
  CardFields(const Card& card, const Symbols& symbols, DeckMessages& messages)
      : card_(card), symbols_(symbols), messages_(messages) {}

  const Card& card() const { return card_; }
  int line() const { return card_.line; }
  bool has(std::size_t field) const { return field <= card_.fields.size(); }

  /// Whether a field ends in a percent sign, which 4nec2 has behind places on a wire.
  bool is_percentage(std::size_t field) const;
  /// The number before that sign.
  double percentage(std::size_t field, std::string_view meaning) const;
  /// Whether real() would give a number.
  bool is_number(std::size_t field) const;
  /// A finite number or formula.
  double real(std::size_t field, std::string_view meaning) const;
  /// A whole number within 32 bits; 9.0 and formulas are fine, 9.5 is not.
  int integer(std::size_t field, std::string_view meaning) const;
  /// An integer, to which the result of a formula is rounded with a warning.
  int rounded(std::size_t field, std::string_view meaning) const;
  /// An integer that must not be negative.
  int count(std::size_t field, std::string_view meaning) const;

  /// Warns where fields first..last, which the card does not use, are not 0, and where
  /// there is text behind `last`.
  void unused(std::size_t first, std::size_t last) const;

  /// Throws Error{deck}: `name:line: GW field 9 (radius): problem`.
  [[noreturn]] void refuse(std::size_t field, std::string_view meaning,
                           const std::string& problem) const;
  /// Throws Error{deck}: `name:line: GW problem`.
  [[noreturn]] void refuse(const std::string& problem) const;
  /// Throws a FollowUpError about a field.
  [[noreturn]] void refuse(Cause cause, std::size_t field, std::string_view meaning,
                           const std::string& problem) const;
  [[noreturn]] void refuse(Cause cause, const std::string& problem) const;
  void warn(const std::string& text) const;

 private:
  double value(std::size_t field, std::string_view text, std::string_view meaning) const;
  int as_integer(double value, std::size_t field, std::string_view meaning) const;

  const Card& card_;
  const Symbols& symbols_;
  DeckMessages& messages_;
};

/// Acts on an SY card. Throws Error{deck}: `name:line: SY problem`.
void define_symbols(const Card& card, Symbols& symbols, const DeckMessages& messages);

}  // namespace thinwire
