#pragma once

#include <cstddef>
#include <string>

#include "mom/plan/choose_device.h"

namespace thinwire {

/// What all choices of where and how to solve are made with.

/// "12.3 GiB".
std::string gibibytes(std::size_t bytes);

/// Need, free, n and ways out on one line.
std::string shortage_text(const DeviceChoice& choice, std::size_t need,
                          const std::string& where, std::size_t free_bytes,
                          const Discretisation& antenna, const Options& options,
                          const Workload& work);

/// Bytes on the host where Z and the solver's arrays take `solver_bytes` there: with the
/// program and its libraries, the mesh and its near pairs, excitations and currents, and
/// the results, which stand there three times while the file is made. With --save-matrix
/// the whole matrix is one.
std::size_t host_bytes(const Discretisation& where, const Options& options,
                       const Workload& work, std::size_t solver_bytes);

}  // namespace thinwire
