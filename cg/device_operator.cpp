#include "cg/device_operator.h"

#include <algorithm>

namespace thinwire {

void DeviceOperator::apply(std::span<const Complex> x, std::span<Complex> y) const {
  apply_some(x, y, 1);
}

void DeviceOperator::apply_sides(std::span<const Complex> x, std::span<Complex> y) const {
  const std::size_t at_once = most_sides * size();
  for (std::size_t first = 0; first < x.size(); first += at_once) {
    const std::size_t length = std::min(at_once, x.size() - first);
    apply_some(x.subspan(first, length), y.subspan(first, length),
               length > size() ? most_sides : 1);
  }
}

void DeviceOperator::apply_some(std::span<const Complex> x, std::span<Complex> y,
                                int sides) const {
  // As where a solver starts: the vectors of a large operator travel for long.
  if (std::all_of(x.begin(), x.end(), [](Complex value) { return value == 0.0; })) {
    std::fill(y.begin(), y.end(), 0.0);
    return;
  }
  const std::size_t n = size(), next = padded();
  if (x_.size() < sides * next) {
    x_ = {sides * next, "vectors of the product"};
    y_ = {sides * next, "vectors of the product"};
    x_.clear(stream_);
  }
  for (std::size_t side = 0; side * n < x.size(); ++side)
    copy_bytes(x_.data() + side * next, x.data() + side * n, n * sizeof(Complex),
               stream_);
  multiply(x_.data(), y_.data(), sides, stream_);
  for (std::size_t side = 0; side * n < y.size(); ++side)
    copy_bytes(y.data() + side * n, y_.data() + side * next, n * sizeof(Complex),
               stream_);
  stream_.synchronize();
}

}  // namespace thinwire
