#pragma once

#include <nlohmann/json_fwd.hpp>

#include "mom/options.h"

namespace thinwire {

// The words of the command line; those of the solvers are in mom/plan/solver_choice.h.
const char* name_of(MeshChoice choice);
const char* name_of(KernelChoice choice);

/// Options as JSON, keys being the long options without dashes.
nlohmann::json options_json(const Options& options);

}  // namespace thinwire
