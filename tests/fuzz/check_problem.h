#pragma once

#include <string>
#include <string_view>

#include "mom/problem.h"

namespace thinwire::fuzz {

/// What a deck that was accepted must keep; the first breach in words, or nothing.
std::string breach(const Problem& problem);

/// Whether a message is one line of printable ASCII, as it must be for terminals and
/// JSON.
bool is_clean(std::string_view message);

}  // namespace thinwire::fuzz
