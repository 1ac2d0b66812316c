#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/result/listing_blocks.h"
#include "mom/postprocess/polarization.h"
#include "mom/postprocess/radiation.h"

namespace thinwire::listing {
namespace {
/// Over ground nec2c leaves out what lies beyond.
constexpr double last_theta_over_ground_deg = 90.01;

/// e^{-jkr}/r as NEC prints it: 1/r, and the phase without whole turns.
struct RangeFactor {
  double magnitude = 1, phase_deg = 0;
  RangeFactor(double distance_m, double frequency_hz) {
    if (!(distance_m > 0)) return;
    const double turns = distance_m * frequency_hz / speed_of_light_m_per_s;
    magnitude = 1.0 / distance_m;
    phase_deg = -360.0 * (turns - std::floor(turns));
  }
};

/// Calls visit(theta index, phi index) with theta running fastest, NEC's order.
template <class Visit>
void for_each_direction(const PatternResult& p, Visit&& visit) {
  for (std::size_t j = 0; j < p.phi_deg.size(); ++j)
    for (std::size_t i = 0; i < p.theta_deg.size(); ++i) visit(i, j);
}

std::string pattern_heading(const PatternRequest& request, const RangeFactor& range) {
  std::string out =
      "\n\n                             ---------- RADIATION PATTERNS -----------\n\n";
  if (request.distance_m > 0)
    out += fmt::format(
        "                             RANGE: {:13.6E} METERS\n"
        "                             EXP(-JKR)/R: {:12.5E} AT PHASE: {:7.2f} "
        "DEGREES\n\n",
        request.distance_m, range.magnitude, range.phase_deg);
  out += fmt::format(
      " ---- ANGLES -----     {}      ---- POLARIZATION ----   ---- E(THETA) ----    "
      "----- E(PHI) ------\n",
      request.directive ? "--- DIRECTIVE GAINS ---" : "----- POWER GAINS ----- ");
  out += fmt::format(
      "  THETA      PHI       {}    TOTAL       AXIAL      TILT  SENSE   MAGNITUDE    "
      "PHASE    MAGNITUDE     PHASE\n",
      request.vertical_horizontal ? "VERTC    HORIZ" : "MAJOR    MINOR");
  return out +
         " DEGREES   DEGREES        DB       DB       DB       RATIO   DEGREES           "
         " "
         "VOLTS/M   DEGREES     VOLTS/M   DEGREES\n";
}

std::string nec2_heading(const PatternRequest& request, const RangeFactor& range) {
  std::string out = fmt::format("\n\n\n{:48}- - - RADIATION PATTERNS - - -\n", "");
  if (request.distance_m > 0)
    out += fmt::format(
        "{0:54}RANGE={1:13.6E} METERS\n{0:54}EXP(-JKR)/R={2:12.5E} AT PHASE{3:7.2f} "
        "DEGREES\n\n",
        "", request.distance_m, range.magnitude, range.phase_deg);
  return out + nec2::pattern_heading(request);
}

/// Rows of nec2c and of NEC-2.
constexpr const char* row_formats[] = {
    " {:7.2f} {:9.2f}  {:8.2f} {:8.2f} {:8.2f} {:11.4f} {:9.2f} {:<6} {:11.4E} {:9.2f} "
    "{:11.4E} {:9.2f}\n",
    " {:7.2f}{:9.2f}   {:8.2f}{:8.2f}{:8.2f}{:11.5f}{:9.2f}  {:<6}{:15.5E}{:9.2f}"
    "{:15.5E}{:9.2f}\n"};

std::string pattern_row(const PatternResult& p, std::size_t i, std::size_t j,
                        const RangeFactor& range, ListingLayout layout) {
  const std::size_t at = i * p.phi_deg.size() + j;
  const Complex e_theta = p.e_theta_v[at], e_phi = p.e_phi_v[at];
  const Polarization ellipse = polarization(e_theta, e_phi);
  const Gains g = gains(e_theta, e_phi, p.reference_power_w);
  const bool vertical = p.request.vertical_horizontal;
  return fmt::format(
      fmt::runtime(row_formats[static_cast<int>(layout)]), p.theta_deg[i], p.phi_deg[j],
      vertical ? g.vertical : g.major, vertical ? g.horizontal : g.minor, g.total,
      ellipse.axial_ratio, ellipse.tilt_deg, sense_name(ellipse.sense),
      std::abs(e_theta) * range.magnitude, std::arg(e_theta) * deg + range.phase_deg,
      std::abs(e_phi) * range.magnitude, std::arg(e_phi) * deg + range.phase_deg);
}

const char* normalised_title(int choice) {
  switch (choice) {
    case 1:
      return "                                       MAJOR AXIS GAIN\n";
    case 2:
      return "                                        MINOR AXIS GAIN\n";
    case 3:
      return "                                          VERTICAL GAIN\n";
    case 4:
      return "                                        HORIZONTAL GAIN\n";
  }
  return "                                             TOTAL  GAIN\n";
}

/// Three entries a line, running down the first column, then the second and third.
std::string normalised_table(const PatternResult& p) {
  struct Entry {
    double theta_deg, phi_deg, gain_db;
  };
  std::vector<Entry> entries;
  double top = gain_floor_db;
  for_each_direction(p, [&](std::size_t i, std::size_t j) {
    const std::size_t at = i * p.phi_deg.size() + j;
    const double gain = normalised_choice(
        gains(p.e_theta_v[at], p.e_phi_v[at], p.reference_power_w), p.request.normalised);
    entries.push_back({p.theta_deg[i], p.phi_deg[j], gain});
    top = std::max(top, gain);
  });
  const double factor = p.request.gain_normal_dbi != 0 ? p.request.gain_normal_dbi : top;

  std::string out =
      "\n\n                              ---------- NORMALIZED GAIN ----------\n";
  out += normalised_title(p.request.normalised);
  out += fmt::format(
      "                                   NORMALIZATION FACTOR: {:.2f} db\n\n"
      "    ---- ANGLES ----                ---- ANGLES ----                ---- ANGLES "
      "----\n"
      "    THETA      PHI        GAIN      THETA      PHI        GAIN      THETA      "
      "PHI       GAIN\n"
      "   DEGREES   DEGREES        DB     DEGREES   DEGREES        DB     DEGREES   "
      "DEGREES       DB\n",
      factor);
  const std::size_t rows = (entries.size() + 2) / 3;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = row; at < entries.size(); at += rows)
      fmt::format_to(std::back_inserter(out), "{}{:9.2f} {:9.2f} {:9.2f}",
                     at == row ? " " : "   ", entries[at].theta_deg, entries[at].phi_deg,
                     entries[at].gain_db - factor);
    out += '\n';
  }
  return out;
}

