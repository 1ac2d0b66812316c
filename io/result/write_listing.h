#pragma once

#include <string>
#include <string_view>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Headings and columns of a listing: those of nec2c, or those of NEC-2's own program in
/// FORTRAN, which nec2dxs prints and programs for Windows read.
enum class ListingLayout { nec2c, nec2 };

/// The listing of NEC-2 in the form in which nec2c 1.3 prints it, for programs that read
/// that: same blocks, headings, columns and token counts. The DATA CARD lines of the deck
/// stand together before the first result, those of nec2c each before its own. Then comes
/// a group of blocks for each frequency of each run: FREQUENCY, STRUCTURE IMPEDANCE
/// LOADING, ANTENNA ENVIRONMENT, MATRIX TIMING, NETWORK DATA with STRUCTURE EXCITATION
/// DATA AT NETWORK CONNECTION POINTS, ANTENNA INPUT PARAMETERS or, for an incident wave,
/// EXCITATION, CURRENTS AND LOCATION or RECEIVING PATTERN (PT), CHARGE DENSITIES (PQ),
/// POWER BUDGET, NEAR ELECTRIC FIELDS, NEAR MAGNETIC FIELDS, RADIATION PATTERNS with
/// AVERAGE POWER GAIN and NORMALIZED GAIN. With ListingLayout::nec2, the structure,
/// loads, networks, receiving patterns and normalised gains are still printed as by
/// nec2c.
std::string solution_listing(const Problem& problem, const Solution& solution,
                             ListingLayout layout = ListingLayout::nec2c);

/// A listing for a job that failed: the heading and one line that starts with "ERROR".
std::string error_listing(std::string_view message);

}  // namespace thinwire
