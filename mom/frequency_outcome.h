#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mom/solution.h"

namespace thinwire {

struct StoredMatrix;

/// A line for the user. Of those that share a cause other than `text` only the first of a
/// solve is told; of the same text, too.
struct Warning {
  enum class Cause { text, resistance, power };
  std::string text;
  Cause cause = Cause::text;
};

/// What one run at one frequency comes to, before it joins the Solution.
struct FrequencyOutcome {
  std::vector<FrequencyResult>
      results;  ///< one, or one for each incident wave; no couplings
  std::vector<Warning> warnings;
  std::shared_ptr<const StoredMatrix> stored;
  Timings timings_s;
};

}  // namespace thinwire
