#pragma once

#include <cstddef>

namespace emulation {

/// Returns the bytes allocated on that GPU.
std::size_t used_bytes(int device);

}  // namespace emulation
