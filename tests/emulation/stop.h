#pragma once

#include <string>

namespace emulation {

/// Ends the program with a line that says what is wrong: what would be an error or
/// undefined on a GPU, or is not emulated.
[[noreturn]] void stop(const std::string& problem);

}  // namespace emulation
