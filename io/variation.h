#pragma once

#include <string>
#include <vector>

namespace thinwire {

/// A symbol and the values that it is to go through.
struct Variation {
  std::string name;  ///< lower case, as Symbols has it
  std::vector<double> values;

  bool operator==(const Variation&) const = default;
};

}  // namespace thinwire
