#include "mom/systems/nearly_singular.h"

#include <fmt/format.h>

namespace thinwire {
namespace {

/// Below this reciprocal condition number fewer than about four digits are left.
constexpr double singular_below = 1e-12;

}  // namespace

void note_if_nearly_singular(double reciprocal_condition,
                             std::vector<System::Note>& notes) {
  if (!(reciprocal_condition < singular_below)) return;
  notes.push_back(
      {fmt::format("the impedance matrix is nearly singular (reciprocal condition "
                   "{:.1e}): results may be inaccurate. Check for overlapping wires "
                   "and for a frequency far below the structure's size.",
                   reciprocal_condition),
       "", true});
}

}  // namespace thinwire
