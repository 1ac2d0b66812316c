#include "kernels/matrix/tiles.h"

#include <vector>

#include "kernels/device/check.cuh"

namespace thinwire {

DeviceTiles::DeviceTiles(PackedTiles layout, Storage storage)
    : layout_(layout), storage_(storage) {
  require_device_memory(bytes(layout, storage), "impedance matrix", layout.n,
                        storage == Storage::complex_double
                            ? "Use --precision mixed or fewer segments."
                            : "Use fewer segments or --device cpu.");
  entries_ = {bytes(layout, storage), "impedance matrix"};
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

}  // namespace thinwire
