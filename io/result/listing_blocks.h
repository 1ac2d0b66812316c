#pragma once

#include <string>

#include "mom/problem.h"
#include "mom/solution.h"

// The parts of the NEC listing; write_listing.h puts them together. Each ends its last
// line and begins with the blank lines that stand before it in nec2c's listing.
namespace thinwire::listing {

/// STRUCTURE SPECIFICATION with a row for each straight wire, and SEGMENTATION DATA.
std::string structure(const Problem& problem);

/// STRUCTURE IMPEDANCE LOADING.
std::string loading(const Run& run);

/// RADIATION PATTERNS, AVERAGE POWER GAIN and NORMALIZED GAIN, as the request has them.
/// Over ground there are no rows below the horizon.
std::string pattern(const PatternResult& pattern, double frequency_hz, Ground ground);

/// NEAR ELECTRIC FIELDS or NEAR MAGNETIC FIELDS.
std::string near_field(const NearFieldResult& result);

}  // namespace thinwire::listing
