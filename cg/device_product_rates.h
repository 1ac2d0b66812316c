#pragma once

#include <span>
#include <vector>

namespace thinwire {

/// Rates at which these GPUs, N of cuda:N, multiply with a symmetric matrix that they
/// hold: bytes of it a second, in the fastest of a hundred products, all GPUs at
/// once. 0: of one without 0.6 GB free. Each GPU is measured once in the life of the
/// process. The calling thread keeps its GPU; several may call. Throws
/// Error{device}.
std::vector<double> device_product_rates(std::span<const int> devices);

}  // namespace thinwire
