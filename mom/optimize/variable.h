#pragma once

#include <string>

namespace thinwire {

/// A variable of an optimisation and its bounds.
struct Variable {
  std::string name;
  double lower = 0, upper = 0;
  double start = 0;  ///< between them
};

}  // namespace thinwire
