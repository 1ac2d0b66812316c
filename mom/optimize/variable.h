#pragma once

#include <string>

namespace thinwire {

/// What an optimisation may change, and within which bounds.
struct Variable {
  std::string name;
  double lower = 0, upper = 0;
  double start = 0;  ///< between them
};

}  // namespace thinwire
