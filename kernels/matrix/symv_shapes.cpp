#include "kernels/matrix/symv_shapes.h"

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr int count = static_cast<int>(symv_shapes.size());

}  // namespace

std::string name_of(const tuning::SymvShape& shape) {
  return fmt::format("r{}-b{}-s{}-q{}", shape.rows, shape.blocks_per_sm, shape.stages,
                     shape.super);
}

int find_symv_shape(std::string_view name) {
  for (int index = 0; index < count; ++index)
    if (name_of(symv_shapes[static_cast<std::size_t>(index)]) == name) return index;
  return -1;
}

void check(const SymvSetting& setting) {
  if (setting.shape < 0 || setting.shape >= count)
    throw Error(ErrorKind::usage,
                fmt::format("symmetric product: shape must be 0 .. {} (got {}).",
                            count - 1, setting.shape));
  if (setting.runs_per_block < 1 || setting.runs_per_block > 16)
    throw Error(ErrorKind::usage,
                fmt::format("symmetric product: runs a block must be 1 .. 16 (got {}).",
                            setting.runs_per_block));
}

}  // namespace thinwire
