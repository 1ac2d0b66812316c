#pragma once

#include <string>
#include <string_view>

#include "mom/problem/frequency_outcome.h"

namespace thinwire {

/// An outcome as bytes, for other processes of this program and for its next start. It
/// keeps no matrix (FrequencyOutcome::stored).
std::string outcome_bytes(const FrequencyOutcome& outcome);

/// Returns the outcome that gave these bytes. Throws Error{file} where they were cut
/// short.
FrequencyOutcome outcome_of(std::string_view bytes);

}  // namespace thinwire
