#include "cg/precondition/device_modes.h"

#include <algorithm>

#include "cg/precondition/precondition.cuh"
#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

using namespace device;
constexpr const char* modes_purpose = "two-level preconditioner";

/// The first size x size entries of blocks of leading x leading, side by side.
__global__ void pack(const float2* entries, std::size_t leading, std::size_t size,
                     std::size_t count, float2* packed) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (at >= count * size * size) return;
  const std::size_t block = at / (size * size), i = at / size % size, j = at % size;
  packed[at] = entries[(block * leading + i) * leading + j];
}

}  // namespace

std::vector<std::vector<Complex>> read_blocks(
    std::span<const BlockPreconditioner::IndexSet> sets, const DeviceBlockReader& read) {
  constexpr std::size_t batch_bytes = std::size_t{256} << 20;
  constexpr std::size_t tile = PackedTiles::tile;
  std::size_t size = 0;
  for (const auto& set : sets) size = std::max(size, set.size());
  const std::size_t leading = (size + tile - 1) / tile * tile;
  const std::size_t batch = std::clamp<std::size_t>(
      batch_bytes / (leading * leading * sizeof(float2)), 1, sets.size());
  const DeviceStream stream;
  DeviceBuffer<std::complex<float>> entries(batch * leading * leading, modes_purpose),
      packed(batch * size * size, modes_purpose);
  DeviceBuffer<std::uint32_t> device_functions(batch * leading, modes_purpose);
  std::vector<std::complex<float>> on_host(packed.size());
  std::vector<std::vector<Complex>> blocks(sets.size());
  for (std::size_t first = 0; first < sets.size(); first += batch) {
    const std::size_t count = std::min(batch, sets.size() - first);
    std::vector<std::uint32_t> functions(count * leading, DeviceBlocks::none);
    for (std::size_t b = 0; b < count; ++b)
      std::copy(sets[first + b].begin(), sets[first + b].end(),
                functions.begin() + static_cast<std::ptrdiff_t>(b * leading));
    device_functions.upload(functions, stream);
    entries.clear(stream);
    read({count, leading, functions, device_functions.data(), entries.data()}, stream);
    pack<<<pass_blocks(count * size * size), pass_threads, 0, stream.get()>>>(
        reinterpret_cast<const float2*>(entries.data()), leading, size, count,
        reinterpret_cast<float2*>(packed.data()));
    check_launch("two-level preconditioner, blocks");
    packed.download(on_host, stream);
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t m = sets[first + b].size();
      std::vector<Complex>& block = blocks[first + b];
      block.reserve(m * m);
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < m; ++j)
          block.push_back(on_host[(b * size + i) * size + j]);
    }
  }
  return blocks;
}

DeviceModePreconditioner::DeviceModePreconditioner(const BlockModes& modes,
                                                   const DeviceTiles& coarse)
    : DeviceBlockPreconditioner(modes.blocks().sets(), modes.inverses_without_modes()),
      factors_(coarse) {
  const std::size_t n = modes.size(), blocks = modes.blocks().blocks();
  std::vector<std::uint32_t> first_mode, mode_set;
  std::size_t most = 1;
  for (std::size_t b = 0; b < blocks; ++b)
    most = std::max(most, modes.first_mode(b + 1) - modes.first_mode(b));
  std::vector<Complex> mode;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t m = modes.blocks().set(b).size(),
                      count = modes.first_mode(b + 1) - modes.first_mode(b);
    mode_set.insert(mode_set.end(), count, static_cast<std::uint32_t>(first_mode.size()));
    first_mode.insert(first_mode.end(), m,
                      static_cast<std::uint32_t>(modes.first_mode(b)));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t c = 0; c < most; ++c)
        mode.push_back(c < count ? modes.of(b)[i + c * m] : Complex{});
  }
  const DeviceStream stream;
  first_mode_ = uploaded(first_mode, modes_purpose, stream);
  mode_set_ = uploaded(mode_set, modes_purpose, stream);
  mode_ = uploaded(mode, modes_purpose, stream);
  moment_ = {n, modes_purpose};
  amplitude_ = {n + most, modes_purpose};
  // Sets with fewer modes than others read beyond theirs and multiply by zero.
  amplitude_.clear(stream);
  stream.synchronize();
  blocks_.coarse = {
      n,       static_cast<int>(most), first_mode_.data(), mode_set_.data(), mode_.data(),
      nullptr, moment_.data(),         amplitude_.data()};
}

void DeviceModePreconditioner::multiply(const Complex* r, Complex* z,
                                        const DeviceStream& stream) const {
  const PerRhs<StoreResult, 1> ops = {{{parts(r), parts(z)}}};
  launch_coarse_moments(blocks_, ops, 1, stream);
  factors_.multiply(moment_.data(), amplitude_.data(), stream);
  launch_blocks(blocks_, ops, 1, stream);
}

std::size_t DeviceModePreconditioner::bytes() const {
  return DeviceBlockPreconditioner::bytes() + factors_.bytes() + first_mode_.bytes() +
         mode_set_.bytes() + mode_.bytes() + moment_.bytes() + amplitude_.bytes();
}

}  // namespace thinwire
