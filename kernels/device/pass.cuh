#pragma once

#include <cstddef>

#include "kernels/device/tuning.h"

namespace thinwire::device {

inline constexpr int pass_threads = tuning::pass_threads;

/// Blocks of pass_threads that give each of `count` a thread.
inline unsigned pass_blocks(std::size_t count) {
  return static_cast<unsigned>((count + pass_threads - 1) / pass_threads);
}

}  // namespace thinwire::device
