#pragma once

#include <string>

#include "mom/plan/plan.h"
#include "mom/problem/solution.h"

namespace thinwire::cli {

/// The impedance table that `solve` prints: a row for each frequency and port, with the
/// gain columns only where there is a pattern. VSWR is that for reference_ohm. Incident
/// waves have a table of their own.
std::string result_table(const Problem& problem, const Solution& solution,
                         double reference_ohm);

/// "VSWR 50".
std::string vswr_heading(double reference_ohm);

/// "1.53", or ">1000".
std::string vswr_text(Complex impedance_ohm, double reference_ohm);

/// Returns the text that `--dry-run` prints.
std::string plan_table(const Plan& plan);

/// "310 elements, up to 0.049 wavelengths there at 30 MHz (|k2| = 2.3 rad/m, wavelength
/// 2.73 m)".
std::string buried_text(const BuriedWires& buried);

/// "0.02 s", "45 s", "12 min".
std::string seconds_text(double seconds);

}  // namespace thinwire::cli