/// RP 2 to 6: what reflects where.
std::string ground_in_parts(const PatternRequest& request, const RadialScreen& screen) {
  using Mode = PatternRequest::Mode;
  if (request.mode == Mode::plain) return "";
  constexpr const char* margin = "                               ";
  std::string out =
      fmt::format("\n\n{}------ FAR FIELD GROUND PARAMETERS ------\n\n", margin);
  if (request.mode >= Mode::screen)
    out += fmt::format(
        "\n{0}--- RADIAL WIRE GROUND SCREEN ---\n"
        "{0}NUM OF WIRES= {1}\n"
        "{0}WIRE LENGTH= {2:8.2f} METERS\n"
        "{0}WIRE RADIUS= {3:10.3E} METERS",
        margin, screen.radials, screen.radius_m, screen.wire_radius_m);
  if (request.mode != Mode::screen && request.second) {
    const bool line = request.mode == Mode::line || request.mode == Mode::screen_line;
    out += fmt::format(
        "\n{0}--- {1} CLIFF ---\n"
        "{0}EDGE DISTANCE= {2:9.2f} METERS\n"
        "{0}       HEIGHT= {3:9.2f} METERS\n"
        "{0}--- SECOND MEDIUM ---\n"
        "{0}RELATIVE DIELECTRIC CONST= {4:10.3f}\n"
        "{0}      GROUND CONDUCTIVITY= {5:10.3f} MHOS",
        margin, line ? "LINEAR" : "CIRCULAR", request.second->edge_m,
        request.second->drop_m, request.second->ground.relative_permittivity,
        request.second->ground.conductivity_s_per_m);
  }
  return out + '\n';
}

}  // namespace

std::string pattern(const PatternResult& p, double frequency_hz, Ground ground,
                    ListingLayout layout) {
  const bool nec2 = layout == ListingLayout::nec2;
  const RangeFactor range(p.request.distance_m, frequency_hz);
  std::string out =
      ground_in_parts(p.request, ground.screen) +
      (nec2 ? nec2_heading(p.request, range) : pattern_heading(p.request, range));
  if (p.request.average != 2)
    for_each_direction(p, [&](std::size_t i, std::size_t j) {
      if (ground == Ground::none || radiates_down(ground) ||
          p.theta_deg[i] <= last_theta_over_ground_deg)
        out += pattern_row(p, i, j, range, layout);
    });
  if (p.request.average != 0 && p.average_gain)
    out += fmt::format(
        fmt::runtime(nec2
                         ? "\n\n   AVERAGE POWER GAIN={:12.5E}       SOLID ANGLE USED IN "
                           "AVERAGING=({:7.4f})*PI STERADIANS.\n\n\n"
                         : "\n\n  AVERAGE POWER GAIN: {:11.4E} - SOLID ANGLE USED IN "
                           "AVERAGING: ({:+.4f})*PI STERADIANS\n"),
        *p.average_gain, p.average_solid_angle_pi);
  if (p.request.normalised != 0) out += normalised_table(p);
  return out;
}

}  // namespace thinwire::listing
