// What stands in for symv.cu and device_tiles.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/device/no_cuda.h"
#include "kernels/matrix/symv.h"

namespace thinwire {

DeviceTiles::DeviceTiles(PackedTiles layout, Storage storage)
    : layout_(layout), storage_(storage) {
  throw_no_cuda();
}
void DeviceTiles::upload(std::span<const Complex>, const DeviceStream&) {
  throw_no_cuda();
}

DeviceSymv::DeviceSymv(PackedTiles layout, Storage, int sides, bool)
    : layout_(layout), sides_(sides) {
  throw_no_cuda();
}
void DeviceSymv::multiply(const DeviceTiles&, const Complex*, Complex*,
                          const DeviceStream&) {
  throw_no_cuda();
}
void DeviceSymv::first_pass(const DeviceTiles&, const Complex*, const int*,
                            const DeviceStream&) {
  throw_no_cuda();
}
std::size_t DeviceSymv::bytes(PackedTiles, Storage, int, int) {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
