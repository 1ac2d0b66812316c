#include "kernels/grid/off_plane.h"

#include <algorithm>
#include <utility>

#include "kernels/base/parallel.h"

namespace thinwire {

OffPlane::OffPlane(std::vector<std::uint32_t> off, std::size_t elements,
                   const SmoothView& view)
    : off_(std::move(off)), matrix_(off_.size() * elements) {
  for_each_cheap(matrix_.size(), [&](std::size_t i) {
    matrix_[i] =
        view.matrix(off_[i / elements], static_cast<std::uint32_t>(i % elements));
  });
}

void OffPlane::add(std::span<const Complex> end_current,
                   std::span<Complex> end_field) const {
  const std::size_t elements = end_current.size() / 2;
  const auto product = [](HdComplex a, Complex b) {
    return Complex(a.re * b.real() - a.im * b.imag(), a.re * b.imag() + a.im * b.real());
  };
  for_each_cheap(elements, [&](std::size_t e) {
    if (std::binary_search(off_.begin(), off_.end(), e)) return;
    for (std::size_t o = 0; o < off_.size(); ++o)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          end_field[2 * e + j] += product(matrix_[o * elements + e].z[i][j],
                                          end_current[2 * std::size_t{off_[o]} + i]);
  });
  for_each_parallel(off_.size(), [&](std::size_t o) {
    for (int i = 0; i < 2; ++i) {
      Complex sum = 0;
      for (std::size_t e = 0; e < elements; ++e)
        for (int j = 0; j < 2; ++j)
          sum += product(matrix_[o * elements + e].z[i][j], end_current[2 * e + j]);
      end_field[2 * std::size_t{off_[o]} + i] = sum;
    }
  });
}

}  // namespace thinwire
