#include "kernels/matrix/tiles.h"

#include <vector>

#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"

namespace thinwire {
namespace {

constexpr std::size_t packed_tile = PackedTiles::tile;

struct DeviceUpdate {
  std::uint32_t row, column;
  double re, im;
};
static_assert(sizeof(DeviceUpdate) == sizeof(MatrixUpdate));

template <class Entry>
__global__ void add_entries(const DeviceUpdate* updates, std::size_t count,
                            TileShare share, Entry* z) {
  const std::size_t u = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (u >= count) return;
  const DeviceUpdate update = updates[u];
  const std::size_t i = update.row, j = update.column;
  const std::size_t number = PackedTiles::tile_number(i / packed_tile, j / packed_tile);
  if (!share.holds(number)) return;
  z += share.offset(number);
  Entry& entry = z[i % packed_tile * packed_tile + j % packed_tile];
  using Real = decltype(Entry::x);
  entry = {static_cast<Real>(entry.x + update.re),
           static_cast<Real>(entry.y + update.im)};
  // Diagonal tiles are stored whole.
  if (i != j && i / packed_tile == j / packed_tile)
    z[j % packed_tile * packed_tile + i % packed_tile] = entry;
}

}  // namespace

DeviceTiles::DeviceTiles(PackedTiles layout, Storage storage, TileShare share)
    : layout_(layout), storage_(storage), share_(share) {
  const std::size_t need = share.entries() * bytes_an_entry(storage);
  require_device_memory(need, "impedance matrix", layout.n,
                        storage == Storage::complex_double
                            ? "Use --precision mixed or fewer segments."
                            : "Use fewer segments or --device cpu.");
  entries_ = {need, "impedance matrix"};
}

void DeviceTiles::upload(std::span<const Complex> tiles, const DeviceStream& stream) {
  if (storage_ == Storage::complex_double) {
    copy_bytes(data(), tiles.data(), tiles.size_bytes(), stream);
  } else {
    const std::vector<std::complex<float>> rounded(tiles.begin(), tiles.end());
    copy_bytes(data(), rounded.data(), rounded.size() * sizeof(rounded[0]), stream);
  }
  stream.synchronize();
}

void add_updates(DeviceTiles& z, std::span<const MatrixUpdate> updates,
                 const DeviceStream& stream) {
  if (updates.empty()) return;
  DeviceBuffer<MatrixUpdate> list(updates.size(), "loads");
  list.upload(updates, stream);
  const auto* from = reinterpret_cast<const DeviceUpdate*>(list.data());
  const unsigned blocks = device::pass_blocks(updates.size());
  if (z.storage() == Storage::complex_double)
    add_entries<<<blocks, device::pass_threads, 0, stream.get()>>>(
        from, updates.size(), z.share(), static_cast<double2*>(z.data()));
  else
    add_entries<<<blocks, device::pass_threads, 0, stream.get()>>>(
        from, updates.size(), z.share(), static_cast<float2*>(z.data()));
  check_launch("loads");
  stream.synchronize();
}

}  // namespace thinwire
