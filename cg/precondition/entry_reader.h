#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>

#include "kernels/matrix/matrix_update.h"

namespace thinwire {

/// Where a preconditioner has the entries of Z from, whether Z is stored or not: writes
/// Z[rows[i], columns[j]] to entries[i + j * rows.size()], loads included; called from
/// several threads at once.
using EntryReader = std::function<void(std::span<const std::uint32_t> rows,
                                       std::span<const std::uint32_t> columns,
                                       std::span<std::complex<double>> entries)>;

/// Adds those of the updates that are among these entries, laid out as above.
void add_updates(std::span<const MatrixUpdate> updates,
                 std::span<const std::uint32_t> rows,
                 std::span<const std::uint32_t> columns,
                 std::span<std::complex<double>> entries);

}  // namespace thinwire
