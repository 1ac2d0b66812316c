#include "kernels/ground/field_kernels.h"

#include <cmath>
#include <vector>

#include "kernels/base/simd_clones.h"
#include "kernels/ground/complex_bessel.h"
#include "kernels/ground/far_path.h"
#include "kernels/ground/reflection_spectra.h"
#include "kernels/ground/spectral_path.h"

namespace thinwire {
namespace {

constexpr std::size_t kernel_count = std::tuple_size_v<FieldKernels>;

HdComplex from(Complex z) {
  return {z.real(), z.imag()};
}

/// Factors of e^{-u1 zeta} J at one point of the path, its weight included.
struct FieldSpectra {
  Complex u1;
  FieldKernels value;
};

/// The order of the Bessel function of each kernel. The third of the magnetic ones is Q
/// kr, the fourth Q: their difference over rho makes dQ/drho.
constexpr int order_of[2][kernel_count] = {{0, 0, 1, 1, 0}, {1, 0, 1, 0, 1}};

FieldSpectra spectra_at(FieldKind kind, Complex eps, const PathPoint& point) {
  const Complex kr = point.kr, kr2 = kr * kr;
  const Complex u1 = point.u1;
  const auto [rh, p, phi] = reflection_spectra(eps, u1, point.u2);
  const Complex down = point.weight * kr, area = down / u1;
  if (kind == FieldKind::magnetic)
    return {u1,
            {-area * rh * kr, -down * rh, area * (rh + kr2 * p) * kr, down * kr2 * p,
             down * kr * p}};
  return {u1,
          {area * rh, area * (rh - 2.0 * phi - p), down * kr * p, -area * phi * kr,
           -down * phi}};
}

/// Sums of a grid, real and imaginary parts apart so that loops over zeta vectorise:
/// [rho][kernel][zeta].
struct GridSums {
  std::vector<double> re, im;
};

/// sums += j down, [zetas].
THINWIRE_SIMD_CLONES
void add_row(HdComplex j, const double* down_re, const double* down_im, std::size_t zetas,
             double* re, double* im) {
#pragma omp simd
  for (std::size_t n = 0; n < zetas; ++n) {
    re[n] += j.re * down_re[n] - j.im * down_im[n];
    im[n] += j.re * down_im[n] + j.im * down_re[n];
  }
}

/// Adds what one part of the path gives at all rho_i and zeta_j.
void add_part(FieldKind kind, Complex eps, CylinderFactor factor,
              std::span<const PathPoint> points, std::span<const double> rho,
              std::span<const double> zeta, GridSums& sums) {
  const std::size_t zetas = zeta.size(), row = kernel_count * zetas;
  const int* order = order_of[kind == FieldKind::magnetic ? 1 : 0];
  std::vector<double> down_re(row), down_im(row);
  for (const PathPoint& point : points) {
    const FieldSpectra spectra = spectra_at(kind, eps, point);
    for (std::size_t j = 0; j < zetas; ++j) {
      const Complex decay = std::exp(-spectra.u1 * zeta[j]);
      for (std::size_t n = 0; n < kernel_count; ++n) {
        const Complex down = spectra.value[n] * decay;
        down_re[n * zetas + j] = down.real();
        down_im[n * zetas + j] = down.imag();
      }
    }
    for (std::size_t i = 0; i < rho.size(); ++i) {
      const CylinderPair pair = cylinder(factor, rho[i] * from(point.kr));
      for (std::size_t n = 0; n < kernel_count; ++n)
        add_row(order[n] == 0 ? pair.order_0 : pair.order_1, down_re.data() + n * zetas,
                down_im.data() + n * zetas, zetas, sums.re.data() + i * row + n * zetas,
                sums.im.data() + i * row + n * zetas);
    }
  }
}

}  // namespace

void field_kernels_grid(FieldKind kind, Complex eps, const ReflectionRange& range,
                        std::span<const double> rho, std::span<const double> zeta,
                        std::span<FieldKernels> kernels) {
  for (FieldKernels& k : kernels) k = {};
  if (eps == 1.0) return;
  const SpectralPath path = is_far(eps, range)
                                ? far_path(eps, range)
                                : spectral_path(eps, above_surface(range), coarse_path);
  const std::size_t zetas = zeta.size(), row = kernel_count * zetas;
  GridSums sums{std::vector<double>(rho.size() * row),
                std::vector<double>(rho.size() * row)};
  add_part(kind, eps, CylinderFactor::bessel, path.bessel, rho, zeta, sums);
  add_part(kind, eps, CylinderFactor::half_hankel_1, path.hankel_1, rho, zeta, sums);
  add_part(kind, eps, CylinderFactor::half_hankel_2, path.hankel_2, rho, zeta, sums);
  for (std::size_t i = 0; i < rho.size(); ++i)
    for (std::size_t j = 0; j < zetas; ++j) {
      FieldKernels& k = kernels[i * zetas + j];
      for (std::size_t n = 0; n < kernel_count; ++n)
        k[n] = {sums.re[i * row + n * zetas + j], sums.im[i * row + n * zetas + j]};
      if (kind == FieldKind::magnetic) {
        k[4] /= rho[i];
        k[3] -= k[4];  // J1' = J0 - J1 / x
      }
    }
}

FieldKernels image_field_kernels(FieldKind kind, double rho, double zeta) {
  const double r = std::hypot(rho, zeta);
  const Complex g = std::polar(1 / r, -r);
  const Complex derivative = -g * Complex(1, r) / (r * r);  // dG/dR / R
  if (kind == FieldKind::magnetic)
    return {-rho * derivative, -zeta * derivative, rho * derivative, 0, 0};
  return {-g, g, 0, -rho * derivative, -zeta * derivative};
}

}  // namespace thinwire
