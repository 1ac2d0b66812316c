#include "kernels/ground/buried_field_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/base/exp.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/ground/cylinder_row.h"
#include "kernels/ground/far_path.h"
#include "kernels/ground/spectral_path.h"

namespace thinwire {
namespace {

constexpr std::size_t kernel_count = std::tuple_size_v<FieldKernels>;
/// Nearer to the axis than this part of the vertical distance the kernels stand still, or
/// go to zero with rho.
constexpr double on_axis = 1e-6;
/// Limit of the horizontal distance: vertical elements below it need no path of their
/// own.
constexpr double level = 1e-4;

/// Factors of e^{-u1 z - u2 depth} J at one point of the path, its weight included.
struct BuriedSpectra {
  Complex u1, u2;
  FieldKernels value;
};

/// The order of the Bessel function of each kernel; the third of the magnetic ones is Q
/// kr, the fourth Q.
constexpr int order_of[2][kernel_count] = {{0, 0, 1, 1, 0}, {1, 0, 1, 0, 1}};

/// buried_kernels.cpp has the spectra of the kernels themselves.
BuriedSpectra spectra_at(FieldKind kind, BuriedWay way, Complex eps,
                         const PathPoint& point) {
  const Complex kr = point.kr, kr2 = kr * kr;
  const Complex u1 = point.u1, u2 = point.u2;
  const Complex sum = u1 + u2, difference = (eps - 1.0) / sum, weighted = eps * u1 + u2;
  const bool magnetic = kind == FieldKind::magnetic;
  if (way == BuriedWay::reflected) {
    const Complex rh = -difference / sum, p = 2.0 * difference / weighted;
    const Complex phi = rh + u2 * u2 * p;
    const Complex down = point.weight * kr, area = down / u2;
    if (magnetic)
      return {u1,
              u2,
              {-area * rh * kr, -down * rh, area * (rh + kr2 * p) * kr, down * kr2 * p,
               down * kr * p}};
    return {u1,
            u2,
            {area * rh, area * (rh - 2.0 * phi - eps * p), down * kr * p,
             -area * phi * kr / eps, -down * phi / eps}};
  }
  const Complex w = 2.0 * point.weight * kr, h = w / sum, phi = w / weighted;
  const Complex q = -difference * phi * kr;
  // Factor from d/dz, z being the observer's.
  const Complex rise = way == BuriedWay::up ? -u1 : u2;
  if (magnetic)
    // dQ/dz + dKzz/drho comes to a single term.
    return {
        u1,
        u2,
        {-h * kr, rise * h, -kr * phi * (way == BuriedWay::up ? 1.0 : eps), q * kr, q}};
  return {u1, u2, {h, h, q, -phi * kr, rise * phi}};
}

/// Places side by side, and the sums of their kernels; an array for each number.
struct PlaceRow {
  explicit PlaceRow(std::span<const BuriedPlace> places) {
    for (const BuriedPlace& place : places) {
      z.push_back(place.z);
      depth.push_back(place.depth);
    }
    for (std::vector<double>& numbers : wave) numbers.resize(places.size());
    for (std::vector<double>& numbers : sum) numbers.resize(places.size());
  }

  std::vector<double> z, depth;
  /// e^{-u1 z - u2 depth} times the Bessel functions of orders 0 and 1, re and im.
  std::vector<double> wave[4];
  std::vector<double> sum[2 * kernel_count];  ///< re and im of each kernel
  /// Which of the different rho each place has; none where all differ, as they come.
  std::vector<std::size_t> rho_number;
  std::vector<double> bessel[4];  ///< of each place, with rho_number

