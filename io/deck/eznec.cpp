// EZNEC's files: records of 170 bytes, little endian without padding, that its author
// published. Offsets and meanings as in the free program ezparse (S. A. Falco, 2020).
#include "io/deck/eznec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numbers>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "kernels/base/vec3.h"

namespace thinwire {
namespace {

constexpr std::size_t record_bytes = 170, check_offset = 63;
constexpr std::uint16_t check_constant = 1304, no_gauge = 0xFFFF, shorted = 0xFFFF,
                        open_end = 0xFFFE;
constexpr std::uint32_t max_records = 100'000;
/// Where the far ends of stubs lie, on wires too short to radiate: m.
constexpr double far_m = 9901;

template <class T>
T value_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bits |= std::uint64_t{static_cast<unsigned char>(bytes[offset + i])} << (8 * i);
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else
    return static_cast<T>(bits);
}

class EznecReader {
 public:
  EznecReader(std::string_view bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  std::string read() {
    const auto old_count = word(0, 0);
    // The 16-bit counts of earlier versions, unless they overflow.
    records_ = old_count < 32767 ? old_count : value_at<std::uint32_t>(bytes_, 124);
    wires_ = word(0, 48) < 32767 ? word(0, 48) : value_at<std::uint32_t>(bytes_, 128);
    if (records_ == 0 || records_ > max_records || wires_ == 0 || wires_ > records_ ||
        (records_ + 1) * record_bytes > bytes_.size())
      refuse("the file is damaged or was cut off. Save it in EZNEC again");
    mhz_ = real(0, 5, "the frequency");
    if (!(mhz_ > 0 && mhz_ < 1e6))
      refuse(fmt::format("the frequency must be positive (got {:g} MHz)", mhz_));
    read_blocks();
    std::string title(bytes_.substr(18, 30));
    title.erase(title.find_last_not_of(std::string("\0 ", 2)) + 1);
    add("CM {}", printable(utf8_text(std::move(title))));
    add("CM From {}, a file of EZNEC; plot settings and near fields are left out.",
        name_);
    if (word(0, 2) > 1) add("CM The second medium of its ground is left out.");
    add("CE");
    write_wires();
    const char ground = static_cast<char>(bytes_[54]);
    write_stub_ends();
    add("GE {}", ground == 'F' ? 0 : 1);
    // LD cards in a row are a group, which others would replace.
    write_losses();
    write_loads();
    write_insulation();
    write_ground(ground);
    write_sources();
    write_lines();
    write_transformers();
    write_l_networks();
    add("FR 0 {} 0 0 {:.7g} {:.7g}", sweep_count_, sweep_start_mhz_, sweep_step_mhz_);
    if (const float ohm = value_at<float>(bytes_, 110); ohm > 0 && std::isfinite(ohm))
      add("Z0 {:.7g}", ohm);
    cards_ += "XQ\nEN\n";
    return std::move(cards_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorKind::file, fmt::format("{}: {}.", name_, problem));
  }

  template <class... Values>
  void add(fmt::format_string<Values...> card, Values&&... values) {
    fmt::format_to(std::back_inserter(cards_), card, std::forward<Values>(values)...);
    cards_ += '\n';
  }

  // Fields of record 0 (the globals) and of records 1 on, each of which holds a wire, a
  // source, a load, a line and a medium of that number.
  std::uint16_t word(std::size_t record, std::size_t offset) const {
    return value_at<std::uint16_t>(bytes_, record * record_bytes + offset);
  }
  char letter(std::size_t record, std::size_t offset) const {
    return bytes_[record * record_bytes + offset];
  }
  double real(std::size_t record, std::size_t offset, const char* what) const {
    const float value = value_at<float>(bytes_, record * record_bytes + offset);
    if (!std::isfinite(value) || std::abs(value) > 1e30F)
      refuse(fmt::format("{} {}is no number. Save the file in EZNEC again", what,
                         record > 0 ? fmt::format("{} ", record) : ""));
    return value;
  }
  std::uint16_t count(std::size_t offset, const char* what) const {
    const std::uint16_t n = word(0, offset);
    if (n > records_)
      refuse(fmt::format("{} {} do not fit into {} records. Save the file in EZNEC again",
                         n, what, records_));
    return n;
  }

  /// Blocks behind the records. Of unknown ones only the length counts.
  void read_blocks() {
    sweep_start_mhz_ = mhz_;
    std::size_t at = (records_ + 3) * record_bytes;
    while (at + 7 <= bytes_.size()) {
      const auto type = value_at<std::uint16_t>(bytes_, at);
      const auto length = value_at<std::uint32_t>(bytes_, at + 2);
      if (length < 7 || length > bytes_.size() - at) return;
      const std::string_view block = bytes_.substr(at + 7, length - 7);
      if (type == 11 && block.size() >= 30) read_sweep(block);
      if (type == 12) read_each(block, 3, insulation_);
      if (type == 13) read_each(block, 2, metal_);
      if (type == 14) read_each(block, 2, line_loss_);
      if (type == 15) transformers_ = block;
      if (type == 17) l_networks_ = block;
      at += length;
    }
  }

  void read_sweep(std::string_view block) {
    const float start = value_at<float>(block, 18), stop = value_at<float>(block, 22),
                step = value_at<float>(block, 26);
    if (!(step > 0 && start > 0 && stop >= start && (stop - start) / step < 10000))
      return;
    sweep_start_mhz_ = start;
    sweep_step_mhz_ = step;
    sweep_count_ = static_cast<int>(std::floor((stop - start) / step + 1e-3)) + 1;
  }

  static void read_each(std::string_view block, std::size_t numbers,
                        std::vector<float>& values) {
    if (block.size() < 4) return;
    const std::size_t n = std::min<std::size_t>(value_at<std::uint32_t>(block, 0),
                                                (block.size() - 4) / (4 * numbers));
    for (std::size_t i = 0; i < n * numbers; ++i)
      values.push_back(value_at<float>(block, 4 + 4 * i));
  }

  double radius_m(std::size_t wire) const {
    const std::uint16_t gauge = word(wire, 44);
    if (gauge == no_gauge) return real(wire, 40, "the diameter of wire") / 2;
    return 0.0254 * 0.005 * std::pow(92, (36. - gauge) / 39) / 2;
  }

  int segments(std::size_t wire) const { return std::max<int>(1, word(wire, 46)); }

  Vec3 end_m(std::size_t wire, std::size_t offset) const {
    return {real(wire, offset, "an end of wire"),
            real(wire, offset + 4, "an end of wire"),
            real(wire, offset + 8, "an end of wire")};
  }

  void write_wires() {
    for (std::size_t wire = 1; wire <= wires_; ++wire) {
      const Vec3 a = end_m(wire, 16), b = end_m(wire, 28);
      add("GW {} {} {:.7g} {:.7g} {:.7g} {:.7g} {:.7g} {:.7g} {:.7g}", wire,
          segments(wire), a.x, a.y, a.z, b.x, b.y, b.z, radius_m(wire));
    }
  }

  /// Segment, from 1, in which a place in percent of a wire lies.
  int segment_at(std::size_t wire, double percent) const {
    const int n = segments(wire);
    return std::clamp(static_cast<int>(std::lround(percent / 100 * n + 0.5)), 1, n);
  }

  /// "tag segment" of a place in a record.
  std::string place(std::size_t record, std::size_t offset, const char* what) const {
    return place_on(word(record, offset), real(record, offset + 2, "the place of a part"),
                    what, record);
  }
  std::string place_on(std::size_t wire, double percent, const char* what,
                       std::size_t i) const {
    if (wire == 0 || wire > wires_)
      refuse(fmt::format("{} {} is on wire {} (the file has {}). Correct it in EZNEC",
                         what, i, wire, wires_));
    return fmt::format("{} {}", wire, segment_at(wire, percent));
  }

  /// Type and values of an LD card.
  struct Part {
    int type = 0;
    double value[3] = {0, 0, 0};
  };
  /// Returns the load of a circuit in series or parallel, or of a trap, whose resistance
  /// is the coil's at a frequency.
  Part part_of(char circuit, double r, double l, double c, double mhz) const {
    if (circuit == 'T' && r > 0)
      return {6, {2e6 * std::numbers::pi * (mhz > 0 ? mhz : mhz_) * l / r, l, c}};
    return {circuit == 'P' || circuit == 'T' ? 1 : 0, {r, l, c}};
  }

  void write_sources() {
    const std::uint16_t n = count(50, "sources");
    for (std::size_t i = 1; i <= n; ++i) {
      const char type = letter(i, 62);
      if (type != 'V' && type != 'I')
        refuse(
            fmt::format("source {} is a split source, which is not supported. Make it "
                        "one on a segment (V or I)",
                        i));
      // Amplitudes are rms values there.
      const double peak = std::numbers::sqrt2 * real(i, 54, "the amplitude of source"),
                   phase = std::numbers::pi / 180 *
                           std::remainder(real(i, 58, "the phase of source"), 360);
      // Without the rounding errors of cos(90 degrees).
      const auto part = [&](double x) { return std::abs(x) < 1e-15 ? 0 : peak * x; };
      add("EX {} {} 0 {:.7g} {:.7g}", type == 'V' ? 0 : 6, place(i, 48, "source"),
          part(std::cos(phase)), part(std::sin(phase)));
    }
  }

  void write_loads() {
    const std::uint16_t n = count(52, "loads");
    const char kind = static_cast<char>(bytes_[117]);
    if (n > 0 && kind == 'L')
      refuse(
          "its loads are Laplace coefficients, which are not supported. Give them as "
          "R, L and C");
    for (std::size_t i = 1; i <= n; ++i) {
      const std::string at = place(i, 63, "load");
      const std::string where = at + at.substr(at.find(' '));
      if (letter(i, 149) == 'P')
        refuse(
            fmt::format("load {} is connected in parallel with what else is on its "
                        "segment, which is not supported. Connect it in series",
                        i));
      if (kind == 'Z') {
        add("LD 4 {} {:.7g} {:.7g}", where, real(i, 69, "load"), real(i, 73, "load"));
        continue;
      }
      const Part part =
          part_of(letter(i, 150), real(i, 151, "load"), real(i, 155, "load"),
                  real(i, 159, "load"), real(i, 163, "load"));
      add("LD {} {} {:.7g} {:.7g} {:.7g}", part.type, where, part.value[0], part.value[1],
          part.value[2]);
    }
  }

  void write_losses() {
    for (std::size_t wire = 1; wire <= wires_; ++wire) {
      const bool each = 2 * wire <= metal_.size();
      const double rho = each ? metal_[2 * wire - 2] : real(0, 98, "the resistivity"),
                   mu = each ? metal_[2 * wire - 1] : real(0, 102, "the permeability");
      if (rho > 0 && std::isfinite(rho))
        add("LD 5 {} 0 0 {:.7g} {:.7g}", wire, 1 / rho, mu > 0 ? mu : 1);
    }
  }

  void write_insulation() {
    for (std::size_t wire = 1; 3 * wire <= insulation_.size() && wire <= wires_; ++wire) {
      const double permittivity = insulation_[3 * wire - 3],
                   thickness = insulation_[3 * wire - 2],
                   tangent = insulation_[3 * wire - 1];
      if (thickness > 0 && permittivity > 1)
        add("IS 0 {} 0 0 {:.7g} {:.7g} {:.7g}", wire, permittivity,
            2e6 * std::numbers::pi * mhz_ * eps0_f_per_m * permittivity *
                std::max(0., tangent),
            radius_m(wire) + thickness);
    }
  }

  void write_ground(char kind) {
    if (kind == 'F') return;
    if (kind == 'P') {
      add("GN 1");
      return;
    }
    if (kind != 'R')
      refuse(fmt::format("its ground is of the unknown type {}. Choose one in EZNEC",
                         static_cast<int>(static_cast<unsigned char>(kind))));
    const char analysis = static_cast<char>(bytes_[123]);
    add("GN {} 0 0 0 {:.7g} {:.7g}",
        analysis == 'M'   ? 3
        : analysis == 'F' ? 0
                          : 2,
        real(1, 4, "the permittivity of the ground"),
        real(1, 0, "the conductivity of the ground"));
  }

  bool is_stub(std::size_t line, std::size_t end) const {
    const std::uint16_t wire = word(line, end);
    return wire == shorted || wire == open_end;
  }

  /// A short wire for each end of a line that is on none.
  void write_stub_ends() {
    const std::uint16_t n = count(120, "transmission lines");
    for (std::size_t i = 1; i <= n; ++i)
      if (is_stub(i, 125) || is_stub(i, 131))
        add("GW {} 1 {} {} {} {} {} {} 1e-5", wires_ + i, far_m, i, far_m, far_m, i,
            far_m + 2e-4);
    if (word(0, 154) > 0 && bytes_[114] >= 51)
      refuse(
          "it has networks of admittances, which are not supported. Delete them, and add "
          "NT cards to the converted deck");
  }

  float number_in(std::string_view block, std::size_t at, const char* what) const {
    const float value = at + 4 <= block.size() ? value_at<float>(block, at) : NAN;
    if (!std::isfinite(value) || std::abs(value) > 1e30F)
      refuse(fmt::format("its {} are damaged. Save the file in EZNEC again", what));
    return value;
  }

  /// "tag segment tag segment" of one of n parts. A block of theirs has wires and
  /// percents of both ends in two arrays, the first row of which is not used.
  std::string ends_in(std::string_view block, std::size_t n, std::size_t i,
                      const char* what) const {
    std::string ends;
    for (std::size_t end = 0; end < 2; ++end) {
      const std::size_t wire_at = 4 + 8 * i + 4 * end, percent_at = wire_at + 8 * (n + 1);
      const double percent = number_in(block, percent_at, what);
      ends += place_on(value_at<std::uint32_t>(block, wire_at), percent, what, i) + ' ';
    }
    return ends;
  }

  void write_transformers() {
    const std::size_t n = bytes_[114] >= 51 ? word(0, 152) : 0;
    for (std::size_t i = 1; i <= n; ++i) {
      const std::string ends = ends_in(transformers_, n, i, "transformers");
      const std::size_t at = 4 + 16 * (n + 1) + 8 * i;
      const double one = number_in(transformers_, at, "transformers"),
                   two = number_in(transformers_, at + 4, "transformers");
      if (one == 0 || two == 0)
        refuse(fmt::format("transformer {} has an impedance of 0", i));
      // The ratio of impedances; a negative one is reversed.
      add("LN {}T {:.7g}", ends,
          std::copysign(std::sqrt(std::abs(two / one)), two / one));
    }
  }

  /// The first branch is in series at end 1, the second across end 2.
  void write_l_networks() {
    constexpr const char* what = "L networks";
    const std::size_t n = bytes_[114] >= 51 ? word(0, 156) : 0;
    const bool as_parts = bytes_[89] == 'R';
    const std::size_t parts_at = 4 + 32 * (n + 1), types_at = parts_at + 4 + 32 * (n + 1);
    for (std::size_t i = 1; i <= n; ++i) {
      std::string card = "LN " + ends_in(l_networks_, n, i, what);
      for (std::size_t b = 0; b < 2; ++b) {
        Part part;
        if (as_parts) {
          const std::size_t at = parts_at + 4 + 32 * i + 4 * b,
                            type = types_at + 2 * i + b;
          if (type >= l_networks_.size())
            refuse(fmt::format("its {} are damaged. Save the file in EZNEC again", what));
          part = part_of(l_networks_[type], number_in(l_networks_, at, what),
                         number_in(l_networks_, at + 8, what),
                         number_in(l_networks_, at + 16, what),
                         number_in(l_networks_, at + 24, what));
        } else {
          const std::size_t at = 4 + 16 * (n + 1) + 16 * i + 8 * b;
          part = {4,
                  {number_in(l_networks_, at, what), number_in(l_networks_, at + 4, what),
                   0}};
        }
        card += fmt::format("{}{} {:.7g} {:.7g} {:.7g}", b == 0 ? "S" : " P", part.type,
                            part.value[0], part.value[1], part.value[2]);
      }
      add("{}", card);
    }
  }

  void write_lines() {
    const std::uint16_t n = count(120, "transmission lines");
    for (std::size_t i = 1; i <= n; ++i) {
      std::string ends;
      double shunt[2] = {0, 0};
      Vec3 centre[2];
      for (const std::size_t end : {0U, 1U}) {
        const std::size_t offset = end == 0 ? 125 : 131;
        if (is_stub(i, offset)) {
          if (is_stub(i, 256 - offset))
            refuse(fmt::format("line {} is on no wire. Delete it", i));
          ends += fmt::format("{} 1 ", wires_ + i);
          shunt[end] = word(i, offset) == shorted ? 1e10 : 0;
          continue;
        }
        ends += place(i, offset, "line") + ' ';
        const std::size_t wire = word(i, offset);
        const double along =
            (segment_at(wire, real(i, offset + 2, "line")) - 0.5) / segments(wire);
        centre[end] = (1 - along) * end_m(wire, 16) + along * end_m(wire, 28);
      }
      const double factor = real(i, 145, "line"), given = real(i, 141, "line");
      if (!(factor > 0 && factor <= 1))
        refuse(fmt::format("the velocity factor of line {} must be 0 .. 1 (got {:g})", i,
                           factor));
      // Electrical length: of metres by the velocity factor, or of degrees.
      const double length = given < 0
                                ? -given / 360 * speed_of_light_m_per_s / (mhz_ * 1e6)
                            : given > 0 ? given / factor
                                        : norm(centre[1] - centre[0]) / factor;
      if (length == 0) refuse(fmt::format("line {} has no length", i));
      // All losses, in dB per 100 feet, stand before all their frequencies.
      const std::size_t lossy = line_loss_.size() / 2;
      const double loss = i <= lossy ? line_loss_[i - 1] : 0;
      const double loss_mhz = loss > 0 ? line_loss_[lossy + i - 1] : 0;
      add("TL {}{:.7g} {:.7g} {:g} 0 {:g} 0{}", ends, real(i, 137, "line"),
          loss > 0 ? length * factor : length, shunt[0], shunt[1],
          loss > 0 ? fmt::format(" {:.7g} {:.7g} {:.7g}", loss / 0.3048,
                                 loss_mhz > 0 ? loss_mhz : mhz_, factor)
                   : "");
    }
  }

  std::string_view bytes_, transformers_, l_networks_;
  std::string name_, cards_;
  std::size_t records_ = 0, wires_ = 0;
  double mhz_ = 0, sweep_start_mhz_ = 0, sweep_step_mhz_ = 0;
  int sweep_count_ = 1;
  std::vector<float> insulation_, metal_, line_loss_;
};

}  // namespace

bool is_eznec(std::string_view bytes) {
  // No text has a byte 0 there.
  return bytes.size() >= 2 * record_bytes &&
         value_at<std::uint16_t>(bytes, check_offset) == check_constant &&
         bytes.substr(0, record_bytes).find('\0') != bytes.npos;
}

std::string eznec_cards(std::string_view bytes, const std::string& name) {
  return EznecReader(bytes, printable(name)).read();
}

}  // namespace thinwire
