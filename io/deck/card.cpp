#include "io/deck/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {

namespace {

using std::string_view;

/// Longer lines are no NEC cards; the bound keeps every step on a line short.
constexpr std::size_t longest_line = 10000;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_sign(char c) {
  return c == '+' || c == '-';
}
/// Whether no text has it.
bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return ((code < ' ') & (code != '\t')) | (code == 0x7f);
}
/// Without a branch, so that a compiler takes many characters at a time.
bool has_control(string_view line) {
  std::uint8_t any = 0;
  for (const char c : line) any |= static_cast<std::uint8_t>(is_control(c));
  return any != 0;
}
char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Whether the # at `at` is a wire gauge (#12) and not the start of a comment.
bool is_gauge(string_view line, std::size_t at) {
  return at + 1 < line.size() && is_digit(line[at + 1]);
}

string_view without_comment(string_view line) {
  std::size_t hash = line.find('#');
  while (hash != line.npos && is_gauge(line, hash)) hash = line.find('#', hash + 1);
  return line.substr(0, std::min({hash, line.find('!'), line.find('\'')}));
}

bool is_comment_card(Mnemonic mnemonic) {
  return mnemonic == "CM" || mnemonic == "CE";
}

template <typename IsSeparator, typename Add>
void split(string_view text, IsSeparator is_separator, Add add) {
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      if (text[i] > ',') continue;  // what separates or nests comes before
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && depth > 0) --depth;
      if (depth > 0 || !is_separator(text[i])) continue;
    }
    add(text.substr(first, i - first), i < text.size() ? text[i] : '\0');
    first = i + 1;
  }
}

}  // namespace

string_view trimmed(string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string number_text(double value) {
  const std::string shortest = fmt::format("{}", value);
  return shortest.size() <= 12 ? shortest : fmt::format("{:.10g}", value);
}

std::vector<string_view> split_at_commas(string_view text) {
  std::vector<string_view> parts;
  split(
      text, [](char c) { return c == ','; },
      [&](string_view part, char) { parts.push_back(trimmed(part)); });
  return parts;
}

namespace {

/// Whether the blank before text[next] lies within a formula.
bool formula_goes_on(string_view text, std::size_t next) {
  constexpr string_view operators = "+-*/^";
  const std::size_t last = text.find_last_not_of(' ', next - 1);
  const char before = text[last], after = text[next];
  if (operators.find(before) != string_view::npos ||
      operators.find(after) != string_view::npos)
    return true;
  std::size_t end = next;
  while (end < text.size() && is_letter(text[end])) ++end;
  return is_digit(before) && is_unit(text.substr(next, end - next));
}

/// Whether one field holds blanks for being a formula: it goes on at each of them, and is
/// more than numbers that stand side by side (0 -1).
bool is_formula_with_blanks(string_view text) {
  bool more_than_numbers = false;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    more_than_numbers |= is_letter(c) || c == '*' || c == '/' || c == '^' ||
                         ((c == '+' || c == '-') && text.substr(i + 1, 1) == " ");
    const bool resumes = depth == 0 && i > 0 && c != ' ' && text[i - 1] == ' ';
    if (resumes && !formula_goes_on(text, i)) return false;
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
  }
  return more_than_numbers;
}

/// Fields between tabs and commas, and between blanks too where `at_blanks`.
void split_fields(string_view text, bool at_blanks, std::vector<string_view>& fields) {
  fields.clear();
  bool after_comma = false;
  split(
      text, [&](char c) { return c == '\t' || c == ',' || (at_blanks && c == ' '); },
      [&](string_view between, char separator) {
        const string_view part = trimmed(between);
        // A comma ends the field before it even where blanks stand between; two
        // commas in a row leave an empty field, which the reader of the field refuses.
        if (!part.empty() || (separator == ',' && after_comma)) fields.push_back(part);
        if (separator == ',') {
          after_comma = true;
        } else if (!part.empty()) {
          after_comma = false;
        }
      });
}

/// The first fields of a card that are whole numbers: of a card of the structure two.
std::size_t whole_field_count(Mnemonic mnemonic) {
  return mnemonic[0] == 'G' && mnemonic != "GN" ? 2 : 4;
}

}  // namespace

