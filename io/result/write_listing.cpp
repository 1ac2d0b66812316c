#include "io/result/write_listing.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "io/deck/data_cards.h"
#include "io/result/listing_blocks.h"
#include "io/result/output_file.h"
#include "kernels/base/constants.h"
#include "kernels/base/printable.h"

namespace thinwire {
namespace {

std::string title() {
  constexpr const char* margin = "                              ";
  const std::string signature = fmt::format("{} {}", text_signature, THINWIRE_VERSION);
  return fmt::format(
      "\n\n\n{0} __________________________________________\n{0}|{1:42}|\n"
      "{0}|{2:^42}|\n{0}|{3:^42}|\n{0}|__________________________________________|\n",
      margin, "", "NUMERICAL ELECTROMAGNETICS CODE, LISTING", signature);
}

std::string comments(const Problem& problem) {
  std::string out =
      "\n\n\n                               ---------------- COMMENTS ----------------\n";
  for (const std::string& comment : problem.comments)
    out += "                               " + printable(comment) + '\n';
  return out;
}

/// Returns the lines that programs around nec2c look for, one for each line of the
/// message.
std::string error_line(std::string_view message) {
  std::string text = "\n\n";
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    text += fmt::format("\n  ERROR: {}\n", printable(line));
    message.remove_prefix(std::min(line.size() + 1, message.size()));
  }
  return text;
}

std::string frequency_block(const Run& run, double frequency_hz) {
  return fmt::format(
             "\n\n                               --------- FREQUENCY --------\n"
             "                                FREQUENCY : {:.4E} MHz\n"
             "                                WAVELENGTH: {:.4E} Mtr\n",
             frequency_hz / 1e6, speed_of_light_m_per_s / frequency_hz) +
         (run.extended_kernel ? "\n                        THE EXTENDED THIN WIRE KERNEL "
                                "IS ASKED FOR: THE EXACT ONE IS USED\n"
                              : "");
}

const char* name_of(const Ground& ground) {
  switch (ground.kind) {
    case Ground::Kind::perfect:
      return "PERFECT GROUND";
    case Ground::Kind::sommerfeld:
      return "FINITE GROUND - SOMMERFELD SOLUTION";
    case Ground::Kind::coefficients:
      return "FINITE GROUND - REFLECTION COEFFICIENT APPROXIMATION";
    case Ground::Kind::mininec:
      return "PERFECT GROUND FOR CURRENTS, FINITE GROUND FOR PATTERNS";
    case Ground::Kind::none:
      break;
  }
  return "FREE SPACE";
}

std::string environment_block(const Ground& ground, double frequency_hz) {
  std::string out =
      "\n\n                            -------- ANTENNA ENVIRONMENT --------\n";
  if (ground.screen.radials > 0)
    out += fmt::format(
        "                            RADIAL WIRE GROUND SCREEN\n"
        "                            {} WIRES\n"
        "                            WIRE LENGTH: {:8.2f} METERS\n"
        "                            WIRE RADIUS: {:10.3E} METERS\n"
        "                            MEDIUM UNDER SCREEN -\n",
        ground.screen.radials, ground.screen.radius_m, ground.screen.wire_radius_m);
  out += fmt::format("                            {}\n", name_of(ground));
  if (!ground.is_dielectric()) return out;
  const Complex eps = ground.permittivity(wavenumber_rad_per_m(frequency_hz));
  return out +
         fmt::format(
             "                            RELATIVE DIELECTRIC CONST: {:.3f}\n"
             "                            CONDUCTIVITY: {: .3E} MHOS/METER\n"
             "                            COMPLEX DIELECTRIC CONSTANT: {: .4E}{:+.4E}j\n",
             ground.relative_permittivity, std::max(ground.conductivity_s_per_m, 0.0),
             eps.real(), eps.imag());
}

/// Stage times are kept for the whole job; a frequency's share is printed.
std::string timing_block(const Solution& solution) {
  const double share = 1000.0 / static_cast<double>(solution.frequencies.size());
  return fmt::format(
      "\n\n                             ---------- MATRIX TIMING ----------\n"
      "                               FILL: {:.0f} msec  FACTOR: {:.0f} msec\n",
      solution.timings_s.fill * share,
      (solution.timings_s.factor + solution.timings_s.solve) * share);
}

std::string input_block(const FrequencyResult& result) {
  if (result.ports.empty()) return "";
  return "\n\n                        --------- ANTENNA INPUT PARAMETERS ---------\n"
         "  TAG   SEG       VOLTAGE (VOLTS)         CURRENT (AMPS)         IMPEDANCE "
         "(OHMS) "
         "  "
         "     ADMITTANCE (MHOS)     POWER\n"
         "  No:   No:     REAL      IMAGINARY     REAL      IMAGINARY     REAL      "
         "IMAGINARY "
         "   REAL       IMAGINARY   (WATTS)\n" +
         listing::port_rows(result.ports);
}

/// One row of CURRENTS AND LOCATION or CHARGE DENSITIES: coordinates in wavelengths.
std::string segment_row(const Segment& segment, std::size_t number, double wavelength_m,
                        Complex value) {
  const Vec3 centre = (0.5 / wavelength_m) * (segment.start_m + segment.end_m);
  return fmt::format(
      "{:6} {:4} {:9.4f} {:9.4f} {:9.4f} {:9.5f} {:11.4E} {:11.4E} {:11.4E} {:8.3f}\n",
      number, segment.tag, centre.x, centre.y, centre.z,
      norm(segment.end_m - segment.start_m) / wavelength_m, value.real(), value.imag(),
      std::abs(value), std::arg(value) * 180.0 / pi);
}

std::string segment_rows(std::span<const Segment> segments,
                         const std::vector<Complex>& values, double frequency_hz,
                         const ListedSegments& listed) {
  std::string out;
  for (std::size_t i = 0; i < std::min(segments.size(), values.size()); ++i)
    if (listed.has(i, segments[i]))
      out += segment_row(segments[i], i + 1, speed_of_light_m_per_s / frequency_hz,
                         values[i]);
  return out;
}

std::string current_block(std::span<const Segment> segments, const Run& run,
                          const FrequencyResult& result) {
  const ListedSegments& listed = run.listing.current;
  // A receiving pattern takes its place.
  if (listed.mode == -1 || listed.mode > 0) return "";
  return "\n\n                           -------- CURRENTS AND LOCATION --------\n"
         "                                  DISTANCES IN WAVELENGTHS\n\n"
         "   SEG  TAG    COORDINATES OF SEGM CENTER     SEGM    ------------- CURRENT "
         "(AMPS) -------------\n"
         "   No:  No:       X         Y         Z      LENGTH     REAL      IMAGINARY    "
         "MAGN        PHASE\n" +
         segment_rows(segments, result.segment_current_a, result.frequency_hz, listed);
}

std::string charge_block(std::span<const Segment> segments, const Run& run,
                         const FrequencyResult& result) {
  const ListedSegments& listed = run.listing.charge;
  if (listed.mode == -1) return "";
  return "\n\n                                  ------ CHARGE DENSITIES ------\n"
         "                                     DISTANCES IN WAVELENGTHS\n\n"
         "   SEG   TAG    COORDINATES OF SEG CENTER     SEG          CHARGE DENSITY "
         "(COULOMBS/METER)\n"
         "   No:   No:     X         Y         Z       LENGTH     REAL      IMAGINARY    "
         " "
         "MAGN       PHASE\n" +
         segment_rows(segments, result.segment_charge_c_per_m, result.frequency_hz,
                      listed);
}

std::string power_block(const FrequencyResult& result) {
  const double input = result.input_power_w, loss = result.loss_power_w,
               networks = result.network_loss_w, radiated = input - loss - networks;
  const char* margin = "                               ";
  return fmt::format(
      "\n\n{0}---------- POWER BUDGET ---------\n"
      "{0}INPUT POWER   = {1:11.4E} Watts\n"
      "{0}RADIATED POWER= {2:11.4E} Watts\n"
      "{0}STRUCTURE LOSS= {3:11.4E} Watts\n"
      "{0}NETWORK LOSS  = {4:11.4E} Watts\n"
      "{0}EFFICIENCY    = {5:7.2f} Percent\n",
      margin, input, radiated, loss, networks,
      input != 0 ? 100.0 * radiated / input : 0.0);
}

/// The blocks that differ between layouts.
struct Blocks {
  decltype(&frequency_block) frequency;
  decltype(&environment_block) environment;
  decltype(&input_block) input;
  decltype(&current_block) current;
  decltype(&charge_block) charge;
  decltype(&power_block) power;
  decltype(&listing::near_field) near_field;
};
constexpr Blocks nec2c_blocks = {frequency_block,    environment_block, input_block,
                                 current_block,      charge_block,      power_block,
                                 listing::near_field};
constexpr Blocks nec2_blocks = {listing::nec2::frequency, listing::nec2::environment,
                                listing::nec2::input,     listing::nec2::current,
                                listing::nec2::charge,    listing::nec2::power,
                                listing::nec2::near_field};

/// Patterns and near fields in the order of their cards.
std::string field_blocks(const FrequencyResult& result, Ground ground,
                         bool last_frequency, ListingLayout layout,
                         const Blocks& blocks) {
  std::string out;
  std::size_t n = 0;
  const auto near_fields = [&](std::size_t patterns_before) {
    for (; n < result.near_fields.size() &&
           result.near_fields[n].request.patterns_before <= patterns_before;
         ++n)
      if (last_frequency || !result.near_fields[n].request.last_frequency_only)
        out += blocks.near_field(result.near_fields[n]);
  };
  for (std::size_t p = 0; p < result.patterns.size(); ++p) {
    near_fields(p);
    if (last_frequency || !result.patterns[p].request.last_frequency_only)
      out += listing::pattern(result.patterns[p], result.frequency_hz, ground, layout);
  }
  near_fields(result.patterns.size());
  return out;
}

}  // namespace

