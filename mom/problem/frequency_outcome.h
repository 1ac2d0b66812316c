#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mom/problem/solution.h"

namespace thinwire {

struct StoredMatrix;

/// A warning of one line. A solve reports only the first with the same `about`.
struct Warning {
  std::string text;
  std::string about = text;
};

/// Results of one run at one frequency, before they join the Solution.
struct FrequencyOutcome {
  std::vector<FrequencyResult>
      results;  ///< one, or one for each incident wave; no couplings
  std::vector<Warning> warnings;
  std::shared_ptr<const StoredMatrix> stored;
  Timings timings_s;
};

}  // namespace thinwire