/// A decimal comma has digits, and no decimal point, behind it and digits, a sign or
/// nothing before it, and is the only comma of its field. One between the first fields,
/// whole numbers, separates two of them, and then all others do.
string_view decimal_comma(Mnemonic mnemonic, string_view text) {
  if (text.find(',') == string_view::npos || mnemonic == "CP") return {};
  string_view found;
  std::size_t fields = 0, decimals = 0, begun_by_comma = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t", at);
    if (first == string_view::npos) break;
    at = std::min(text.find_first_of(" \t", first), text.size());
    const string_view field = text.substr(first, at - first);
    ++fields;
    const bool is_decimal = fields > whole_field_count(mnemonic);
    decimals += is_decimal ? 1 : 0;
    const std::size_t comma = field.find(',');
    if (comma == string_view::npos) continue;
    // `,25` and `-,25` are decimals too.
    const bool begins = comma == 0 || is_sign(field[comma - 1]);
    const bool digits = (begins || is_digit(field[comma - 1])) &&
                        comma + 1 < field.size() && is_digit(field[comma + 1]);
    if (!is_decimal || !digits ||
        field.find_first_not_of("0123456789+-eEdD,") != string_view::npos ||
        field.find(',', comma + 1) != string_view::npos)
      return {};
    begun_by_comma += comma == 0 ? 1 : 0;
    if (found.empty()) found = field;
  }
  // Where a comma begins each of several fields (`0 ,0 ,1`), all of them separate.
  const bool separate = begun_by_comma > 1 && begun_by_comma == decimals;
  return fields > 1 && !separate ? found : string_view();
}

namespace {

/// Fields that a card has at most, of those whose last ones are often decimals.
std::size_t max_fields(Mnemonic mnemonic) {
  constexpr std::pair<Mnemonic, std::size_t> limits[] = {
      {"GW", 9}, {"GA", 6}, {"FR", 6}, {"LD", 7}};
  for (const auto& [name, limit] : limits)
    if (name == mnemonic) return limit;
  return std::numeric_limits<std::size_t>::max();
}

/// Finds a decimal comma on a card whose fields commas separate: decimals that begin with
/// a zero, as in `0,001`, or with a sign alone, as in `-,25`; or the whole list, where it
/// has more fields than the card. Empty where there is none, or a decimal point anywhere.
/// Lists of whole numbers that fit the card may be meant: nothing tells them apart.
string_view decimal_comma_in_list(Mnemonic mnemonic, string_view text) {
  if (text.find(',') == text.npos || mnemonic == "CP" ||
      text.find_first_not_of("0123456789+-eEdD, \t") != text.npos)
    return {};
  std::size_t fields = 0, before = 0;
  bool has_pair = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(", \t", at);
    if (first == string_view::npos) break;
    at = std::min(text.find_first_of(", \t", first), text.size());
    ++fields;
    const bool follows = first > 1 && text[first - 1] == ',' && is_digit(text[first]) &&
                         fields > whole_field_count(mnemonic) + 1;
    const bool pair = follows && is_digit(text[first - 2]);
    has_pair |= pair;
    // A sign alone is no field: `-,25`.
    if (follows && is_sign(text[first - 2])) return text.substr(before, at - before);
    if (pair && at - first > 1 && text[first] == '0' && is_digit(text[first + 1]))
      return text.substr(before, at - before);
    before = first;
  }
  return has_pair && fields > max_fields(mnemonic) ? text : string_view();
}

}  // namespace

void split_fields(string_view text, std::vector<string_view>& fields) {
  if (text.find('\t') != text.npos || text.find(',') != text.npos) {
    split_fields(text, false, fields);
    bool formulas = fields.size() > 1;
    for (const string_view field : fields) {
      const bool plain = field.find(' ') == string_view::npos;
      formulas &= plain || is_formula_with_blanks(field);
    }
    if (formulas) return;
  }
  split_fields(text, true, fields);
}

bool Lines::next(string_view& line) {
  if (at_ == text_.size()) return false;
  if (line_feed_ <= at_) line_feed_ = std::min(text_.find('\n', at_), text_.size());
  line = text_.substr(at_, line_feed_ - at_);
  line = line.substr(0, line.find('\r'));
  at_ += line.size();
  at_ += text_.substr(at_, 2) == "\r\n" ? 2 : std::min<std::size_t>(1, rest().size());
  return true;
}

CardScanner::CardScanner(string_view text, std::string name, int lines_before,
                         std::span<const int> origins)
    : lines_(text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0)),  // UTF-8 mark
      name_(std::move(name)),
      line_(lines_before),
      origins_(origins) {
  constexpr std::size_t large = std::size_t{1} << 20, many = 1 << 14;
  ahead_.resize(text.size() < large ? 1 : many);
}

CardScanner CardScanner::behind() const {
  CardScanner scanner("", name_, line_, origins_);
  scanner.lines_ = lines_;
  return scanner;
}

int CardScanner::line_in_file(int line) const {
  return origins_.empty() ? line : origins_[static_cast<std::size_t>(line - 1)];
}

bool CardScanner::at_end() const {
  CardScanner ahead = behind();
  Card card;
  try {
    return !ahead.next(card) || card.mnemonic == "EN";
  } catch (const Error&) {
    return false;  // something is there
  }
}

