#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "mom/options.h"

namespace thinwire {

// The words of the command line for each choice.
std::string_view name_of(SolverChoice choice);
std::string_view name_of(PreconditionerChoice choice);
std::string_view name_of(MeshChoice choice);
std::string_view name_of(KernelChoice choice);

/// Options as JSON, keys being the long options without dashes.
nlohmann::json options_json(const Options& options);

}  // namespace thinwire