  /// Returns the Bessel functions of each place from those of the different rho.
  std::array<const double*, 4> of_places(const std::array<const double*, 4>& lanes) {
    if (rho_number.empty()) return lanes;
    for (std::size_t n = 0; n < 4; ++n) {
      bessel[n].resize(rho_number.size());
      for (std::size_t i = 0; i < rho_number.size(); ++i)
        bessel[n][i] = lanes[n][rho_number[i]];
    }
    return {bessel[0].data(), bessel[1].data(), bessel[2].data(), bessel[3].data()};
  }
};

THINWIRE_SIMD_CLONES
void set_waves(const double* __restrict z, const double* __restrict depth,
               std::size_t count, Complex u1, Complex u2,
               const std::array<const double*, 4>& bessel, double* const wave[4]) {
  const double u1_re = u1.real(), u1_im = u1.imag(), u2_re = u2.real(), u2_im = u2.imag();
  const double *j0_re = bessel[0], *j0_im = bessel[1], *j1_re = bessel[2],
               *j1_im = bessel[3];
  double* __restrict w0_re = wave[0], * __restrict w0_im = wave[1], * __restrict w1_re = wave[2], * __restrict w1_im = wave[3];
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const double size = exp_simd(-u1_re * z[i] - u2_re * depth[i]);
    double sine, cosine;
    sincos_simd(-u1_im * z[i] - u2_im * depth[i], sine, cosine);
    const double re = size * cosine, im = size * sine;
    w0_re[i] = re * j0_re[i] - im * j0_im[i];
    w0_im[i] = re * j0_im[i] + im * j0_re[i];
    w1_re[i] = re * j1_re[i] - im * j1_im[i];
    w1_im[i] = re * j1_im[i] + im * j1_re[i];
  }
}

THINWIRE_SIMD_CLONES
void add_product(double re, double im, const double* __restrict wave_re,
                 const double* __restrict wave_im, std::size_t count,
                 double* __restrict sum_re, double* __restrict sum_im) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    sum_re[i] += re * wave_re[i] - im * wave_im[i];
    sum_im[i] += re * wave_im[i] + im * wave_re[i];
  }
}

/// Adds what one part of the path gives at places whose different rho are those of
/// `bessel`.
void add_part(FieldKind kind, BuriedWay way, Complex eps, CylinderFactor factor,
              std::span<const PathPoint> points, CylinderRow& bessel, PlaceRow& row) {
  const int* order = order_of[kind == FieldKind::magnetic ? 1 : 0];
  const std::size_t count = row.z.size();
  double* const wave[] = {row.wave[0].data(), row.wave[1].data(), row.wave[2].data(),
                          row.wave[3].data()};
  for (const PathPoint& point : points) {
    const BuriedSpectra spectra = spectra_at(kind, way, eps, point);
    bessel.set(factor, {point.kr.real(), point.kr.imag()});
    set_waves(row.z.data(), row.depth.data(), count, spectra.u1, spectra.u2,
              row.of_places(bessel.lanes()), wave);
    for (std::size_t n = 0; n < kernel_count; ++n)
      add_product(spectra.value[n].real(), spectra.value[n].imag(), wave[2 * order[n]],
                  wave[2 * order[n] + 1], count, row.sum[2 * n].data(),
                  row.sum[2 * n + 1].data());
  }
}

/// The path for the places of a range.
SpectralPath path_for(Complex eps, const TransmissionRange& range) {
  // To the cut at k2 a depth is what a height times sqrt(|k2|) is to that at 1: beside
  // them |u| is sqrt(2 |b|) |t|, |b| being 1 or |k2|.
  const double slower = std::sqrt(std::abs(std::sqrt(eps)));
  const ReflectionRange vertical{range.rho_0, range.rho_1,
                                 range.z_0 + slower * range.depth_0,
                                 range.z_1 + slower * range.depth_1};
  if (is_far(eps, vertical)) return far_path(eps, vertical);
  // The kernels deep in the ground are small, and so must be their truncation.
  PathRule rule = coarse_path;
  rule.nats += std::min(-std::sqrt(eps).imag() * range.depth_1, buried_nats);
  return spectral_path(eps, range, rule);
}

/// Makes the kernels of what was summed at r, which is rho but next to the axis.
void settle(FieldKind kind, double rho, double r, FieldKernels& g) {
  if (kind == FieldKind::magnetic) {
    g[4] /= r;
    g[3] -= g[4];  // J1' = J0 - J1 / x
  }
  // Kernels that are odd in rho go to zero there.
  const int odd[2][2] = {{2, 3}, {0, 2}};
  for (const int n : odd[kind == FieldKind::magnetic ? 1 : 0]) g[n] *= rho / r;
}

