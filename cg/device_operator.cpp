#include "cg/device_operator.h"

#include <algorithm>

namespace thinwire {

void DeviceOperator::apply(std::span<const Complex> x, std::span<Complex> y) const {
  apply_some(x, y, 1);
}

void DeviceOperator::apply_many(std::span<const Complex> x, std::span<Complex> y) const {
  const std::size_t at_once = max_rhs_count * size();
  for (std::size_t first = 0; first < x.size(); first += at_once) {
    const std::size_t length = std::min(at_once, x.size() - first);
    apply_some(x.subspan(first, length), y.subspan(first, length),
               length > size() ? max_rhs_count : 1);
  }
}

void DeviceOperator::apply_some(std::span<const Complex> x, std::span<Complex> y,
                                int rhs_count) const {
  // As where a solver starts: the vectors of a large operator travel for long.
  if (std::all_of(x.begin(), x.end(), [](Complex value) { return value == 0.0; })) {
    std::fill(y.begin(), y.end(), 0.0);
    return;
  }
  const std::size_t n = size(), next = padded();
  if (x_.size() < rhs_count * next) {
    x_ = {rhs_count * next, "vectors of the product"};
    y_ = {rhs_count * next, "vectors of the product"};
    x_.clear(stream_);
  }
  for (std::size_t rhs = 0; rhs * n < x.size(); ++rhs)
    copy_bytes(x_.data() + rhs * next, x.data() + rhs * n, n * sizeof(Complex), stream_);
  multiply(x_.data(), y_.data(), rhs_count, stream_);
  for (std::size_t rhs = 0; rhs * n < y.size(); ++rhs)
    copy_bytes(y.data() + rhs * n, y_.data() + rhs * next, n * sizeof(Complex), stream_);
  stream_.synchronize();
}

}  // namespace thinwire