std::string solution_listing(const Problem& problem, const Solution& solution,
                             ListingLayout layout) {
  const Blocks& blocks = layout == ListingLayout::nec2 ? nec2_blocks : nec2c_blocks;
  const auto& segments = problem.structure.segments();
  std::string out = title() + comments(problem) + listing::structure(problem) + "\n\n\n" +
                    data_card_lines(problem.deck_text, problem.name, problem.symbols);
  const auto& all = solution.frequencies;
  std::size_t run_begin = 0;
  for (std::size_t f = 0; f < all.size(); ++f) {
    const Run& run = problem.runs.at(all[f].run);
    const bool first = f == 0 || all[f - 1].run != all[f].run;
    if (first) run_begin = f;
    const std::size_t waves = run.waves ? run.waves->count() : 1,
                      wave = (f - run_begin) % waves, next = f - wave + waves;
    const bool last = next >= all.size() || all[next].run != all[f].run;
    // Headings that did not change since the previous run are not repeated.
    const Run::Start start = first       ? run.start
                             : wave == 0 ? Run::Start::frequency
                                         : Run::Start::excitation;
    if (start == Run::Start::frequency) out += blocks.frequency(run, all[f].frequency_hz);
    if (start != Run::Start::excitation) {
      out += listing::loading(run);
      out += blocks.environment(run.ground, all[f].frequency_hz);
      out += timing_block(solution);
    }
    if (!all[f].solver.converged) out += error_line(missed_tolerance(all[f]));
    const bool receiving = run.listing.current.mode > 0;
    if (all[f].wave && !receiving) out += listing::excitation(*all[f].wave);
    if (wave == 0) out += listing::network_data(problem, run, all[f].frequency_hz);
    if (wave == 0 || !receiving) out += listing::network_ports(all[f].network_ports);
    out += blocks.input(all[f]);
    out += listing::gradients(problem, all[f]);
    out += blocks.current(segments, run, all[f]);
    if (receiving) out += listing::receiving(problem, run, all[f], wave);
    out += blocks.charge(segments, run, all[f]);
    if (!all[f].wave) out += blocks.power(all[f]);
    out += listing::couplings(problem, all[f].couplings);
    out += field_blocks(all[f], run.ground, last, layout, blocks);
    if (run.listing.current.mode > 1 && wave + 1 == waves)
      out += listing::normalised_receiving(problem, run,
                                           std::span(all).subspan(f - wave, waves));
  }
  return out + fmt::format("\n\n\n  TOTAL RUN TIME: {:.0f} msec\n",
                           1000 * solution.timings_s.total);
}

std::string error_listing(std::string_view message) {
  return title() + error_line(message);
}

}  // namespace thinwire
