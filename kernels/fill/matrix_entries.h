#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "kernels/fill/fill_input.h"

namespace thinwire {

/// Writes Z[rows[i], columns[j]] to entries[i + j * rows.size()], ohm, without loads: any
/// part of what fill_impedance fills, by the same rules, to 1e-7 of the largest entry
/// nearby (elements that are integrated side by side share an order of quadrature).
/// rows, columns: numbers of basis functions. Where both are the same list, the result is
/// symmetric to the last bit. Works on the calling thread; several may call at once.
void read_entries(const FillInput& input, std::span<const std::uint32_t> rows,
                  std::span<const std::uint32_t> columns, std::span<Complex> entries);

}  // namespace thinwire
