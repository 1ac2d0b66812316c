#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "io/page/stored_result.h"

namespace thinwire {

/// A pattern at some frequencies (indices) of a result. gain_dbi: [index][theta][phi].
struct GridPattern {
  std::vector<double> theta_deg, phi_deg, gain_dbi;
  std::vector<std::size_t> index;
};

/// Returns loads, networks and ground of a deck; the ground is that of the last run with
/// one.
nlohmann::json circuit_json(const Problem& problem);

/// Returns the page (page.h) that shows results and compares the first with the others:
/// antenna and currents, patterns, impedance, power, solver, deck. Large results are
/// thinned evenly. more_patterns: patterns that files lack, by the result's place among
/// `chosen`. Throws Error{file}.
std::string results_page(
    const ChosenResults& chosen,
    const std::map<std::size_t, std::vector<GridPattern>>& more_patterns = {});

}  // namespace thinwire