bool CardScanner::next(Card& card) {
  for (;;) {
    if (next_ == count_) read_ahead();
    if (count_ == 0) return false;
    Ahead& at = ahead_[next_++];
    lines_ = at.behind;
    ++line_;
    if (at.error) std::rethrow_exception(std::exchange(at.error, nullptr));
    if (!at.is_card) continue;
    std::swap(card, at.card);
    return true;
  }
}

void CardScanner::read_ahead() {
  Lines lines = lines_;
  next_ = count_ = 0;
  while (count_ < ahead_.size() && lines.next(ahead_[count_].text))
    ahead_[count_++].behind = lines;
  constexpr std::size_t lines_at_once = 256;
  for_each_parallel(
      count_,
      [&](std::size_t i) {
        Ahead& at = ahead_[i];
        at.is_card = false;
        try {
          at.is_card = parse(at.text, line_ + static_cast<int>(i) + 1, at.card);
        } catch (...) {
          at.error = std::current_exception();  // for when it is its turn
        }
      },
      lines_at_once);
}

bool CardScanner::parse(string_view line, int number, Card& card) const {
  const auto refuse = [&](const std::string& text) {
    throw Error(ErrorKind::deck,
                fmt::format("{}:{}: {}", name_, line_in_file(number), text));
  };
  if (line.size() > longest_line) {
    refuse(fmt::format("the line is too long for a card (limit {} characters; got {}).",
                       longest_line, line.size()));
  }
  if (has_control(line)) {
    throw LastError(fmt::format(
        "{}:{}: the file is not text (control character {}). Give a NEC "
        "deck.",
        name_, line_in_file(number), int{*std::ranges::find_if(line, is_control)}));
  }
  string_view body = trimmed(line);
  if (body.empty() || body[0] == '#' || body[0] == '!' || body[0] == '\'') return false;
  const bool letters =
      body.size() >= 2 && is_letter(body[0]) && (is_letter(body[1]) || is_digit(body[1]));
  if (!letters) {
    refuse(fmt::format("a card starts with two letters (got {}).", quote_text(body)));
  }
  card.line = line_in_file(number);
  card.mnemonic = {upper(body[0]), upper(body[1])};
  const Mnemonic mnemonic = card.mnemonic;
  card.fields.clear();
  card.numbers.clear();
  card.has_hash_comment = false;
  body.remove_prefix(2);
  if (is_comment_card(mnemonic)) {
    card.text = trimmed(body);
    return true;
  }
  if (!body.empty() && (is_letter(body[0]) || body[0] == '_')) {
    const string_view word = trimmed(line);
    refuse(fmt::format("{} is not a card (a card starts with two letters and a blank).",
                       quote_text(word.substr(0, word.find_first_of(" \t,")))));
  }
  const string_view code = without_comment(body);
  card.text = trimmed(code);
  card.has_hash_comment = body.substr(code.size(), 1) == "#";
  if (mnemonic == "SY") return true;
  // A comma right behind the mnemonic separates it from the first field.
  string_view list = card.text;
  if (!list.empty() && list[0] == ',') list.remove_prefix(1);
  string_view decimal = decimal_comma(mnemonic, list);
  if (decimal.empty()) decimal = decimal_comma_in_list(mnemonic, list);
  if (!decimal.empty()) {
    refuse(
        fmt::format("{} has a decimal comma in {}, where commas separate fields. "
                    "Write decimals with a point.",
                    mnemonic.text(), quote_text(decimal)));
  }
  split_fields(list, card.fields);
  for (const string_view field : card.fields)
    card.numbers.push_back(
        plain_number(field).value_or(std::numeric_limits<double>::quiet_NaN()));
  return true;
}

std::string DeckMessages::place(int line) const {
  return line > 0 ? fmt::format("{}:{}", name_, line) : name_;
}

void DeckMessages::warn(int line, const std::string& text) {
  constexpr std::size_t most = 200;
  if (count_ < most) {
    warnings_.push_back(place(line) + ": " + text);
  } else if (count_ == most) {
    warnings_.push_back(name_ + ": more warnings were left out.");
  }
  ++count_;
}

void DeckMessages::refuse(int line, const std::string& text) const {
  throw Error(ErrorKind::deck, place(line) + ": " + text);
}

void DeckMessages::refuse(int line, Cause cause, const std::string& text) const {
  throw FollowUpError(cause, place(line) + ": " + text);
}

void DeckMessages::give_up(int line, const std::string& text) const {
  throw LastError(place(line) + ": " + text);
}

bool CardFields::is_percentage(std::size_t field) const {
  return has(field) && card_.fields[field - 1].ends_with('%');
}

double CardFields::percentage(std::size_t field, string_view meaning) const {
  string_view text = card_.fields[field - 1];
  text.remove_suffix(1);
  return value(field, text, meaning);
}

