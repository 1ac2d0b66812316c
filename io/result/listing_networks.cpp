#include <fmt/format.h>

#include <iterator>

#include "io/result/listing_blocks.h"
#include "kernels/base/constants.h"
#include "mom/excitation/chain.h"

namespace thinwire::listing {
namespace {

constexpr const char* line_heading =
    "  -- FROM -  --- TO --      TRANSMISSION LINE        --------- SHUNT ADMITTANCES "
    "(MHOS) ---------   LINE\n"
    "  TAG   SEG  TAG   SEG    IMPEDANCE      LENGTH     ----- END ONE -----      ----- "
    "END TWO -----   TYPE\n"
    "  No:   No:  No:   No:         OHMS      METERS      REAL      IMAGINARY      REAL  "
    " "
    "   IMAGINARY\n";
constexpr const char* admittance_heading =
    "  -- FROM -  --- TO --            -------- ADMITTANCE MATRIX ELEMENTS (MHOS) "
    "---------\n"
    "  TAG   SEG  TAG   SEG   ----- (ONE,ONE) ------   ----- (ONE,TWO) -----   ----- "
    "(TWO,TWO) -------\n"
    "  No:   No:  No:   No:      REAL      IMAGINARY      REAL     IMAGINARY       REAL  "
    " "
    "   IMAGINARY\n";

std::string number_pair(Complex value) {
  return fmt::format(" {:11.4E} {:11.4E}", value.real(), value.imag());
}

/// Returns the admittances of a ladder, as NT has them; without any (an ideal
/// transformer) those of one with a hundredth of a microohm in series.
Network as_admittances(Network ladder, double frequency_hz) {
  Chain chain = chain_of(ladder, wavenumber_rad_per_m(frequency_hz));
  constexpr double series_ohm = 1e-8;
  if (std::abs(chain.b_ohm) < series_ohm)
    chain = {chain.a, chain.b_ohm + chain.a * series_ohm, chain.c_s,
             chain.d + chain.c_s * series_ohm};
  ladder.y11_s = chain.d / chain.b_ohm;
  ladder.y12_s = -1.0 / chain.b_ohm;
  ladder.y22_s = chain.a / chain.b_ohm;
  return ladder;
}

std::string network_row(std::span<const Segment> segments, const Network& network) {
  std::string out;
  for (const std::size_t segment : network.segment)
    fmt::format_to(std::back_inserter(out), "{:5} {:5}", segments[segment].tag,
                   segment + 1);
  const bool line = network.kind == Network::Kind::line;
  const Complex first =
      line ? Complex(network.impedance_ohm, network.length_m) : network.y11_s;
  for (const Complex value : {first, line ? network.y11_s : network.y12_s, network.y22_s})
    out += fmt::format(" {}", number_pair(value));
  return out + fmt::format(" {:>8}\n", !line             ? ""
                                       : network.crossed ? "CROSSED"
                                                         : "STRAIGHT");
}

}  // namespace

std::string port_rows(std::span<const PortResult> ports) {
  std::string out;
  for (const PortResult& port : ports) {
    fmt::format_to(std::back_inserter(out), "{:5} {:5}", port.tag,
                   port.segment_index + 1);
    for (const Complex value : {port.voltage_v, port.current_a, port.impedance_ohm,
                                port.current_a / port.voltage_v})
      out += number_pair(value);
    fmt::format_to(std::back_inserter(out), " {:11.4E}\n", port.power_w);
  }
  return out;
}

std::string network_data(const Problem& problem, const Run& run, double frequency_hz) {
  if (run.networks.empty()) return "";
  std::string out =
      "\n\n                                            ---------- NETWORK DATA "
      "----------\n";
  const bool first = run.networks.front().kind == Network::Kind::line;
  for (const bool of_first_kind : {true, false}) {
    std::string rows;
    const char* heading = admittance_heading;
    for (const Network& network : run.networks) {
      const bool line = network.kind == Network::Kind::line;
      if ((line == first) != of_first_kind) continue;
      if (line) heading = line_heading;
      rows += network_row(problem.structure.segments(),
                          network.kind == Network::Kind::ladder
                              ? as_admittances(network, frequency_hz)
                              : network);
    }
    if (!rows.empty()) out += heading + rows;
  }
  return out;
}

std::string network_ports(std::span<const PortResult> ports) {
  if (ports.empty()) return "";
  return "\n\n                          --------- STRUCTURE EXCITATION DATA AT NETWORK "
         "CONNECTION POINTS --------\n"
         "  TAG   SEG       VOLTAGE (VOLTS)          CURRENT (AMPS)         IMPEDANCE "
         "(OHMS)       ADMITTANCE (MHOS)     POWER\n"
         "  No:   No:     REAL      IMAGINARY     REAL      IMAGINARY     REAL      "
         "IMAGINARY     REAL      IMAGINARY   (WATTS)\n" +
         port_rows(ports);
}

std::string couplings(const Problem& problem, std::span<const CouplingResult> couplings) {
  if (couplings.empty()) return "";
  std::string out =
      "\n\n                        ----------- ISOLATION DATA -----------\n\n"
      " ------- COUPLING BETWEEN ------     MAXIMUM     ---------- FOR MAXIMUM COUPLING "
      "----------\n"
      "            SEG              SEG    COUPLING  LOAD IMPEDANCE (2ND SEG)         "
      "INPUT IMPEDANCE \n"
      " TAG  SEG   No:   TAG  SEG   No:      (DB)        REAL     IMAGINARY         REAL "
      "      IMAGINARY\n";
  for (const CouplingResult& pair : couplings) {
    for (const std::size_t segment : pair.segment_index)
      out += fmt::format(" {:4} {:4} {:5} ", problem.structure.segments()[segment].tag,
                         problem.structure.within_tag(segment), segment + 1);
    if (pair.linville >= 0 && pair.linville <= 1)
      out += fmt::format("  {:9.3f}  {:12.5E} {:12.5E}  {:12.5E} {:12.5E}\n",
                         pair.coupling_db, pair.load_ohm.real(), pair.load_ohm.imag(),
                         pair.input_ohm.real(), pair.input_ohm.imag());
    else
      out += fmt::format(" **ERROR** COUPLING IS NOT BETWEEN 0 AND 1. (= {:12.5E})\n",
                         pair.linville);
  }
  return out;
}

}  // namespace thinwire::listing
