#pragma once

namespace thinwire {

/// How a recurrence ended: `finished` claims convergence (or asks for a restart), and the
/// true residual decides. `vanished`: x^T y is zero though neither vector is; from
/// another start the recurrence may get through.
enum class CycleEnd { finished, max_iterations, breakdown, vanished };

}  // namespace thinwire
