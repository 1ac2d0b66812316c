#pragma once

#include <nlohmann/json_fwd.hpp>

#include "mom/problem/options.h"

namespace thinwire {

/// Options as JSON, keys being the long options without dashes.
nlohmann::json options_json(const Options& options);

}  // namespace thinwire
