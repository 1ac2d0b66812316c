#include "kernels/matrix/symv_shapes.h"

#include <fmt/format.h>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr int count = static_cast<int>(symv_shapes.size());
int chosen_shape = 0;

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

int symv_shape() {
  return chosen_shape;
}

void set_symv_shape(int index) {
  if (index < 0 || index >= count)
    throw Error(ErrorKind::usage, "symmetric product: there are shapes 0 .. " +
                                      std::to_string(count - 1) + " (got " +
                                      std::to_string(index) + ").");
  chosen_shape = index;
}

}  // namespace thinwire
