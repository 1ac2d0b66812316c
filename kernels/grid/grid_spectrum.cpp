#include "kernels/grid/grid_spectrum.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/base/quadrature.h"
#include "kernels/fft/fft.h"
#include "kernels/grid/bessel_i.h"

namespace thinwire {
namespace {

/// 1 where x <= 0, 0 where x >= 1, and between an integral over a Kaiser-Bessel bump:
/// smooth, and its transform falls to e^{-12}.
double blend(double x) {
  if (x <= 0) return 1;
  if (x >= 1) return 0;
  constexpr double steepness = 12;
  const GaussRule gauss = gauss_rule(16);
  const auto bump = [&](double from, double to) {
    double sum = 0;
    constexpr int panels = 4;
    const double half = 0.5 * (to - from) / panels;
    for (int p = 0; p < panels; ++p)
      for (int b = 0; b < gauss.points; ++b) {
        const double y = from + half * (2 * p + 1 + gauss.node[b]);
        sum += half * gauss.weight[b] *
               scaled_bessel_i(0, steepness * steepness * (1 - y * y));
      }
    return sum;
  };
  return bump(2 * x - 1, 1) / bump(-1, 1);
}

/// Where along an axis the kernel is sampled for an index of the box, m, and the weight
/// that it has there: two samples blend where the box wraps round.
struct AxisSample {
  double at_m[2], weight[2];
};

std::vector<AxisSample> axis_samples(const UniformGrid& grid, int axis,
                                     GridSource source) {
  const auto n = static_cast<std::int64_t>(grid.size[axis]),
             reach = static_cast<std::int64_t>(grid.nodes[axis]) - 1;
  // An image's index is the sum of both nodes' indices: 0 .. 2 reach.
  const bool sums = source == GridSource::image && axis == 2;
  const std::int64_t middle = sums ? reach : 0;
  const double shift = sums ? 2 * grid.origin_m.z + middle * grid.spacing_m : 0;
  std::vector<AxisSample> samples(grid.size[axis]);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t d = i - middle;
    if (d > n / 2) d -= n;
    const std::int64_t other = d > 0 ? d - n : d + n;
    const std::int64_t both[] = {d, other};
    for (int s = 0; s < 2; ++s) {
      samples[i].at_m[s] = shift + both[s] * grid.spacing_m;
      samples[i].weight[s] = blend(static_cast<double>(std::abs(both[s]) - reach) /
                                   static_cast<double>(n - 2 * reach));
    }
  }
  return samples;
}

/// The multipliers of one axis: the window's transform squared, inverted, and the square
/// of the wave number.
struct AxisFactors {
  std::vector<double> inverse_window2, q2;
};

AxisFactors axis_factors(const UniformGrid& grid, int axis,
                         const SpreadingWindow& window) {
  const std::size_t n = grid.size[axis];
  AxisFactors factors;
  for (std::size_t i = 0; i < n; ++i) {
    const double cells = 2 * pi * static_cast<double>(std::min(i, n - i)) / n;
    const double w = window.transform(cells);
    factors.inverse_window2.push_back(1 / (w * w));
    factors.q2.push_back(cells * cells / (grid.spacing_m * grid.spacing_m));
  }
  return factors;
}

}  // namespace

GridSpectrum::GridSpectrum(const UniformGrid& grid, const SplitKernel& kernel,
                           const SpreadingWindow& window, GridSource source,
                           const Monitor& monitor) {
  const auto& n = grid.size;
  for (int a = 0; a < 3; ++a)
    stored[a] = a == 2 && source == GridSource::image ? n[a] : n[a] / 2 + 1;
  std::vector<AxisSample> samples[3];
  AxisFactors factors[3];
  for (int a = 0; a < 3; ++a) {
    samples[a] = axis_samples(grid, a, source);
    factors[a] = axis_factors(grid, a, window);
  }
  const auto sample = [&](std::size_t i, std::size_t j, std::size_t l) {
    Complex sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
      const AxisSample &x = samples[0][i], &y = samples[1][j], &z = samples[2][l];
      const double weight = x.weight[a] * y.weight[b] * z.weight[c];
      if (weight > 0)
        sum += weight * kernel.at(norm(Vec3{x.at_m[a], y.at_m[b], z.at_m[c]}));
    }
    return sum;
  };
  std::vector<Complex> box(grid.box_nodes());
  const auto row = [&](std::size_t i, std::size_t j) {
    return box.data() + (i * n[1] + j) * n[2];
  };
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored[0]); ++i)
    for (std::size_t j = 0; j < stored[1] && !monitor.stopped(); ++j) {
      Complex* here = row(i, j);
      for (std::size_t l = 0; l < stored[2]; ++l) here[l] = sample(i, j, l);
      for (std::size_t l = stored[2]; l < n[2]; ++l) here[l] = here[n[2] - l];
      for (const std::size_t ii : {static_cast<std::size_t>(i), (n[0] - i) % n[0]})
        for (const std::size_t jj : {j, (n[1] - j) % n[1]})
          if (row(ii, jj) != here) std::copy_n(here, n[2], row(ii, jj));
    }
  monitor.check();
  Fft({n, {}}).forward(box.data(), 1);
  value.resize(stored[0] * stored[1] * stored[2]);
  const double largest = kernel.largest_wavenumber() * kernel.largest_wavenumber(),
               normalise = 1.0 / static_cast<double>(grid.box_nodes());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored[0]); ++i)
    for (std::size_t j = 0; j < stored[1]; ++j)
      for (std::size_t l = 0; l < stored[2]; ++l) {
        const bool kept =
            factors[0].q2[i] + factors[1].q2[j] + factors[2].q2[l] <= largest;
        value[(i * stored[1] + j) * stored[2] + l] =
            kept ? normalise * factors[0].inverse_window2[i] *
                       factors[1].inverse_window2[j] * factors[2].inverse_window2[l] *
                       row(i, j)[l]
                 : 0.0;
      }
}

}  // namespace thinwire
