// MMANA-GAL's files: sections in a fixed order, whose headings differ between languages.
#include "io/deck/mmana.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "io/deck/card.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"
#include "kernels/base/printable.h"
#include "kernels/base/vec3.h"

namespace thinwire {
namespace {

using std::string_view;

constexpr std::int64_t mmana_segments = 2'000'000;
constexpr double mmana_segments_a_wire = 100'000;

std::vector<string_view> lines_of(string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // UTF-8 mark
  std::vector<string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(
        std::min(end + (text.substr(end, 2) == "\r\n" ? 2 : 1), text.size()));
  }
  return lines;
}

std::optional<double> number(string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return {};
  return value;
}

bool is_heading(string_view line) {
  return line.starts_with('*') || line.starts_with("###");
}

/// Segments of one length, in the order of the wire.
struct Piece {
  int segments = 0;
  double length_m = 0;  ///< of all of them
};

struct Wire {
  int line = 0;
  Vec3 start_m, end_m;
  double radius_m = 0;
  int mode = 0;               ///< the last column: a number of segments, 0 or -1 to -3
  std::vector<Piece> pieces;  ///< empty: left out
  int segments = 0;
};

/// The *** Segmentation *** line.
struct Segmentation {
  double finest = 400, coarsest = 40;  ///< DM1, DM2: segments a wavelength
  double growth = 2;                   ///< SC, from one segment to the next
  int finest_count = 1;                ///< EC, at the end of a wire
};

class MmanaReader {
 public:
  MmanaReader(string_view text, const std::string& name,
              std::vector<std::string>& warnings)
      : lines_(lines_of(text)), messages_(name, warnings), warnings_(warnings) {}

  ConvertedDeck read() {
    read_head();
    read_wires();
    const std::vector<Entry> sources = entries("source"), loads = entries("load");
    read_segmentation();
    read_environment();
    find_middles(sources);
    find_middles(loads);
    for (Wire& wire : wires_) cut(wire);
    for (std::size_t tag = 1; tag <= wires_.size(); ++tag)
      write_wire(static_cast<int>(tag), wires_[tag - 1]);
    if (segments_ == 0)
      messages_.refuse(last_line(), "no wire is left. Give one with a positive radius.");
    add(last_line(), fmt::format("GE {}", ground_ == 0 ? 0 : 1));
    for (const Entry& load : loads) write_load(load);
    if (sources.empty())
      messages_.refuse(last_line(), "the file has no source. Give one (w1c, 0, 1).");
    for (const Entry& source : sources) write_source(source);
    if (ground_ == 1) add(environment_line_, "GN 1");
    if (ground_ == 2) add(environment_line_, "GN 3 0 0 0 13 0.005");
    add(frequency_line_, fmt::format("FR 0 1 0 0 {}", frequency_mhz_));
    if (reference_ohm_ > 0 && reference_ohm_ != 50)
      add(environment_line_, fmt::format("Z0 {}", reference_ohm_));
    add(last_line(), "XQ");
    add(last_line(), "EN");
    tell_inferred();
    return std::move(deck_);
  }

 private:
  struct Line {
    int number = 0;
    std::vector<string_view> fields;
  };
  /// A source or a load, at a place such as w1c.
  struct Entry {
    Line line;
    int wire = 0;   ///< from 1
    char at = 'c';  ///< b, c or e
    int offset = 0;
  };

  int last_line() const { return static_cast<int>(lines_.size()); }

  void add(int line, const std::string& card) {
    deck_.text += card + '\n';
    deck_.lines.push_back(line);
  }

  void comment(int line, string_view text) {
    std::size_t size = std::min<std::size_t>(text.size(), 1000);
    while (size < text.size() && (text[size] & 0xC0) == 0x80) --size;  // whole characters
    std::string clean(text.substr(0, size));
    for (char& c : clean)
      if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
    if (text.size() > 1000)
      messages_.warn(line, "the comment was cut to 1000 characters.");
    add(line, fmt::format("{} {}", deck_.text.empty() ? "CM" : "CE", clean));
  }

