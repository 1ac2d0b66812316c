#pragma once

#include <span>
#include <string>

#include "io/result/write_listing.h"
#include "kernels/base/constants.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

// The parts of the NEC listing; write_listing.h puts them together. Each ends its last
// line and begins with the blank lines that stand before it in nec2c's listing.
namespace thinwire::listing {

/// Degrees in a radian.
inline constexpr double deg = 180.0 / pi;

/// STRUCTURE SPECIFICATION with a row for each straight wire, and SEGMENTATION DATA.
std::string structure(const Problem& problem);

/// STRUCTURE IMPEDANCE LOADING.
std::string loading(const Run& run);

/// NETWORK DATA; nothing for a run without networks.
std::string network_data(const Problem& problem, const Run& run, double frequency_hz);

/// STRUCTURE EXCITATION DATA AT NETWORK CONNECTION POINTS; nothing where there are none.
std::string network_ports(std::span<const PortResult> ports);

/// ISOLATION DATA (CP); nothing where there is none.
std::string couplings(const Problem& problem, std::span<const CouplingResult> couplings);

/// EXCITATION: the incident wave.
std::string excitation(const IncidentWave& wave);

/// RECEIVING PATTERN PARAMETERS for wave `number` of a run, with its rows where the run's
/// PT card asks for these; the heading before the first wave.
std::string receiving(const Problem& problem, const Run& run,
                      const FrequencyResult& result, std::size_t number);

/// NORMALIZED RECEIVING PATTERN of a run's waves at one frequency, of the last segment
/// that PT names.
std::string normalised_receiving(const Problem& problem, const Run& run,
                                 std::span<const FrequencyResult> waves);

/// A row of voltage, current, impedance, admittance and power for each port.
std::string port_rows(std::span<const PortResult> ports);

/// DERIVATIVES OF THE IMPEDANCES, and OF GAIN, FRONT TO BACK RATIO, by the problem's
/// parameters; nothing without any. nec2c has no such blocks.
std::string gradients(const Problem& problem, const FrequencyResult& result);

/// RADIATION PATTERNS, AVERAGE POWER GAIN and NORMALIZED GAIN, as the request has them.
/// Over ground there are no rows below the horizon.
std::string pattern(const PatternResult& pattern, double frequency_hz, Ground ground,
                    ListingLayout layout);

/// NEAR ELECTRIC FIELDS or NEAR MAGNETIC FIELDS.
std::string near_field(const NearFieldResult& result);

/// Blocks in the columns of NEC-2's own program (ListingLayout::nec2).
namespace nec2 {
std::string frequency(const Run& run, double frequency_hz);
std::string environment(const Ground& ground, double frequency_hz);
std::string input(const FrequencyResult& result);
std::string current(std::span<const Segment> segments, const Run& run,
                    const FrequencyResult& result);
std::string charge(std::span<const Segment> segments, const Run& run,
                   const FrequencyResult& result);
std::string power(const FrequencyResult& result);
/// The three lines above the rows of RADIATION PATTERNS.
std::string pattern_heading(const PatternRequest& request);
std::string near_field(const NearFieldResult& result);
}  // namespace nec2

}  // namespace thinwire::listing
