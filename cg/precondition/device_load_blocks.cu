#include <map>
#include <utility>
#include <vector>

#include "cg/precondition/device_overlap.h"
#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;

struct Added {
  std::size_t entry;
  float2 value;
};

__global__ void add_entries(const Added* added, std::size_t count, float2* entries) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (i >= count) return;
  float2& entry = entries[added[i].entry];
  entry = {entry.x + added[i].value.x, entry.y + added[i].value.y};
}

/// The loads' symmetric matrix, row by row: each entry once.
using LoadRows = std::map<std::uint32_t, std::map<std::uint32_t, Complex>>;

LoadRows rows_of(const std::vector<MatrixUpdate>& loads) {
  LoadRows rows;
  for (const MatrixUpdate& load : loads) {
    rows[load.row][load.column] += load.value;
    if (load.row != load.column) rows[load.column][load.row] += load.value;
  }
  return rows;
}

/// Appends the loads of the block's functions.
void append(const LoadRows& loads, std::span<const std::uint32_t> functions,
            std::size_t first_entry, std::vector<Added>& added) {
  std::map<std::uint32_t, std::size_t> place;  // of the loaded ones
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (loads.contains(functions[i])) place[functions[i]] = i;
  for (const auto& [row, i] : place)
    for (const auto& [column, value] : loads.at(row))
      if (const auto j = place.find(column); j != place.end())
        added.push_back(
            {first_entry + i * functions.size() + j->second,
             {static_cast<float>(value.real()), static_cast<float>(value.imag())}});
}

}  // namespace

DeviceBlockReader with_loads(DeviceBlockReader read, std::vector<MatrixUpdate> loads) {
  if (loads.empty()) return read;
  return [read = std::move(read), rows = rows_of(loads)](const DeviceBlocks& blocks,
                                                         const DeviceStream& stream) {
    read(blocks, stream);
    std::vector<Added> added;
    for (std::size_t b = 0; b < blocks.count; ++b)
      append(rows, blocks.functions.subspan(b * blocks.leading, blocks.leading),
             b * blocks.leading * blocks.leading, added);
    if (added.empty()) return;
    const DeviceBuffer<Added> on_gpu = uploaded(added, "overlapping blocks", stream);
    add_entries<<<pass_blocks(added.size()), pass_threads, 0, stream.get()>>>(
        on_gpu.data(), added.size(), reinterpret_cast<float2*>(blocks.entries));
    check_launch("overlapping blocks, loads");
    stream.synchronize();  // what was uploaded ends here
  };
}

}  // namespace thinwire
