#pragma once

#include <cstddef>

namespace emulation {

/// What is allocated on that GPU.
std::size_t used_bytes(int device);

}  // namespace emulation
