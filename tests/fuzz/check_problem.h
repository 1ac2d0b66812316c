#pragma once

#include <string>
#include <string_view>

#include "kernels/base/error.h"
#include "mom/problem/problem.h"

namespace thinwire::fuzz {

/// Returns the first violated invariant of a deck that was accepted, in words, or
/// nothing.
std::string breach(const Problem& problem);

/// Whether a message is of printable ASCII, as it must be for terminals and JSON, in one
/// line, or in one line per problem.
bool is_clean(std::string_view message);

/// The first breach of the rules for error messages, or nothing: a message must be clean,
/// and one about a deck or its geometry must begin with the deck's name and line.
std::string breach(const Error& error);

}  // namespace thinwire::fuzz
