#include "cg/device_preconditioner.h"

namespace thinwire {

void DevicePreconditioner::apply(std::span<const Complex> r, std::span<Complex> z) const {
  if (r_.size() < size()) {
    r_ = {size(), "vectors of the preconditioner"};
    z_ = {size(), "vectors of the preconditioner"};
  }
  r_.upload(r, stream_);
  multiply(r_.data(), z_.data(), stream_);
  z_.download(z, stream_);
}

}  // namespace thinwire
