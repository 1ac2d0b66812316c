#pragma once

#include <cstddef>
#include <span>

#include "kernels/base/complex.h"
#include "kernels/device/device.h"
#include "kernels/matrix/matrix_update.h"
#include "kernels/matrix/packed_tiles.h"
#include "kernels/matrix/tile_share.h"

namespace thinwire {

/// How an entry of the matrix is stored; sums are in double whatever the storage.
enum class Storage { complex_double, complex_single };

constexpr std::size_t bytes_an_entry(Storage storage) {
  return storage == Storage::complex_double ? 16 : 8;
}

/// A complex-symmetric matrix on the GPU, in the tiles of packed_tiles.h: all of them, or
/// a share.
class DeviceTiles {
 public:
  /// Not initialised. Throws Error{memory} with need, free, n and the ways out.
  DeviceTiles(PackedTiles layout, Storage storage, TileShare share);
  DeviceTiles(PackedTiles layout, Storage storage)
      : DeviceTiles(layout, storage, TileShare::whole(layout)) {}

  PackedTiles layout() const { return layout_; }
  TileShare share() const { return share_; }
  Storage storage() const { return storage_; }
  /// [share().entries()], std::complex of double or float by storage(), 16-byte aligned.
  void* data() const { return entries_.data(); }
  std::size_t bytes() const { return entries_.bytes(); }
  static std::size_t bytes(PackedTiles layout, Storage storage) {
    return layout.entries() * bytes_an_entry(storage);
  }

  /// Copies from the host's tiles, [share().entries()], rounding to the storage. Waits.
  void upload(std::span<const Complex> tiles, const DeviceStream& stream);

 private:
  PackedTiles layout_;
  Storage storage_;
  TileShare share_;
  DeviceBuffer<std::byte> entries_;
};

/// Adds the updates of tiles in the share of z; no (row, column) pair twice, column <=
/// row.
void add_updates(DeviceTiles& z, std::span<const MatrixUpdate> updates,
                 const DeviceStream& stream);

}  // namespace thinwire
