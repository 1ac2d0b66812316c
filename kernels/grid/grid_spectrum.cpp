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

std::vector<SpectrumAxes::Sample> axis_samples(const UniformGrid& grid, int axis,
                                               GridSource source) {
  const auto n = static_cast<std::int64_t>(grid.size[axis]),
             reach = static_cast<std::int64_t>(grid.nodes[axis]) - 1;
  // An image's index is the sum of both nodes' indices: 0 .. 2 reach.
  const bool sums = source == GridSource::image && axis == 2;
  const std::int64_t middle = sums ? reach : 0;
  const double shift = sums ? 2 * grid.origin_m.z + middle * grid.spacing_m : 0;
  std::vector<SpectrumAxes::Sample> samples(grid.size[axis]);
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

}  // namespace

SpectrumAxes::SpectrumAxes(const UniformGrid& grid, const SplitKernel& kernel,
                           const SpreadingWindow& window, GridSource source)
    : largest_q2(kernel.largest_wavenumber() * kernel.largest_wavenumber()) {
  for (int a = 0; a < 3; ++a) {
    const std::size_t n = grid.size[a];
    stored[a] = a == 2 && source == GridSource::image ? n : n / 2 + 1;
    axis[a].sample = axis_samples(grid, a, source);
    for (std::size_t i = 0; i < n; ++i) {
      const double cells = 2 * pi * static_cast<double>(std::min(i, n - i)) / n;
      const double w = grid.is_across(a) ? 1 : window.transform(cells);
      axis[a].inverse_window2.push_back(1 / (w * w));
      axis[a].q2.push_back(cells * cells / (grid.spacing_m * grid.spacing_m));
    }
  }
}

SpectrumAxesView SpectrumAxes::view() const {
  SpectrumAxesView view{};
  for (int a = 0; a < 3; ++a) {
    view.sample[a] = axis[a].sample.data();
    view.inverse_window2[a] = axis[a].inverse_window2.data();
    view.q2[a] = axis[a].q2.data();
    view.size[a] = axis[a].sample.size();
    view.stored[a] = stored[a];
  }
  view.largest_q2 = largest_q2;
  return view;
}

GridSpectrum::GridSpectrum(const UniformGrid& grid, const SplitKernel& kernel,
                           const SpreadingWindow& window, GridSource source,
                           const Monitor& monitor) {
  const auto& n = grid.size;
  const SpectrumAxes axes(grid, kernel, window, source);
  const auto &x = axes.axis[0], &y = axes.axis[1], &z = axes.axis[2];
  stored = axes.stored;
  const SplitKernelView view = kernel.view();
  std::vector<Complex> box(grid.box_nodes());
  const auto row = [&](std::size_t i, std::size_t j) {
    return box.data() + (i * n[1] + j) * n[2];
  };
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored[0]); ++i)
    for (std::size_t j = 0; j < stored[1] && !monitor.stopped(); ++j) {
      Complex* here = row(i, j);
      for (std::size_t l = 0; l < stored[2]; ++l)
        here[l] = blended_kernel(view, x.sample[i], y.sample[j], z.sample[l]);
      for (std::size_t l = stored[2]; l < n[2]; ++l) here[l] = here[n[2] - l];
      for (const std::size_t ii : {static_cast<std::size_t>(i), (n[0] - i) % n[0]})
        for (const std::size_t jj : {j, (n[1] - j) % n[1]})
          if (row(ii, jj) != here) std::copy_n(here, n[2], row(ii, jj));
    }
  monitor.check();
  Fft({n, {}}).forward(box.data(), 1);
  value.resize(stored[0] * stored[1] * stored[2]);
  const SpectrumAxesView factors = axes.view();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored[0]); ++i)
    for (std::size_t j = 0; j < stored[1]; ++j)
      for (std::size_t l = 0; l < stored[2]; ++l)
        value[(i * stored[1] + j) * stored[2] + l] =
            factors.factor(i, j, l) * row(i, j)[l];
}

}  // namespace thinwire