/// For places so much alike that one path serves them.
void integrate(FieldKind kind, BuriedWay way, Complex eps,
               std::span<const BuriedPlace> places, std::span<FieldKernels> kernels) {
  TransmissionRange range{1e300, 0, 1e300, 0, 1e300, 0};
  std::vector<double> rho;
  for (const BuriedPlace& place : places) {
    const double r = std::max(place.rho, on_axis * (place.z + place.depth));
    rho.push_back(r);
    range.rho_0 = std::min(range.rho_0, r);
    range.rho_1 = std::max(range.rho_1, r);
    range.z_0 = std::min(range.z_0, place.z);
    range.z_1 = std::max(range.z_1, place.z);
    range.depth_0 = std::min(range.depth_0, place.depth);
    range.depth_1 = std::max(range.depth_1, place.depth);
  }
  const SpectralPath path = path_for(eps, range);
  PlaceRow row(places);
  std::vector<double> different = rho;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < rho.size())
    for (const double r : rho)
      row.rho_number.push_back(static_cast<std::size_t>(
          std::lower_bound(different.begin(), different.end(), r) - different.begin()));
  CylinderRow bessel(row.rho_number.empty() ? rho : different);
  add_part(kind, way, eps, CylinderFactor::bessel, path.bessel, bessel, row);
  add_part(kind, way, eps, CylinderFactor::half_hankel_1, path.hankel_1, bessel, row);
  add_part(kind, way, eps, CylinderFactor::half_hankel_2, path.hankel_2, bessel, row);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t n = 0; n < kernel_count; ++n)
      kernels[i][n] = {row.sum[2 * n][i], row.sum[2 * n + 1][i]};
    settle(kind, places[i].rho, rho[i], kernels[i]);
  }
}

/// Points of the path that a sum is taken over at once.
constexpr std::size_t points_at_once = 4;

/// re, im: [pairs], of waves of points_at_once points, `stride` apart, times their Bessel
/// functions, of which j has real and imaginary parts.
THINWIRE_SIMD_CLONES
void add_products(const double* j_re, const double* j_im,
                  const double* __restrict down_re, const double* __restrict down_im,
                  std::size_t stride, std::size_t pairs, double* __restrict re,
                  double* __restrict im) {
  static_assert(points_at_once == 4);
#pragma omp simd
  for (std::size_t n = 0; n < pairs; ++n) {
    double sum_re = re[n], sum_im = im[n];
    for (std::size_t p = 0; p < points_at_once; ++p) {
      const double d_re = down_re[p * stride + n], d_im = down_im[p * stride + n];
      sum_re += j_re[p] * d_re - j_im[p] * d_im;
      sum_im += j_re[p] * d_im + j_im[p] * d_re;
    }
    re[n] = sum_re;
    im[n] = sum_im;
  }
}

/// The spectra of one point of the path times its waves.
THINWIRE_SIMD_CLONES
void set_down(const BuriedSpectra& spectra, const double* __restrict z,
              const double* __restrict depth, std::size_t pairs,
              double* __restrict down_re, double* __restrict down_im) {
  const double u1_re = spectra.u1.real(), u1_im = spectra.u1.imag(),
               u2_re = spectra.u2.real(), u2_im = spectra.u2.imag();
  double value_re[kernel_count], value_im[kernel_count];
  for (std::size_t k = 0; k < kernel_count; ++k) {
    value_re[k] = spectra.value[k].real();
    value_im[k] = spectra.value[k].imag();
  }
#pragma omp simd
  for (std::size_t j = 0; j < pairs; ++j) {
    const double size = exp_simd(-u1_re * z[j] - u2_re * depth[j]);
    double sine, cosine;
    sincos_simd(-u1_im * z[j] - u2_im * depth[j], sine, cosine);
    const double re = size * cosine, im = size * sine;
    for (std::size_t k = 0; k < kernel_count; ++k) {
      down_re[k * pairs + j] = re * value_re[k] - im * value_im[k];
      down_im[k * pairs + j] = re * value_im[k] + im * value_re[k];
    }
  }
}

/// The sums of a grid: [rho][kernel][pair].
struct GridSums {
  std::vector<double> re, im;
};

