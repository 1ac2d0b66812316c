#include "kernels/grid/grid_reflection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/grid/point_stencil.h"

namespace thinwire {
namespace {

/// Order of interpolation between layers.
constexpr std::size_t max_degree = 7;
/// Distance of layers, in cells of the grid and in wavelengths.
constexpr double cells_a_layer = 0.7, wavelengths_a_layer = 1.0 / 12;

/// Returns the height over which the layers are spread, from the lowest wire up: at least
/// a part of a cell, because thinner layers make the weights of derivatives cancel.
double layered_height(double low, double high, double spacing) {
  constexpr double min_cells = 0.4;
  return std::max(high - low, min_cells * spacing);
}

/// Values at x of the polynomials that are 1 at one of `count` places 0, 1, 2, .. and 0
/// at the degree others around x; its derivatives by x beside them.
struct Cardinals {
  std::size_t first;
  std::vector<double> value, derivative, second;

  Cardinals(double x, std::size_t count) {
    const std::size_t degree = std::min(max_degree, count - 1);
    const double start = std::floor(x - 0.5 * static_cast<double>(degree) + 0.5);
    first = static_cast<std::size_t>(
        std::clamp(start, 0.0, static_cast<double>(count - 1 - degree)));
    for (std::size_t i = 0; i <= degree; ++i) {
      // Horner's products, differentiated.
      double v = 1, d = 0, dd = 0;
      for (std::size_t j = 0; j <= degree; ++j) {
        if (j == i) continue;
        const double over = 1 / (static_cast<double>(i) - static_cast<double>(j)),
                     factor = (x - static_cast<double>(first + j)) * over;
        dd = dd * factor + 2 * d * over;
        d = d * factor + v * over;
        v *= factor;
      }
      value.push_back(v);
      derivative.push_back(d);
      second.push_back(dd);
    }
  }
};

/// Solves (A + ridge) x = b for symmetric positive A, [n][n], in place of the columns b,
/// [columns][n].
void solve_ridged(std::vector<double>& a, std::size_t n, std::vector<double>& b) {
  constexpr double ridge = 1e-13;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, a[i * n + i]);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] += ridge * largest;
  for (std::size_t j = 0; j < n; ++j) {  // L L^T
    for (std::size_t i = j; i < n; ++i) {
      double sum = a[i * n + j];
      for (std::size_t l = 0; l < j; ++l) sum -= a[i * n + l] * a[j * n + l];
      a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (std::size_t c = 0; c < b.size() / n; ++c) {
    double* x = b.data() + c * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t l = 0; l < i; ++l) x[i] -= a[i * n + l] * x[l];
      x[i] /= a[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t l = i + 1; l < n; ++l) x[i] -= a[l * n + i] * x[l];
      x[i] /= a[i * n + i];
    }
  }
}

}  // namespace

std::size_t ReflectionLayers::count_for(double low, double high, double wavelength,
                                        double spacing) {
  const double height = layered_height(low, high, spacing);
  const double most = std::min(cells_a_layer * spacing, wavelengths_a_layer * wavelength);
  return static_cast<std::size_t>(std::ceil(height / most)) + 3;
}

