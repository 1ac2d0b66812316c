#include "kernels/fft/fft.h"

#include <algorithm>
#include <cstdint>
#include <kissfft/kissfft.hh>
#include <string>
#include <vector>

#include "kernels/base/error.h"

namespace thinwire {
namespace {

/// So many neighbouring lines go through the buffers together: 128 bytes of each cache
/// line that a strided axis touches are used.
constexpr std::size_t lines_at_once = 8;

}  // namespace

/// The two plans of an axis.
struct Fft::Axis {
  explicit Axis(std::size_t length) : forward(length, false), backward(length, true) {}
  kissfft<double> forward, backward;
};

bool is_one_pass(std::size_t n) {
  return n <= 512 || n == 750 || n == 900;
}

std::size_t good_fft_size(std::size_t n) {
  std::size_t best = 1;
  while (best < n) best *= 2;
  for (std::size_t five = 1; five < best; five *= 5)
    for (std::size_t three = five; three < best; three *= 3) {
      std::size_t size = three;
      while (size < n) size *= 2;
      const bool all_factors = five > 1 && three > five && size > three;
      if (!is_one_pass(size) && (all_factors || size % 2 != 0)) continue;
      best = std::min(best, size);
    }
  return best;
}

Fft::Fft(const FftShape& shape) : shape_(shape) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t length = shape.lengths[a];
    if (shape_.used[a] == 0) shape_.used[a] = length;
    if (length == 0 || shape_.used[a] > length)
      throw Error(ErrorKind::numeric, "Fourier transform: no plan for an axis of " +
                                          std::to_string(length) + " points, " +
                                          std::to_string(shape_.used[a]) + " used.");
    if (length > 1) axes_[a] = std::make_unique<Axis>(length);
  }
}
Fft::~Fft() = default;
Fft::Fft(Fft&&) noexcept = default;
Fft& Fft::operator=(Fft&&) noexcept = default;

void Fft::forward(Complex* x, std::size_t count) const {
  for (const std::size_t axis : {2, 1, 0}) transform(x, count, axis, false);
}

void Fft::backward(Complex* x, std::size_t count) const {
  for (const std::size_t axis : {0, 1, 2}) transform(x, count, axis, true);
}

// The lines of an axis that another axis, later in the backward order and earlier in the
// forward one, has not filled yet or does not want: those beyond its `used`.
//
//     forward          axis 2        axis 1       axis 0
//     lines of axes    0, 1 below    0 below      all
//                      used          used
void Fft::transform(Complex* x, std::size_t count, std::size_t axis, bool inverse) const {
  if (!axes_[axis]) return;
  const auto& lengths = shape_.lengths;
  const std::array<std::size_t, 3> strides = {lengths[1] * lengths[2], lengths[2], 1};
  const std::size_t n = lengths[axis], stride = strides[axis];
  const std::size_t slow = axis == 0 ? 1 : 0, fast = axis == 2 ? 1 : 2;
  const auto lines = [&](std::size_t a) {
    return a < axis ? shape_.used[a] : lengths[a];
  };
  const std::size_t slow_lines = lines(slow), fast_lines = lines(fast);
  const std::size_t groups = (fast_lines + lines_at_once - 1) / lines_at_once;
#pragma omp parallel
  {
    // A plan for each thread: for factors above 5 it has scratch memory of its own.
    const kissfft<double> plan = inverse ? axes_[axis]->backward : axes_[axis]->forward;
    std::vector<Complex> in(lines_at_once * n), out(lines_at_once * n);
#pragma omp for schedule(static)
    for (std::int64_t task = 0;
         task < static_cast<std::int64_t>(count * slow_lines * groups); ++task) {
      const std::size_t group = task % groups, rest = task / groups;
      const std::size_t first = group * lines_at_once,
                        some = std::min(lines_at_once, fast_lines - first);
      Complex* corner = x + rest / slow_lines * shape_.size() +
                        rest % slow_lines * strides[slow] + first * strides[fast];
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t g = 0; g < some; ++g)
          in[g * n + k] = corner[k * stride + g * strides[fast]];
      for (std::size_t g = 0; g < some; ++g)
        plan.transform(in.data() + g * n, out.data() + g * n);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t g = 0; g < some; ++g)
          corner[k * stride + g * strides[fast]] = out[g * n + k];
    }
  }
}

}  // namespace thinwire
