#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <set>
#include <string>
#include <vector>

#include "mom/plan/planner.h"
#include "mom/problem/options.h"
#include "mom/problem/solution.h"

namespace thinwire::cli {

/// Circumstances of a run in which some options have no effect: "dry-run" and
/// "solver=direct" as they were given or as `auto` chose, and words that are no options:
/// "no-files".
using Settings = std::set<std::string, std::less<>>;

/// Throws Error{usage} where an option was given that has no effect in this command or
/// beside another option given, and where values of an option repeat. Which options these
/// are is one table, in option_effects.cpp, which has a row for every option of every
/// command.
void refuse_idle_options(const std::string& command,
                         const boost::program_options::options_description& options,
                         const boost::program_options::variables_map& values);

/// A line for each option given that has no effect under these settings, which nobody
/// gave.
std::vector<std::string> idle_option_warnings(
    const boost::program_options::variables_map& values, const Settings& settings);

/// Returns such lines under what `auto` chooses for this problem, which is planned only
/// where an option was given that this could make idle.
std::vector<std::string> idle_option_warnings(
    const boost::program_options::variables_map& values, Planner& planner,
    const Options& options);

/// Returns the settings of a solve as it is planned.
Settings settings_of(const std::string& device, const std::string& solver,
                     const std::string& operator_name);
Settings settings_of(const Plan& plan);
/// Returns those that all frequencies have in common.
Settings settings_of(const Solution& solution);

}  // namespace thinwire::cli