ReflectionLayers::ReflectionLayers(double low, double high, double wavelength,
                                   const UniformGrid& grid, const SpreadingWindow& window)
    : first_m(low), step_m(0), count(count_for(low, high, wavelength, grid.spacing_m)) {
  if (grid.is_across(2)) {
    first_m = grid.origin_m.z;
    count = 1;
    weight = {1};
    return;
  }
  const double h = grid.spacing_m, height = layered_height(low, high, h);
  step_m = height / static_cast<double>(count - 1);
  // Least squares of values and, for tubes, derivatives at places four a cell.
  const std::size_t nodes = grid.nodes[2],
                    places = 5 + static_cast<std::size_t>(std::ceil(4 * height / h));
  constexpr double of_derivative = 0.1;
  std::vector<double> squares(nodes * nodes);
  weight.resize(count * nodes);
  const WindowView view = window.view();
  std::vector<double> value(view.width), first(view.width), second(view.width);
  for (std::size_t p = 0; p < places; ++p) {
    const double z =
        low + height * static_cast<double>(p) / static_cast<double>(places - 1);
    const double edge = (z - grid.origin_m.z) / h - 0.5 * view.width,
                 start = first_node_from(edge);
    view.at<true>(start - edge, value.data(), first.data(), second.data());
    // Windows are functions of the node less the place.
    const double in_cells = -h / step_m;
    const Cardinals cardinals((z - low) / step_m, count);
    for (int order = 0; order < 3; ++order) {
      const std::vector<double>& row = order == 0 ? value : order == 1 ? first : second;
      const std::vector<double>& to = order == 0   ? cardinals.value
                                      : order == 1 ? cardinals.derivative
                                                   : cardinals.second;
      const double square = order == 0 ? 1 : of_derivative * of_derivative;
      const auto at = static_cast<std::size_t>(start);
      for (int i = 0; i < view.width; ++i) {
        for (int j = 0; j < view.width; ++j)
          squares[(at + i) * nodes + at + j] += square * row[i] * row[j];
        for (std::size_t m = 0; m < to.size(); ++m)
          weight[(cardinals.first + m) * nodes + at + i] +=
              square * row[i] * to[m] * std::pow(in_cells, order);
      }
    }
  }
  solve_ridged(squares, nodes, weight);
}

GridReflection::GridReflection(SmoothReflection kernel, const UniformGrid& grid,
                               const SplitKernel& split, const SpreadingWindow& window,
                               ReflectionLayers layers, std::vector<GridChannel> channels,
                               bool products, const Monitor& monitor)
    : kernel_(std::move(kernel)),
      grid_(grid),
      layers_(std::move(layers)),
      channels_(std::move(channels)),
      axes_(grid, split, window, GridSource::direct),
      fft_({{grid.size[0], grid.size[1], 1}, {grid.nodes[0], grid.nodes[1], 0}}),
      stored_{axes_.stored[0], axes_.stored[1]} {
  for (int kind = 0; kind < kinds; ++kind)
    for (std::size_t pair = 0; pair < channels_.size() * channels_.size(); ++pair)
      if (coupling(channels_[pair / channels_.size()], channels_[pair % channels_.size()])
              .kind == kind) {
        used_.push_back(kind);
        break;
      }
  if (!products) return;
  const std::vector<double> zeta = heights();
  for (const int kind : used_)
    spectrum_[kind].resize(zeta.size() * stored_[0] * stored_[1]);
  for (std::size_t sum = 0; sum < zeta.size(); ++sum) {
    monitor.check();
    sample(sum, zeta[sum]);
  }
}

std::vector<double> GridReflection::heights() const {
  std::vector<double> zeta;
  for (std::size_t sum = 0; sum + 1 < 2 * layers_.count; ++sum)
    zeta.push_back(2 * layers_.first_m + static_cast<double>(sum) * layers_.step_m);
  return zeta;
}

GridReflection::Coupling GridReflection::coupling(GridChannel field,
                                                  GridChannel source) const {
  using enum GridChannel;
  if (field == charge || source == charge)
    return field == source ? Coupling{6} : Coupling{};
  if (field == z && source == z) return {5};
  if (field == z) return {source == x ? 3 : 4};
  if (source == z) return {field == x ? 3 : 4, -1};
  if (field != source) return kernel_.isotropic() ? Coupling{} : Coupling{2};
  return {field == x || kernel_.isotropic() ? 0 : 1};
}

void GridReflection::sample(std::size_t sum, double zeta) {
  const std::size_t nx = grid_.size[0], ny = grid_.size[1], count = used_.size();
  std::vector<Complex> boxes(count * box());
  const auto &x = axes_.axis[0], &y = axes_.axis[1];
  const SpectrumAxesView axes = axes_.view();
  const SmoothReflectionView kernel = kernel_.view();
  const auto sign = [](int kind, bool x_turned, bool y_turned) {
    return (x_turned && odd_in_x(kind)) != (y_turned && odd_in_y(kind)) ? -1.0 : 1.0;
  };
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored_[0]); ++i)
    for (std::size_t j = 0; j < stored_[1]; ++j) {
      const ReflectionKinds value =
          blended_reflection(kernel, x.sample[i], y.sample[j], zeta);
      const std::size_t ii = (nx - i) % nx, jj = (ny - j) % ny;
      for (std::size_t n = 0; n < count; ++n) {
        Complex* to = boxes.data() + n * box();
        const Complex v = value.of[used_[n]];
        // Where an index is its own mirror an odd kernel blends to 0.
        to[ii * ny + jj] = sign(used_[n], true, true) * v;
        to[ii * ny + j] = sign(used_[n], true, false) * v;
        to[i * ny + jj] = sign(used_[n], false, true) * v;
        to[i * ny + j] = v;
      }
    }
  Fft({{nx, ny, 1}, {}}).forward(boxes.data(), count);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(stored_[0]); ++i)
    for (std::size_t j = 0; j < stored_[1]; ++j)
      for (std::size_t n = 0; n < count; ++n)
        spectrum_[used_[n]][(sum * stored_[0] + i) * stored_[1] + j] =
            axes.plane_factor(i, j) * boxes[n * box() + i * ny + j];
}

