#pragma once

#include <string>

#include "mom/solution.h"
#include "mom/solve.h"

namespace thinwire::cli {

/// The impedance table that `solve` prints: a row for each frequency and port, with the
/// gain columns only where there is a pattern.
std::string result_table(const Solution& solution);

/// What `--dry-run` prints.
std::string plan_table(const Plan& plan);

/// "640 bytes", "1.1 MiB", "63 GiB".
std::string bytes_text(double bytes);

/// "0.02 s", "45 s", "12 min".
std::string seconds_text(double seconds);

}  // namespace thinwire::cli