  /// Skips empty lines; false at the end of the file.
  bool more() {
    while (next_ < lines_.size() && lines_[next_].empty()) ++next_;
    return next_ < lines_.size();
  }

  /// The next line, in fields, of which there must be at least `count`.
  Line line(string_view what, std::size_t count) {
    if (!more() || is_heading(lines_[next_]))
      messages_.refuse(std::min(static_cast<int>(next_) + 1, last_line()),
                       fmt::format("a line is missing: {}. Save the file in MMANA-GAL "
                                   "again.",
                                   what));
    const string_view text = lines_[next_++];
    Line result{static_cast<int>(next_), {}};
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(", \t", at), text.size());
      if (end > at) result.fields.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    if (result.fields.size() < count)
      messages_.refuse(result.number,
                       fmt::format("too few fields: {} ({} expected; got {}). Correct "
                                   "the line.",
                                   what, count, result.fields.size()));
    return result;
  }

  double real(const Line& line, std::size_t field, string_view meaning) const {
    const std::optional<double> value = number(line.fields[field]);
    if (!value)
      messages_.refuse(line.number,
                       fmt::format("field {} ({}) must be a number (got {}).", field + 1,
                                   meaning, quote_text(line.fields[field])));
    return *value;
  }

  double real(const Line& line, std::size_t field, string_view meaning, double low,
              double high) const {
    const double value = real(line, field, meaning);
    if (!(low <= value && value <= high))
      messages_.refuse(line.number,
                       fmt::format("field {} ({}) must be {:g} .. {:g} (got {:g}).",
                                   field + 1, meaning, low, high, value));
    return value;
  }

  int whole(const Line& line, std::size_t field, string_view meaning, int low,
            int high) const {
    const double value = real(line, field, meaning, low, high);
    if (value != std::floor(value))
      messages_.refuse(line.number,
                       fmt::format("field {} ({}) must be a whole number (got {:g}).",
                                   field + 1, meaning, value));
    return static_cast<int>(value);
  }

  bool skip_heading() {
    if (!more() || lines_[next_].starts_with("###")) return false;
    if (!lines_[next_].starts_with('*'))
      messages_.refuse(
          static_cast<int>(next_) + 1,
          fmt::format("the heading of a section (*** ... ***) must stand here "
                      "(got {}). Check the numbers of lines above.",
                      quote_text(lines_[next_])));
    ++next_;
    return true;
  }

  /// Title and comment become CM and CE: what NEC's decks begin with.
  void read_head() {
    more();
    const int title = static_cast<int>(next_) + 1;
    const bool titled = lines_[next_] != "*";
    comment(title, titled ? lines_[next_++] : "");
    std::string text;
    int at = last_line();
    for (std::size_t i = next_; i < lines_.size(); ++i) {
      if (text.empty() && !lines_[i].starts_with("###")) continue;
      string_view part = lines_[i];
      if (text.empty()) {
        at = static_cast<int>(i) + 1;
        const std::size_t end = part.find("###", 3);
        part = end == part.npos ? "" : part.substr(end + 3);
        text = " ";
      }
      text += text.size() > 1 ? " " + std::string(part) : std::string(part);
    }
    comment(at, trimmed(text));
    more();
    ++next_;  // *
    const Line frequency = line("the frequency", 1);
    frequency_line_ = frequency.number;
    frequency_mhz_ = real(frequency, 0, "frequency, MHz", 1e-6, 1e9);
    lambda_m_ = speed_of_light_m_per_s / (frequency_mhz_ * 1e6);
  }

