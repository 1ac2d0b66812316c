#pragma once

#include <vector>

#include "mom/systems/system.h"

namespace thinwire {

/// Adds the note that a matrix of this reciprocal condition number deserves; none where
/// enough digits are left.
void note_if_nearly_singular(double reciprocal_condition,
                             std::vector<System::Note>& notes);

}  // namespace thinwire
