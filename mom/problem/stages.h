#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "mom/problem/solution.h"

namespace thinwire {

/// Seconds of a stage of a solve.
struct Stage {
  std::string_view name;
  double seconds = 0;
};

/// All stages by name, as every output has them; the last is the total. The one before,
/// "other", is what the named stages leave of it: checks, the choice of device and
/// solver, the model of a fast sweep. So they add up to the total, except where stages of
/// an earlier run (a resumed solve) or of several processes are longer than that.
inline std::array<Stage, 9> stages_of(const Timings& t) {
  const double named = t.read + t.mesh + t.fill + t.factor + t.solve + t.post + t.write;
  return {{{"read", t.read},
           {"mesh", t.mesh},
           {"fill", t.fill},
           {"factor", t.factor},
           {"solve", t.solve},
           {"post", t.post},
           {"write", t.write},
           {"other", std::max(0.0, t.total - named)},
           {"total", t.total}}};
}

}  // namespace thinwire