  void read_wires() {
    skip_heading();
    const int count =
        whole(line("number of wires", 1), 0, "number of wires", 1, 1'000'000);
    for (int i = 0; i < count; ++i) {
      const Line l = line("wire (x1 y1 z1 x2 y2 z2 R segments)", 8);
      Wire wire;
      wire.line = l.number;
      wire.start_m = {real(l, 0, "x1"), real(l, 1, "y1"), real(l, 2, "z1")};
      wire.end_m = {real(l, 3, "x2"), real(l, 4, "y2"), real(l, 5, "z2")};
      wire.radius_m = real(l, 6, "radius, m");
      wire.mode = whole(l, 7, "segments", -3, static_cast<int>(mmana_segments_a_wire));
      if (wire.radius_m < 0)
        messages_.refuse(l.number,
                         fmt::format("wire {} is a combined wire (radius {:g}), whose "
                                     "table of radii is not read. Replace it by a wire "
                                     "for each radius.",
                                     i + 1, wire.radius_m));
      if (wire.radius_m == 0)
        messages_.warn(l.number,
                       fmt::format("wire {} has radius 0 and is left out.", i + 1));
      else if (const double length = norm(wire.end_m - wire.start_m);
               !(length > 0 && std::isfinite(length)))
        messages_.refuse(l.number,
                         fmt::format("wire {} has length {:g} m. Move one of its "
                                     "ends, or remove it.",
                                     i + 1, length));
      wires_.push_back(std::move(wire));
    }
  }

  /// A place such as w12c-1.
  Entry entry(const Line& l) const {
    const string_view word = l.fields[0];
    Entry e{l};
    const char* const end = word.data() + word.size();
    const auto [behind, error] = std::from_chars(word.data() + 1, end, e.wire);
    bool good =
        (word[0] == 'w' || word[0] == 'W') && error == std::errc() && behind != end;
    if (good) {
      e.at = static_cast<char>(*behind | 0x20);
      good = e.at == 'b' || e.at == 'c' || e.at == 'e';
      const char* first = behind + 1;
      if (good && first != end) {
        if (*first == '+') ++first;
        const auto [last, wrong] = std::from_chars(first, end, e.offset);
        good = wrong == std::errc() && last == end && std::abs(e.offset) < 1'000'000;
      }
    }
    if (!good)
      messages_.refuse(l.number,
                       fmt::format("field 1 (place) must be a wire and b, c or e, as in "
                                   "w1c or w2b1 (got {}).",
                                   quote_text(word)));
    if (e.wire < 1 || e.wire > static_cast<int>(wires_.size()))
      messages_.refuse(l.number, fmt::format("there is no wire {} (the file has {}). "
                                             "Correct the place {}.",
                                             e.wire, wires_.size(), quote_text(word)));
    if (wires_[static_cast<std::size_t>(e.wire) - 1].radius_m == 0)
      messages_.refuse(l.number,
                       fmt::format("wire {} has radius 0 and is left out. Give it "
                                   "a radius, or move what is on it.",
                                   e.wire));
    return e;
  }