double CardFields::real(std::size_t field, string_view meaning) const {
  if (!has(field)) return 0;
  const string_view text = card_.fields[field - 1];
  if (text.empty())
    refuse(field, meaning,
           "the field is empty (two commas). Write 0, and decimals with a point.");
  const double plain = card_.numbers[field - 1];
  return std::isnan(plain) ? value(field, text, meaning) : plain;
}

double CardFields::value(std::size_t field, string_view text, string_view meaning) const {
  try {
    return evaluate(text, symbols_);
  } catch (const UnknownName& error) {
    refuse(Cause::symbols, fmt::format("field {} ({}): expected a number, got {}", field,
                                       meaning, error.what()));
  } catch (const Error& error) {
    refuse(field, meaning, std::string("expected a number, got ") + error.what());
  }
}

bool CardFields::is_number(std::size_t field) const {
  try {
    real(field, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

int CardFields::integer(std::size_t field, string_view meaning) const {
  return as_integer(real(field, meaning), field, meaning);
}

int CardFields::as_integer(double value, std::size_t field, string_view meaning) const {
  const double whole = std::round(value);
  if (std::abs(value - whole) > 1e-6) {
    refuse(field, meaning, fmt::format("expected a whole number, got {}.", value));
  }
  if (std::abs(whole) > std::numeric_limits<int>::max()) {
    refuse(field, meaning,
           fmt::format("must stay within {} (got {}).", std::numeric_limits<int>::max(),
                       value));
  }
  return static_cast<int>(whole);
}

int CardFields::rounded(std::size_t field, string_view meaning) const {
  // Near a whole number is what a step of a difference leaves (--gradient).
  constexpr double least = 0.01;
  const double value = real(field, meaning), whole = std::round(value);
  if (!has(field) || std::abs(value - whole) < least || std::abs(whole) > 1e9 ||
      card_.fields[field - 1].find_first_not_of("0123456789+-.eEdD") == string_view::npos)
    return as_integer(value, field, meaning);
  warn(
      fmt::format("field {} ({}): {:g} is rounded to {}.", field, meaning, value, whole));
  return static_cast<int>(whole);
}

int CardFields::count(std::size_t field, string_view meaning) const {
  const int value = integer(field, meaning);
  if (value < 0) {
    refuse(field, meaning, fmt::format("must not be negative (got {}).", value));
  }
  return value;
}

void CardFields::unused(std::size_t first, std::size_t last) const {
  for (std::size_t field = first; field <= card_.fields.size(); ++field) {
    const string_view text = card_.fields[field - 1];
    if (field > last || text.find_first_not_of("+-0.eEdD") != string_view::npos) {
      warn(fmt::format("field {} is not used here and ignored (got {}).", field,
                       quote_text(text)));
      return;
    }
  }
}

void CardFields::refuse(std::size_t field, string_view meaning,
                        const std::string& problem) const {
  refuse(fmt::format("field {} ({}): {}", field, meaning, problem));
}

void CardFields::refuse(const std::string& problem) const {
  messages_.refuse(card_.line, card_.mnemonic.text() + " " + problem);
}

void CardFields::refuse(Cause cause, std::size_t field, string_view meaning,
                        const std::string& problem) const {
  refuse(cause, fmt::format("field {} ({}): {}", field, meaning, problem));
}

void CardFields::refuse(Cause cause, const std::string& problem) const {
  messages_.refuse(card_.line, cause, card_.mnemonic.text() + " " + problem);
}

void CardFields::warn(const std::string& text) const {
  messages_.warn(card_.line, card_.mnemonic.text() + " " + text);
}

void define_symbols(const Card& card, Symbols& symbols, const DeckMessages& messages) {
  string_view list = card.text;
  if (list.ends_with(',')) list.remove_suffix(1);
  if (list.empty()) return;
  for (const string_view part : split_at_commas(list)) {
    const std::size_t equals = part.find('=');
    const bool digits = part.find_first_not_of("0123456789eE+-") == string_view::npos;
    // The comma before this part, or behind it, may be a decimal comma.
    const bool is_cut =
        equals == string_view::npos ? digits && !part.empty() : equals + 1 == part.size();
    const char* hint =
        is_cut ? " A comma separates symbols; write decimals with a point." : "";
    if (equals == string_view::npos || (is_cut && part.end() != list.end()))
      messages.refuse(card.line, fmt::format("SY expected name=value, got {}.{}",
                                             quote_text(part), hint));
    try {
      symbols.define(trimmed(part.substr(0, equals)), trimmed(part.substr(equals + 1)));
    } catch (const UnknownName& error) {
      messages.refuse(card.line, Cause::symbols, fmt::format("SY {}", error.what()));
    } catch (const Error& error) {
      messages.refuse(card.line, fmt::format("SY {}", error.what()));
    }
  }
}

}  // namespace thinwire
