#pragma once

#include <string>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Input impedance and pattern summary as a table: comment lines that start with '#', one
/// line of column names, then one line for each frequency (and port). Columns:
/// mhz, zreal, zimag, zmag (ohm), zphase (degrees), vswr, s11 (dB), s11_real, s11_imag
/// (linear), gain_max (dBi), gain_max_theta, gain_max_phi (degrees), fb_ratio (dB), run
/// (from 0), tag, segment, power_w of the port, and of all ports together input_power_w,
/// radiated_power_w, loss_power_w (W), efficiency, power_balance. vswr and s11 refer to
/// `reference_ohm`; what was not computed is empty, fb_ratio also where the pattern has
/// no point opposite to its peak.
std::string solution_csv(const Problem& problem, const Solution& solution,
                         double reference_ohm = 50);

}  // namespace thinwire