  std::vector<Entry> entries(string_view what) {
    if (!skip_heading()) return {};
    const Line head = line(fmt::format("number of {}s", what), 1);
    const int count = whole(head, 0, "count", 0, 100'000);
    if (count > 0 && what == "load" && head.fields.size() > 1 && head.fields[1] == "0")
      messages_.warn(head.number,
                     "loads are taken to be in use, whatever field 2 (0) stands for.");
    std::vector<Entry> all;
    for (int i = 0; i < count; ++i)
      all.push_back(entry(line(fmt::format("{} (place and values)", what), 3)));
    return all;
  }

  void read_segmentation() {
    if (!skip_heading()) {
      messages_.warn(last_line(),
                     "no segmentation is given: DM1 400, DM2 40, SC 2, EC 1.");
      return;
    }
    const Line l = line("segmentation (DM1 DM2 SC EC)", 4);
    cut_.finest = real(l, 0, "DM1", 1, 1e6);
    cut_.coarsest = real(l, 1, "DM2", 1, 1e6);
    cut_.growth = real(l, 2, "SC", 1, 100);
    cut_.finest_count = whole(l, 3, "EC", 1, 10'000);
  }

  void read_environment() {
    environment_line_ = last_line();
    if (!skip_heading()) {
      messages_.warn(last_line(), "no ground is given: the antenna is in free space.");
      return;
    }
    const Line l = line("G, H, M, R, Az, El, X", 3);
    environment_line_ = l.number;
    ground_ = whole(l, 0, "G, ground", 0, 2);
    const double height_m = real(l, 1, "H, height", -1e9, 1e9);
    if (const double material = real(l, 2, "M, material"); material != 0)
      messages_.warn(l.number,
                     fmt::format("material M = {:g} is not read: the wires have no loss. "
                                 "Convert the file to a NEC deck and add a card such as "
                                 "LD 5 0 0 0 5.8E7 (copper).",
                                 material));
    if (l.fields.size() > 3)
      reference_ohm_ = real(l, 3, "R, reference impedance", 0, 1e9);
    if (ground_ == 2)
      messages_.warn(
          l.number,
          "the file has no constants of the ground: permittivity 13 and 5 mS/m "
          "are assumed, currents as over perfect ground (GN 3), as in "
          "MMANA-GAL. For a more accurate ground convert the file to a NEC deck "
          "and change GN 3 to GN 2.");
    if (l.fields.size() > 6 && real(l, 6, "X") != 0)
      messages_.warn(l.number, "field 7 (X) has no effect.");
    if (more() && !lines_[next_].starts_with("###"))
      messages_.warn(static_cast<int>(next_) + 1, "what follows the ground is not read.");
    if (ground_ == 0) return;
    for (Wire& wire : wires_)
      for (Vec3* const end_m : {&wire.start_m, &wire.end_m}) {
        end_m->z += height_m;
        if (std::abs(end_m->z) < 1e-6 * lambda_m_) end_m->z = 0;
        if (end_m->z < 0 && wire.radius_m > 0)
          messages_.refuse(wire.line,
                           fmt::format("the wire reaches {:g} m below the ground. Raise "
                                       "it, or the height H ({:g} m) in line {}.",
                                       -end_m->z, height_m, l.number));
      }
  }

  /// Segments are counted from the middle of these wires: one of them has to be there.
  void find_middles(const std::vector<Entry>& entries) {
    for (const Entry& e : entries) {
      Wire& wire = wires_[static_cast<std::size_t>(e.wire) - 1];
      if (e.at != 'c') continue;
      if (wire.mode > 0 && wire.mode % 2 == 0) {
        messages_.warn(e.line.number,
                       fmt::format("wire {} gets {} segments instead of {}, so that one "
                                   "has the middle.",
                                   e.wire, wire.mode + 1, wire.mode));
        ++wire.mode;
      }
      if (wire.mode < -1)
        messages_.warn(e.line.number,
                       fmt::format("wire {} is finer at one end: its middle is in the "
                                   "segment that holds it, not at a segment's centre.",
                                   e.wire));
    }
  }

  /// Segments begin at an end with EC of a wavelength / DM1, and grow by SC until a
  /// wavelength / DM2; the rest has equal ones.
  void cut(Wire& wire) {
    if (wire.radius_m == 0) return;
    const double length_m = norm(wire.end_m - wire.start_m),
                 coarsest_m = lambda_m_ / cut_.coarsest;
    const double ends = wire.mode == -1 ? 2 : 1;
    std::vector<Piece> taper;
    double rest_m = length_m, next_m = coarsest_m;
    if (wire.mode < 0 && cut_.growth > 1) {
      next_m = std::min(lambda_m_ / cut_.finest, coarsest_m);
      int count = cut_.finest_count;
      while (next_m < coarsest_m && rest_m - ends * count * next_m >= next_m &&
             static_cast<double>(taper.size()) < mmana_segments_a_wire) {
        taper.push_back({count, count * next_m});
        rest_m -= ends * count * next_m;
        next_m = std::min(next_m * cut_.growth, coarsest_m);
        count = 1;
      }
    }
    const double needed = wire.mode > 0 ? wire.mode : std::ceil(rest_m / next_m - 1e-9);
    if (needed + static_cast<double>(taper.size()) > mmana_segments_a_wire)
      messages_.refuse(wire.line,
                       fmt::format("the wire would get more than {:.0f} segments. Reduce "
                                   "DM1 and DM2, or give their number.",
                                   mmana_segments_a_wire));
    int middle = std::max(1, static_cast<int>(needed));
    if (wire.mode <= 0 && middle % 2 == 0) ++middle;
    if (wire.mode != -3) wire.pieces = taper;
    wire.pieces.push_back({middle, rest_m});
    if (wire.mode == -1 || wire.mode == -3)
      wire.pieces.insert(wire.pieces.end(), taper.rbegin(), taper.rend());
    for (const Piece& piece : wire.pieces) wire.segments += piece.segments;
    segments_ += wire.segments;
    if (segments_ > mmana_segments)
      messages_.refuse(wire.line,
                       fmt::format("more than {} segments up to here. Reduce DM1 "
                                   "and DM2.",
                                   mmana_segments));
  }

  void write_wire(int tag, const Wire& wire) {
    const double length_m = norm(wire.end_m - wire.start_m);
    double along_m = 0;
    Vec3 from = wire.start_m;
    for (const Piece& piece : wire.pieces) {
      along_m += piece.length_m;
      const Vec3 to =
          &piece == &wire.pieces.back()
              ? wire.end_m
              : wire.start_m + (along_m / length_m) * (wire.end_m - wire.start_m);
      add(wire.line,
          fmt::format("GW {} {} {} {} {} {} {} {} {}", tag, piece.segments, from.x,
                      from.y, from.z, to.x, to.y, to.z, wire.radius_m));
      from = to;
    }
  }

  /// The segment in the middle of the wire, from 1.
  static int middle(const Wire& wire) {
    double left_m = norm(wire.end_m - wire.start_m) / 2;
    int before = 0;
    for (const Piece& piece : wire.pieces) {
      if (left_m <= piece.length_m)
        return before +
               std::clamp(static_cast<int>(left_m / piece.length_m * piece.segments) + 1,
                          1, piece.segments);
      left_m -= piece.length_m;
      before += piece.segments;
    }
    return before;
  }

  /// Tag and segment of a place; offsets at an end go into the wire.
  std::string place(const Entry& e) const {
    const Wire& wire = wires_[static_cast<std::size_t>(e.wire) - 1];
    const int segment = e.at == 'b'   ? 1 + e.offset
                        : e.at == 'e' ? wire.segments - std::abs(e.offset)
                                      : middle(wire) + e.offset;
    if (segment < 1 || segment > wire.segments)
      messages_.refuse(
          e.line.number,
          fmt::format("{} is beyond wire {}, which has {}. Reduce the offset.",
                      quote_text(e.line.fields[0]), e.wire,
                      counted(static_cast<std::size_t>(wire.segments), "segment")));
    return fmt::format("{} {}", e.wire, segment);
  }

  void write_source(const Entry& e) {
    const double phase_deg = real(e.line, 1, "phase, degrees"),
                 voltage_v = real(e.line, 2, "voltage");
    // Without the rounding errors of cos(90 degrees).
    const std::complex<double> v =
        std::polar(1.0, std::remainder(phase_deg, 360) * std::numbers::pi / 180);
    const auto part = [&](double x) { return std::abs(x) < 1e-15 ? 0.0 : voltage_v * x; };
    add(e.line.number,
        fmt::format("EX 0 {} 0 {} {}", place(e), part(v.real()), part(v.imag())));
  }

  void write_load(const Entry& e) {
    const int type = whole(e.line, 1, "type of load", 0, 1'000'000);
    const std::string at = place(e), segment = at.substr(at.find(' ') + 1);
    const auto load = [&](int ld, double a, double b, double c) {
      add(e.line.number, fmt::format("LD {} {} {} {} {} {}", ld, at, segment, a, b, c));
    };
    if (type > 1)
      messages_.refuse(
          e.line.number,
          fmt::format("loads of type {} (S domain) are not read. Give R and X "
                      "(type 1) or L, C and Q (type 0).",
                      type));
    if (e.line.fields.size() < 4)
      messages_.refuse(e.line.number,
                       "too few fields: a load has a place, a type and its "
                       "values. Correct the line.");
    if (type == 1)
      return load(4, real(e.line, 2, "R, ohm"), real(e.line, 3, "X, ohm"), 0);
    const double l_h = real(e.line, 2, "L, uH", 0, 1e12) / 1e6,
                 c_f = real(e.line, 3, "C, pF", 0, 1e15) / 1e12,
                 q = e.line.fields.size() > 4 ? real(e.line, 4, "Q", 0, 1e12) : 0;
    const double omega = 2 * std::numbers::pi * frequency_mhz_ * 1e6;
    if (l_h == 0 && c_f == 0)
      messages_.warn(e.line.number, "a load without L and C is left out.");
    else if (c_f == 0)
      load(0, q > 0 ? omega * l_h / q : 0, l_h, 0);
    else if (l_h == 0)
      load(0, q > 0 ? 1 / (omega * c_f * q) : 0, 0, c_f);
    else if (q > 0)
      load(6, q, l_h, c_f);
    else
      load(1, 0, l_h, c_f);
    traps_ += l_h > 0 && c_f > 0;
  }

  void tell_inferred() {
    constexpr const char* grounds[] = {"free space", "perfect ground", "real ground"};
    warnings_.insert(
        warnings_.begin(),
        fmt::format(
            "{}: read as a file of MMANA-GAL: {} in {} at {:g} MHz, {}{}. Sources "
            "and loads are on segments; Az and El have no effect.",
            messages_.name(), counted(wires_.size(), "wire"),
            counted(static_cast<std::size_t>(segments_), "segment"), frequency_mhz_,
            grounds[ground_], traps_ > 0 ? ", L and C of a load in parallel" : ""));
  }

  std::vector<string_view> lines_;
  std::size_t next_ = 0;
  DeckMessages messages_;
  std::vector<std::string>& warnings_;
  ConvertedDeck deck_;
  std::vector<Wire> wires_;
  Segmentation cut_;
  double frequency_mhz_ = 0, lambda_m_ = 0, reference_ohm_ = 0;
  int frequency_line_ = 0, environment_line_ = 0, ground_ = 0, traps_ = 0;
  std::int64_t segments_ = 0;
};

/// Returns the lines at the beginning that are not empty. The mark is one of them: a
/// large deck need not be cut up.
std::vector<string_view> first_lines(string_view text) {
  std::vector<string_view> lines = lines_of(text.substr(0, 4096));
  std::erase_if(lines, [](string_view line) { return line.empty(); });
  return lines;
}

}  // namespace

bool is_mmana(string_view text) {
  const std::vector<string_view> lines = first_lines(text);
  const auto mark = std::ranges::find(lines, "*");
  return mark - lines.begin() < 2 && lines.end() - mark > 1 && number(mark[1]);
}

std::string broken_mmana(string_view text, string_view name) {
  const std::vector<string_view> lines = first_lines(text);
  const auto is_section = [](string_view line) {
    return line.size() > 6 && line.starts_with("***") && line.ends_with("***");
  };
  const auto end = std::ranges::find_if(
      lines, [](string_view line) { return lower_name(line.substr(0, 2)) == "en"; });
  // A deck that was made of a file keeps its name.
  const auto is_card = [](string_view line) {
    const std::string first = lower_name(line.substr(0, 2));
    return first == "cm" || first == "ce" || first == "gw";
  };
  if (std::none_of(lines.begin(), end, is_section) &&
      (!lower_name(name).ends_with(".maa") || std::any_of(lines.begin(), end, is_card)))
    return "";
  const auto mark = std::ranges::find(lines, "*");
  const std::string got =
      mark - lines.begin() >= 2 || mark == lines.end() ? "there is no such line"
      : lines.end() - mark > 1 ? fmt::format("the frequency is {}", quote_text(mark[1]))
                               : "nothing is behind it";
  return fmt::format(
      "a file of MMANA-GAL has a line * behind its title, and the frequency in MHz on "
      "the "
      "next one ({}). Correct these lines.",
      got);
}

ConvertedDeck read_mmana(string_view text, const std::string& name,
                         std::vector<std::string>& warnings) {
  return MmanaReader(text, name, warnings).read();
}

}  // namespace thinwire