/// Adds what one part of the path gives at all rho_i, those of `bessel`, and all pairs.
void add_part(FieldKind kind, BuriedWay way, Complex eps, CylinderFactor factor,
              std::span<const PathPoint> points, CylinderRow& bessel, std::size_t rhos,
              std::span<const double> z, std::span<const double> depth, GridSums& sums) {
  const int* order = order_of[kind == FieldKind::magnetic ? 1 : 0];
  const std::size_t pairs = z.size(), row = kernel_count * pairs;
  std::vector<double> down_re(points_at_once * row), down_im(points_at_once * row),
      j(4 * points_at_once * rhos);
  for (std::size_t first = 0; first < points.size(); first += points_at_once) {
    for (std::size_t p = 0; p < points_at_once; ++p) {
      if (first + p >= points.size()) {
        std::fill_n(down_re.data() + p * row, row, 0.0);
        std::fill_n(down_im.data() + p * row, row, 0.0);
        continue;
      }
      const PathPoint& point = points[first + p];
      set_down(spectra_at(kind, way, eps, point), z.data(), depth.data(), pairs,
               down_re.data() + p * row, down_im.data() + p * row);
      bessel.set(factor, {point.kr.real(), point.kr.imag()});
      const auto lanes = bessel.lanes();
      for (std::size_t i = 0; i < rhos; ++i)
        for (std::size_t part = 0; part < 4; ++part)
          j[(4 * i + part) * points_at_once + p] = lanes[part][i];
    }
    for (std::size_t i = 0; i < rhos; ++i)
      for (std::size_t k = 0; k < kernel_count; ++k) {
        const double* j_re = j.data() + (4 * i + 2 * order[k]) * points_at_once;
        add_products(j_re, j_re + points_at_once, down_re.data() + k * pairs,
                     down_im.data() + k * pairs, row, pairs,
                     sums.re.data() + i * row + k * pairs,
                     sums.im.data() + i * row + k * pairs);
      }
  }
}

/// Octaves of the distance and of its direction.
struct Octaves {
  int distance, height;
  bool operator==(const Octaves&) const = default;
  auto operator<=>(const Octaves&) const = default;
};

Octaves octaves_of(const BuriedPlace& place) {
  const double up = place.z + place.depth, most = std::max(place.rho, up);
  return {std::ilogb(most), std::ilogb(std::max(up, level * most))};
}

}  // namespace

void buried_field_kernels(FieldKind kind, BuriedWay way, Complex eps,
                          std::span<const BuriedPlace> places,
                          std::span<FieldKernels> kernels) {
  if (eps == 1.0 && way == BuriedWay::reflected) {
    std::fill(kernels.begin(), kernels.end(), FieldKernels{});
    return;
  }
  std::vector<std::pair<Octaves, std::size_t>> order;
  for (std::size_t i = 0; i < places.size(); ++i)
    order.emplace_back(octaves_of(places[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<BuriedPlace> alike;
  std::vector<FieldKernels> found;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    alike.clear();
    for (; last < order.size() && order[last].first == order[first].first; ++last)
      alike.push_back(places[order[last].second]);
    found.resize(alike.size());
    integrate(kind, way, eps, alike, found);
    for (std::size_t i = first; i < last; ++i)
      kernels[order[i].second] = found[i - first];
    first = last;
  }
}

void buried_field_kernels_grid(FieldKind kind, BuriedWay way, Complex eps,
                               const TransmissionRange& range,
                               std::span<const double> rho, std::span<const double> z,
                               std::span<const double> depth,
                               std::span<FieldKernels> kernels) {
  TransmissionRange off_axis = range;
  const double least = on_axis * (range.z_1 + range.depth_1);
  off_axis.rho_0 = std::max(range.rho_0, least);
  off_axis.rho_1 = std::max(range.rho_1, least);
  std::vector<double> r;
  for (const double x : rho) r.push_back(std::max(x, least));
  const SpectralPath path = path_for(eps, off_axis);
  const std::size_t rhos = rho.size(), pairs = z.size();
  CylinderRow bessel(r);
  GridSums sums{std::vector<double>(rhos * kernel_count * pairs),
                std::vector<double>(rhos * kernel_count * pairs)};
  const auto add = [&](CylinderFactor factor, std::span<const PathPoint> points) {
    add_part(kind, way, eps, factor, points, bessel, rhos, z, depth, sums);
  };
  add(CylinderFactor::bessel, path.bessel);
  add(CylinderFactor::half_hankel_1, path.hankel_1);
  add(CylinderFactor::half_hankel_2, path.hankel_2);
  for (std::size_t i = 0; i < rhos; ++i)
    for (std::size_t j = 0; j < pairs; ++j) {
      FieldKernels& g = kernels[i * pairs + j];
      for (std::size_t k = 0; k < kernel_count; ++k) {
        const std::size_t at = (i * kernel_count + k) * pairs + j;
        g[k] = {sums.re[at], sums.im[at]};
      }
      settle(kind, rho[i], r[i], g);
    }
}

}  // namespace thinwire
