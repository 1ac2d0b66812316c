#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "mom/options.h"
#include "mom/problem.h"

namespace thinwire::cli {

/// What the user gave, by option name; positional words go to `positional` (none allowed
/// when it is empty). Abbreviated, unknown or repeated options and missing values are an
/// Error{usage} that names `command`.
boost::program_options::variables_map parse(
    const std::string& command, const std::vector<std::string>& words,
    const boost::program_options::options_description& options,
    const char* positional = "");

/// True when the option was on the command line, not just defaulted.
bool given(const boost::program_options::variables_map& values, const char* name);

/// Value of a text option, or "" when it was not given.
std::string text_of(const boost::program_options::variables_map& values,
                    const char* name);

/// --solver, --precond, --mesh, ...: what goes into thinwire::Options.
boost::program_options::options_description solver_options();

/// Options from those, each word and range checked and contradictions refused with
/// Error{usage}.
Options read_solver_options(const boost::program_options::variables_map& values);

/// --device of a command that uses one GPU: Error{usage} where it names several.
DeviceRequest one_device(const char* command, const std::string& word);

/// Throws Error{usage} where --placement was given and the problem will be solved on the
/// CPU, which has none.
void refuse_idle_placement(const boost::program_options::variables_map& values,
                           const Problem& problem, const Options& options);

}  // namespace thinwire::cli
