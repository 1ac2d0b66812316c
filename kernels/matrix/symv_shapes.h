#pragma once

#include <array>
#include <string>
#include <string_view>

#include "kernels/device/tuning.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/symv_setting.h"

namespace thinwire {

/// Shapes of the symmetric product's first pass that are compiled for complex double
/// storage and one right-hand side, so that `thinwire tune` can compare them on the GPU
/// that is there. The first is the default; symv.cu has code for each. All work on tiles
/// of 64 x 64: that is how the matrix is stored (packed_tiles.h).
inline constexpr std::array symv_shapes = {
    tuning::symv_double,
    tuning::SymvShape{16, 1, 2, 16},
    tuning::SymvShape{16, 1, 3, 8},
    tuning::SymvShape{8, 1, 2, 16},
    tuning::SymvShape{8, 1, 3, 8},
};

/// Threads of a block.
constexpr int threads_of(const tuning::SymvShape& shape) {
  constexpr auto tile = static_cast<int>(PackedTiles::tile);
  return 32 * (tile / (4 * shape.rows)) * (tile / 8);
}

/// "r16-b1-s3-q16": rows a thread, blocks a multiprocessor, stages, super-tile side.
/// Names a shape where numbers of the list would change with it.
std::string name_of(const tuning::SymvShape& shape);

/// The index in symv_shapes of that name, or -1.
int find_symv_shape(std::string_view name);

static_assert(SymvSetting().runs_per_block == tuning::symv_runs_per_block);

/// Throws Error{usage} where a number is out of its range.
void check(const SymvSetting& setting);

}  // namespace thinwire
