#pragma once

#include <cstddef>

#include "kernels/base/host_device.h"
#include "kernels/device/tuning.h"

namespace thinwire {

/// Precision of the products of DeviceLdlt: 11 bits (TF32, on the tensor cores), the 24
/// of complex single, at half to a third of the speed, or the 53 of complex double, in
/// which the factors are stored then, too.
enum class LdltProducts { tf32, single, complex_double };

/// Where the entries of a symmetric n x n matrix lie while it is factored: the lower
/// triangle in block columns of `width` columns, one after the other, each column-major
/// with the rows from its own diagonal block down:
///
///     block column 0  1  2
///                 [0      ]     leading dimension order() of block column 0,
///                 [0 1    ]     order() - width of 1,
///                 [0 1 2  ]     order() - 2 width of 2
///
/// so that the update of a block column is one matrix product, and about n^2 / 2 entries
/// are stored. Diagonal blocks are whole; what lies above the diagonal in them is never
/// read. The order is n rounded up to whole blocks of `base`.
///
/// Of several owners each stores every `owners`-th block column, from number `owner` on;
/// offsets are among its own.
struct LdltLayout {
  std::size_t n = 0;
  std::size_t base = 64;                     ///< order of the blocks inverted at once
  std::size_t panel = tuning::ldlt_panel;    ///< columns eliminated in one step
  std::size_t width = tuning::ldlt_columns;  ///< a multiple of panel, that of base
  std::size_t owners = 1, owner = 0;

  THINWIRE_HD std::size_t order() const { return (n + base - 1) / base * base; }
  /// Leading dimension of the block column that has column j.
  THINWIRE_HD std::size_t leading(std::size_t j) const {
    return order() - j / width * width;
  }
  /// Returns the layout of one of several owners: narrower block columns, so that all
  /// owners have equal work at all times.
  static LdltLayout of_owner(std::size_t n, int owners, int owner) {
    LdltLayout layout{n};
    if (owners > 1) layout.width = tuning::ldlt_shared_columns;
    layout.owners = static_cast<std::size_t>(owners);
    layout.owner = static_cast<std::size_t>(owner);
    return layout;
  }

  /// Whether column j is stored here.
  THINWIRE_HD bool holds(std::size_t j) const { return owner_of(j) == owner; }
  THINWIRE_HD std::size_t owner_of(std::size_t j) const { return j / width % owners; }
  /// Offset of entry (i, j); i not above the block column's first row, j / width * width.
  THINWIRE_HD std::size_t offset(std::size_t i, std::size_t j) const {
    const std::size_t block = j / width, first = block * width;
    return before(block) + (j - first) * (order() - first) + i - first;
  }
  /// Entries of the whole matrix: n (n + width) / 2, about; or this owner's.
  THINWIRE_HD std::size_t entries() const {
    if (n == 0) return 0;
    const std::size_t block = (order() - 1) / width, last = order() - block * width;
    return before(block) + (block % owners == owner ? last * last : 0);
  }
  /// Entries of one of the panels that the factorisation needs beside it.
  THINWIRE_HD std::size_t work() const {
    return order() * (panel < order() ? panel : order());
  }
  /// Returns the number of these panels: W, and where owners share the matrix a copy of
  /// L, each twice where the next are made while the last are in use.
  std::size_t panels(bool looks_ahead) const {
    return owners == 1 ? 1 : looks_ahead ? 4 : 2;
  }

 private:
  /// Entries of the owner's block columns before `block`: those of numbers
  /// owner + m owners, m < count.
  THINWIRE_HD std::size_t before(std::size_t block) const {
    const std::size_t count = (block + owners - 1 - owner) / owners;
    return count * width * order() -
           width * width * (count * owner + owners * (count * (count - 1) / 2));
  }
};

}  // namespace thinwire
