#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/result/listing_blocks.h"
#include "mom/problem/near_field_request.h"

namespace thinwire::listing::nec2 {
namespace {

/// A line that begins with blanks.
std::string line(std::size_t blanks, std::string_view text) {
  return fmt::format("{:{}}{}\n", "", blanks, text);
}

std::string title(std::size_t blanks, std::string_view name) {
  return "\n\n\n" + line(blanks, fmt::format("- - - {} - - -", name));
}

const char* name_of(const Ground& ground) {
  switch (ground.kind) {
    case Ground::Kind::perfect:
    case Ground::Kind::mininec:
      return "  PERFECT GROUND";
    case Ground::Kind::sommerfeld:
      return "FINITE GROUND.  SOMMERFELD SOLUTION";
    case Ground::Kind::coefficients:
      return "FINITE GROUND.  REFLECTION COEFFICIENT APPROXIMATION";
    case Ground::Kind::none:
      break;
  }
  return "    FREE SPACE";
}

/// Rows of CURRENTS AND LOCATION and CHARGE DENSITIES: lengths in wavelengths.
std::string segment_rows(std::span<const Segment> segments,
                         const std::vector<Complex>& values, double frequency_hz,
                         const ListedSegments& listed) {
  const double per_metre = frequency_hz / speed_of_light_m_per_s;
  std::string out;
  for (std::size_t i = 0; i < std::min(segments.size(), values.size()); ++i) {
    if (!listed.has(i, segments[i])) continue;
    const Vec3 centre = (0.5 * per_metre) * (segments[i].start_m + segments[i].end_m);
    fmt::format_to(
        std::back_inserter(out),
        " {:5}{:5}{:9.4f}{:9.4f}{:9.4f}{:9.5f} {:12.4E}{:12.4E}{:12.4E}{:9.3f}\n", i + 1,
        segments[i].tag, centre.x, centre.y, centre.z,
        norm(segments[i].end_m - segments[i].start_m) * per_metre, values[i].real(),
        values[i].imag(), std::abs(values[i]), std::arg(values[i]) * deg);
  }
  return out;
}

}  // namespace

std::string frequency(const Run& run, double frequency_hz) {
  return "\n\n\n\n" + line(33, "- - - - - - FREQUENCY - - - - - -") + '\n' +
         line(36, fmt::format("FREQUENCY={:11.4E} MHZ", frequency_hz / 1e6)) +
         line(36, fmt::format("WAVELENGTH={:11.4E} METERS",
                              speed_of_light_m_per_s / frequency_hz)) +
         (run.extended_kernel
              ? '\n' + line(20,
                            "THE EXTENDED THIN WIRE KERNEL IS ASKED FOR: THE EXACT ONE "
                            "IS USED")
              : "");
}

std::string environment(const Ground& ground, double frequency_hz) {
  std::string out = title(34, "ANTENNA ENVIRONMENT") + '\n';
  const RadialScreen& screen = ground.screen;
  if (screen.radials > 0)
    out += line(40, "RADIAL WIRE GROUND SCREEN") +
           line(40, fmt::format("{:5} WIRES", screen.radials)) +
           line(40, fmt::format("WIRE LENGTH={:8.2f} METERS", screen.radius_m)) +
           line(40, fmt::format("WIRE RADIUS={:10.3E} METERS", screen.wire_radius_m)) +
           line(40, "MEDIUM UNDER SCREEN -");
  out += line(40, name_of(ground));
  if (!ground.is_dielectric()) return out;
  const Complex eps = ground.permittivity(wavenumber_rad_per_m(frequency_hz));
  return out +
         line(40, fmt::format("RELATIVE DIELECTRIC CONST.={:7.3f}",
                              ground.relative_permittivity)) +
         line(40, fmt::format("CONDUCTIVITY={:10.3E} MHOS/METER",
                              std::max(ground.conductivity_s_per_m, 0.0))) +
         line(40, fmt::format("COMPLEX DIELECTRIC CONSTANT={:12.5E}{:12.5E}", eps.real(),
                              eps.imag()));
}

std::string input(const FrequencyResult& result) {
  if (result.ports.empty()) return "";
  std::string out =
      title(42, "ANTENNA INPUT PARAMETERS") +
      "\n   TAG   SEG.    VOLTAGE (VOLTS)         CURRENT (AMPS)         IMPEDANCE (OHMS)"
      "        ADMITTANCE (MHOS)      POWER\n"
      "   NO.   NO.    REAL        IMAG.       REAL        IMAG.       REAL        IMAG."
      "       REAL        IMAG.     (WATTS)\n";
  for (const PortResult& port : result.ports) {
    fmt::format_to(std::back_inserter(out), " {:5} {:5}", port.tag,
                   port.segment_index + 1);
    for (const Complex value : {port.voltage_v, port.current_a, port.impedance_ohm,
                                port.current_a / port.voltage_v})
      fmt::format_to(std::back_inserter(out), "{:12.5E}{:12.5E}", value.real(),
                     value.imag());
    fmt::format_to(std::back_inserter(out), "{:12.5E}\n", port.power_w);
  }
  return out;
}

std::string current(std::span<const Segment> segments, const Run& run,
                    const FrequencyResult& result) {
  const ListedSegments& listed = run.listing.current;
  if (listed.mode == -1 || listed.mode > 0) return "";
  return title(29, "CURRENTS AND LOCATION") + '\n' +
         line(33, "DISTANCES IN WAVELENGTHS") +
         "\n\n  SEG.  TAG    COORD. OF SEG. CENTER     SEG.            - - - CURRENT "
         "(AMPS) - - -\n"
         "  NO.   NO.     X        Y        Z      LENGTH     REAL        IMAG.       "
         "MAG.        PHASE\n" +
         segment_rows(segments, result.segment_current_a, result.frequency_hz, listed);
}

std::string charge(std::span<const Segment> segments, const Run& run,
                   const FrequencyResult& result) {
  const ListedSegments& listed = run.listing.charge;
  if (listed.mode == -1) return "";
  return title(34, "CHARGE DENSITIES") + '\n' + line(36, "DISTANCES IN WAVELENGTHS") +
         "\n\n\n  SEG.  TAG    COORD. OF SEG. CENTER     SEG.          CHARGE DENSITY "
         "(COULOMBS/METER)\n"
         "  NO.   NO.     X        Y        Z      LENGTH     REAL        IMAG.       "
         "MAG.        PHASE\n" +
         segment_rows(segments, result.segment_charge_c_per_m, result.frequency_hz,
                      listed);
}

std::string power(const FrequencyResult& result) {
  const double in = result.input_power_w, loss = result.loss_power_w,
               networks = result.network_loss_w, radiated = in - loss - networks;
  return title(40, "POWER BUDGET") + '\n' +
         line(43, fmt::format("INPUT POWER   ={:11.4E} WATTS", in)) +
         line(43, fmt::format("RADIATED POWER={:11.4E} WATTS", radiated)) +
         line(43, fmt::format("STRUCTURE LOSS={:11.4E} WATTS", loss)) +
         line(43, fmt::format("NETWORK LOSS  ={:11.4E} WATTS", networks)) +
         line(43, fmt::format("EFFICIENCY    ={:7.2f} PERCENT",
                              in != 0 ? 100.0 * radiated / in : 0.0));
}

std::string pattern_heading(const PatternRequest& request) {
  return fmt::format(
      "\n  - - ANGLES - -       {}GAINS -       - - - POLARIZATION - - -    - - - "
      "E(THETA) "
      "- - -    - - - E(PHI) - - -\n"
      "  THETA     PHI       {}   TOTAL      AXIAL     TILT   SENSE     MAGNITUDE    "
      "PHASE     MAGNITUDE    PHASE\n"
      " DEGREES  DEGREES       DB      DB      DB        RATIO     DEG.              "
      "VOLTS/M    DEGREES      VOLTS/M    DEGREES\n",
      request.directive ? "- DIRECTIVE " : "    - POWER ",
      request.vertical_horizontal ? " VERT.   HOR. " : " MAJOR   MINOR");
}

std::string near_field(const NearFieldResult& result) {
  if (result.request.grid == NearFieldRequest::Grid::near_ground)
    return listing::near_field(result);
  const bool electric = result.request.field == NearFieldRequest::Field::electric;
  std::string out =
      title(35, electric ? "NEAR ELECTRIC FIELDS" : "NEAR MAGNETIC FIELDS") +
      fmt::format(
          "\n            -  LOCATION  -                     -  {0}X  -               -  "
          "{0}Y  -               -  {0}Z  -\n",
          electric ? 'E' : 'H') +
      "        X          Y          Z          MAGNITUDE   PHASE      MAGNITUDE   PHASE "
      "     MAGNITUDE   PHASE\n" +
      (electric ? "      METERS     METERS     METERS        VOLTS/M   DEGREES      "
                  "VOLTS/M   DEGREES      VOLTS/M   DEGREES\n"
                : "      METERS     METERS     METERS         AMPS/M   DEGREES       "
                  "AMPS/M   DEGREES       AMPS/M   DEGREES\n");
  const std::vector<Vec3> points = near_field_points(result.request);
  for (std::size_t i = 0; i < points.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "    {:9.4f}  {:9.4f}  {:9.4f} ", points[i].x,
                   points[i].y, points[i].z);
    for (int c = 0; c < 3; ++c) {
      const Complex value = result.field[3 * i + c];
      fmt::format_to(std::back_inserter(out), "   {:11.4E}  {:7.2f}", std::abs(value),
                     value == 0.0 ? 0.0 : std::arg(value) * deg);
    }
    out += '\n';
  }
  return out;
}

}  // namespace thinwire::listing::nec2
