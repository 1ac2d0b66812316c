#include "kernels/fft/half_spectra.h"

#include <algorithm>

#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

/// Wave vectors at a time: what is gathered of them fits into the second cache.
constexpr std::size_t max_at_once = 128, min_at_once = 16, cached_values = 4096;

/// Real and imaginary parts apart, so that loops over wave vectors vectorise.
struct Parts {
  explicit Parts(std::size_t n) : re(n), im(n) {}
  std::vector<double> re, im;
};

/// y += s x, z += s w for n wave vectors.
THINWIRE_SIMD_CLONES
void add_products(std::size_t n, const double* s, const double* x_re, const double* x_im,
                  double* y_re, double* y_im, const double* w_re, const double* w_im,
                  double* z_re, double* z_im) {
  for (std::size_t t = 0; t < n; ++t) {
    const double re = s[2 * t], im = s[2 * t + 1];
    y_re[t] += re * x_re[t] - im * x_im[t];
    y_im[t] += re * x_im[t] + im * x_re[t];
    z_re[t] += re * w_re[t] - im * w_im[t];
    z_im[t] += re * w_im[t] + im * w_re[t];
  }
}

/// Workspace of one thread: X and Y at some stored q and at -q, [functions][at_once].
struct Block {
  Block(std::size_t functions, std::size_t at_once)
      : x_plus(functions * at_once),
        x_minus(functions * at_once),
        y_plus(functions * at_once),
        y_minus(functions * at_once) {}
  Parts x_plus, x_minus, y_plus, y_minus;
};

}  // namespace

std::size_t HalfSpectra::count(std::array<std::size_t, 3> lengths) {
  std::size_t all = 1, own = 1;
  for (const std::size_t length : lengths) {
    all *= length;
    own *= length % 2 == 0 ? 2 : 1;  // 0, and half the length
  }
  return (all + own) / 2;
}

HalfSpectra::HalfSpectra(std::array<std::size_t, 3> of) : lengths(of) {
  plus.reserve(count(of));
  minus.reserve(count(of));
  const auto negative = [](std::size_t at, std::size_t n) {
    return at == 0 ? 0 : n - at;
  };
  for (std::size_t i = 0; i < of[0]; ++i)
    for (std::size_t j = 0; j < of[1]; ++j) {
      const std::size_t row = (i * of[1] + j) * of[2],
                        negative_row =
                            (negative(i, of[0]) * of[1] + negative(j, of[1])) * of[2];
      for (std::size_t k = 0; k < of[2]; ++k) {
        if (row + k > negative_row + negative(k, of[2])) continue;
        plus.push_back(static_cast<std::uint32_t>(row + k));
        minus.push_back(static_cast<std::uint32_t>(negative_row + negative(k, of[2])));
      }
    }
}

void multiply_spectra(const HalfSpectra& half, std::size_t functions,
                      std::span<const Complex> spectra, std::span<Complex> x) {
  const std::size_t count = half.count(), points = half.points();
  const std::size_t at_once =
      std::clamp(cached_values / functions, min_at_once, max_at_once);
  const auto blocks = static_cast<std::int64_t>((count + at_once - 1) / at_once);
#pragma omp parallel
  {
    Block b(functions, at_once);
#pragma omp for schedule(static)
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::size_t first = static_cast<std::size_t>(block) * at_once,
                        some = std::min(at_once, count - first);
      const std::uint32_t *plus = half.plus.data() + first,
                          *minus = half.minus.data() + first;
      for (std::size_t j = 0; j < functions; ++j)
        for (std::size_t t = 0; t < some; ++t) {
          const Complex p = x[j * points + plus[t]], m = x[j * points + minus[t]];
          b.x_plus.re[j * at_once + t] = p.real();
          b.x_plus.im[j * at_once + t] = p.imag();
          b.x_minus.re[j * at_once + t] = m.real();
          b.x_minus.im[j * at_once + t] = m.imag();
        }
      for (Parts* y : {&b.y_plus, &b.y_minus}) {
        std::fill(y->re.begin(), y->re.end(), 0.0);
        std::fill(y->im.begin(), y->im.end(), 0.0);
      }
      for (std::size_t i = 0; i < functions; ++i)
        for (std::size_t j = 0; j < functions; ++j) {
          const std::size_t row = i * at_once, column = j * at_once;
          // Z(-q) is the transpose: its row j has this entry at column i.
          add_products(some,
                       reinterpret_cast<const double*>(
                           spectra.data() + (i * functions + j) * count + first),
                       &b.x_plus.re[column], &b.x_plus.im[column], &b.y_plus.re[row],
                       &b.y_plus.im[row], &b.x_minus.re[row], &b.x_minus.im[row],
                       &b.y_minus.re[column], &b.y_minus.im[column]);
        }
      // Where -q is q both have the same, up to rounding.
      for (std::size_t i = 0; i < functions; ++i)
        for (std::size_t t = 0; t < some; ++t) {
          const std::size_t at = i * at_once + t;
          x[i * points + minus[t]] = {b.y_minus.re[at], b.y_minus.im[at]};
          x[i * points + plus[t]] = {b.y_plus.re[at], b.y_plus.im[at]};
        }
    }
  }
}

}  // namespace thinwire
