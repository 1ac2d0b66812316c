#include "cg/device_operator.h"

namespace thinwire {

DeviceOperator::DeviceOperator(const DeviceTiles& z)
    : z_(z),
      symv_(z.layout(), z.storage()),
      x_(z.layout().padded(), "vectors of the product"),
      y_(z.layout().padded(), "vectors of the product") {
  x_.clear(stream_);
}

void DeviceOperator::apply(std::span<const Complex> x, std::span<Complex> y) const {
  x_.upload(x, stream_);
  symv_.multiply(z_, x_.data(), y_.data(), stream_);
  y_.download(y, stream_);
}

}  // namespace thinwire
