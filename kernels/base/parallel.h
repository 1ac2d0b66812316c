#pragma once

#include <cstddef>

namespace thinwire {

/// Loops of fewer cheap steps are done before other threads have begun.
inline constexpr std::size_t worth_threads = std::size_t{1} << 14;

}  // namespace thinwire