std::vector<Complex> GridReflection::reflect(std::span<const Complex> data) const {
  const auto &n = grid_.size, &nodes = grid_.nodes;
  const std::size_t count = layers_.count, arrays = channels_.size() * count;
  std::vector<Complex> out(arrays * box());
  const auto layer = [&](std::size_t channel, std::size_t m) {
    return out.data() + (channel * count + m) * box();
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(nodes[0]); ++i)
    for (std::size_t j = 0; j < nodes[1]; ++j)
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        const Complex* line =
            data.data() + c * grid_.data_nodes() + (i * nodes[1] + j) * nodes[2];
        for (std::size_t m = 0; m < count; ++m) {
          Complex sum = 0;
          for (std::size_t l = 0; l < nodes[2]; ++l)
            sum += layers_.weight[m * nodes[2] + l] * line[l];
          layer(c, m)[i * n[1] + j] = sum;
        }
      }
  fft_.forward(out.data(), arrays);
  const std::size_t all = stored_[0] * stored_[1];
#pragma omp parallel
  {
    std::vector<Complex> in(arrays);
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(n[0]); ++i)
      for (std::size_t j = 0; j < n[1]; ++j) {
        const std::size_t at = i * n[1] + j, ii = std::min<std::size_t>(i, n[0] - i),
                          jj = std::min(j, n[1] - j), stored = ii * stored_[1] + jj;
        for (std::size_t a = 0; a < arrays; ++a) in[a] = out[a * box() + at];
        for (std::size_t field = 0; field < channels_.size(); ++field) {
          std::vector<Complex> sums(count);
          for (std::size_t source = 0; source < channels_.size(); ++source) {
            const Coupling c = coupling(channels_[field], channels_[source]);
            if (c.kind < 0) continue;
            const bool x_turned = odd_in_x(c.kind) && static_cast<std::size_t>(i) > ii,
                       y_turned = odd_in_y(c.kind) && j > jj;
            const double sign = x_turned != y_turned ? -c.sign : c.sign;
            const Complex* spectrum = spectrum_[c.kind].data() + stored;
            for (std::size_t m = 0; m < count; ++m)
              for (std::size_t k = 0; k < count; ++k)
                sums[m] += sign * spectrum[(m + k) * all] * in[source * count + k];
          }
          for (std::size_t m = 0; m < count; ++m) layer(field, m)[at] = sums[m];
        }
      }
  }
  fft_.backward(out.data(), arrays);
  return out;
}

void GridReflection::add(std::span<const Complex> reflected,
                         std::span<Complex> data) const {
  const auto& nodes = grid_.nodes;
  const std::size_t count = layers_.count;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(nodes[0]); ++i)
    for (std::size_t j = 0; j < nodes[1]; ++j)
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        Complex* line =
            data.data() + c * grid_.data_nodes() + (i * nodes[1] + j) * nodes[2];
        for (std::size_t m = 0; m < count; ++m) {
          const Complex value =
              reflected[(c * count + m) * box() + i * grid_.size[1] + j];
          for (std::size_t l = 0; l < nodes[2]; ++l)
            line[l] += layers_.weight[m * nodes[2] + l] * value;
        }
      }
}

std::size_t GridReflection::bytes() const {
  std::size_t complex = channels_.size() * layers_.count * box();
  for (const auto& spectrum : spectrum_) complex += spectrum.size();
  return complex * sizeof(Complex) + layers_.weight.size() * sizeof(double);
}

}  // namespace thinwire
