#include <algorithm>

#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/grid/device_axes.cuh"
#include "kernels/grid/grid_reflection.h"

namespace thinwire {
namespace {

using namespace device;

constexpr const char* purpose = "grid's reflection";
constexpr int coupled_channels = 4;

/// Data that all kernels read.
struct LayersView {
  int channels, layers;
  int nodes[3], size[3], stored_y;
  std::size_t box_nodes;  ///< of the grid
  std::size_t plane;      ///< nodes of a layer
  std::size_t stored;     ///< of a spectrum's plane
  const double* weight;   ///< [layers][nodes along z]
};

/// The kernel between two channels; null: none.
template <class Number>
struct CouplingView {
  const Number* spectrum = nullptr;
  float sign = 1;
  bool odd_in_x = false, odd_in_y = false;
};
template <class Number>
struct CouplingsView {
  CouplingView<Number> of[coupled_channels][coupled_channels];  ///< [field][source]
};

/// A thread has a node of a plane: of its kernels those `kinds`, [kinds][plane].
struct UsedKinds {
  int count, kind[GridReflection::kinds];
};
__global__ void __launch_bounds__(pass_threads)
    sample_reflection(SpectrumAxesView axes, SmoothReflectionView kernel, UsedKinds used,
                      double zeta_m, double2* plane) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x,
                    nodes = axes.size[0] * axes.size[1];
  if (at >= nodes) return;
  const ReflectionKinds value =
      blended_reflection(kernel, axes.sample[0][at / axes.size[1]],
                         axes.sample[1][at % axes.size[1]], zeta_m);
  int n = 0;
#pragma unroll
  for (int kind = 0; kind < GridReflection::kinds; ++kind)
    if (n < used.count && used.kind[n] == kind)
      plane[n++ * nodes + at] = {value.of[kind].re, value.of[kind].im};
}

/// A thread has an entry of the stored part of a kind's spectrum.
template <class Number>
__global__ void __launch_bounds__(pass_threads)
    divide_plane(SpectrumAxesView axes, const double2* plane, Number* spectrum) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  const std::size_t i = at / axes.stored[1], j = at % axes.stored[1];
  if (i >= axes.stored[0]) return;
  const double factor = axes.plane_factor(i, j);
  const double2 from = plane[i * axes.size[1] + j];
  spectrum[at].x = static_cast<decltype(spectrum->x)>(factor * from.x);
  spectrum[at].y = static_cast<decltype(spectrum->y)>(factor * from.y);
}

/// A thread has a layer's node, of all channels; layers run fastest.
template <class Number>
__global__ void __launch_bounds__(pass_threads)
    gather_layers(LayersView v, const Number* box, Number* layers) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  const int m = static_cast<int>(at % v.layers);
  const std::size_t node = at / v.layers;
  const int i = static_cast<int>(node / v.nodes[1]),
            j = static_cast<int>(node % v.nodes[1]);
  if (i >= v.nodes[0]) return;
  const double* weight = v.weight + m * v.nodes[2];
  for (int c = 0; c < v.channels; ++c) {
    const Number* line =
        box + c * v.box_nodes + (std::size_t(i) * v.size[1] + j) * v.size[2];
    double re = 0, im = 0;
    for (int l = 0; l < v.nodes[2]; ++l) {
      re += weight[l] * line[l].x;
      im += weight[l] * line[l].y;
    }
    Number& to = layers[(std::size_t(c) * v.layers + m) * v.plane +
                        std::size_t(i) * v.size[1] + j];
    to.x = re;
    to.y = im;
  }
}

/// A thread has a wave vector of a layer that is reflected to, of all channels:
/// neighbours read neighbouring wave vectors.
template <class Number>
__global__ void __launch_bounds__(pass_threads)
    multiply_layers(LayersView v, CouplingsView<Number> couplings, const Number* in,
                    Number* out) {
  const std::size_t q = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  if (q >= v.plane) return;
  const int m = static_cast<int>(blockIdx.y), x = static_cast<int>(q / v.size[1]),
            y = static_cast<int>(q % v.size[1]);
  const bool x_turned = 2 * x > v.size[0], y_turned = 2 * y > v.size[1];
  const std::size_t place = std::size_t(x_turned ? v.size[0] - x : x) * v.stored_y +
                            (y_turned ? v.size[1] - y : y);
  for (int field = 0; field < v.channels; ++field) {
    double2 sum = {0, 0};
    for (int source = 0; source < v.channels; ++source) {
      const CouplingView<Number>& coupling = couplings.of[field][source];
      if (!coupling.spectrum) continue;
      const bool minus =
          (x_turned && coupling.odd_in_x) != (y_turned && coupling.odd_in_y);
      const double sign = minus ? -coupling.sign : coupling.sign;
      const Number* from = in + std::size_t(source) * v.layers * v.plane + q;
      const Number* multiplier = coupling.spectrum + m * v.stored + place;
      for (int k = 0; k < v.layers; ++k, from += v.plane, multiplier += v.stored)
        add_product(sum, {sign * multiplier->x, sign * multiplier->y},
                    {from->x, from->y});
    }
    Number& to = out[(std::size_t(field) * v.layers + m) * v.plane + q];
    to.x = sum.x;
    to.y = sum.y;
  }
}

/// A thread has a data node, of all channels.
template <class Number>
__global__ void __launch_bounds__(pass_threads)
    add_layers(LayersView v, const Number* layers, Number* box) {
  const std::size_t at = std::size_t{blockIdx.x} * pass_threads + threadIdx.x;
  const int l = static_cast<int>(at % v.nodes[2]);
  const std::size_t node = at / v.nodes[2];
  const int i = static_cast<int>(node / v.nodes[1]),
            j = static_cast<int>(node % v.nodes[1]);
  if (i >= v.nodes[0]) return;
  for (int c = 0; c < v.channels; ++c) {
    const Number* from =
        layers + std::size_t(c) * v.layers * v.plane + std::size_t(i) * v.size[1] + j;
    double re = 0, im = 0;
    for (int m = 0; m < v.layers; ++m, from += v.plane) {
      const double weight = v.weight[m * v.nodes[2] + l];
      re += weight * from->x;
      im += weight * from->y;
    }
    Number& to = box[c * v.box_nodes + (std::size_t(i) * v.size[1] + j) * v.size[2] + l];
    to.x += re;
    to.y += im;
  }
}

}  // namespace

struct DeviceGridReflection::Parts {
  LayersView view{};
  bool single;
  std::array<std::array<GridReflection::Coupling, coupled_channels>, coupled_channels>
      coupling;
  DeviceBuffer<double> weight;
  std::array<DeviceBuffer<char>, GridReflection::kinds> spectrum;
  DeviceBuffer<char> in, out;  ///< [channels][layers][plane]
  DeviceFft fft;

  Parts(const GridReflection& host, DeviceFft::Numbers numbers)
      : single(numbers == DeviceFft::Numbers::complex_single),
        fft({{host.grid().size[0], host.grid().size[1], 1}, {}},
            host.channels().size() * host.layers().count, numbers) {}

  template <class Number>
  CouplingsView<Number> couplings() const {
    CouplingsView<Number> all;
    for (int field = 0; field < view.channels; ++field)
      for (int source = 0; source < view.channels; ++source) {
        const GridReflection::Coupling c = coupling[field][source];
        if (c.kind < 0) continue;
        all.of[field][source] = {reinterpret_cast<const Number*>(spectrum[c.kind].data()),
                                 static_cast<float>(c.sign),
                                 GridReflection::odd_in_x(c.kind),
                                 GridReflection::odd_in_y(c.kind)};
      }
    return all;
  }

  /// Waits.
  void make_spectra(const GridReflection& host, const DeviceStream& stream) {
    const DeviceAxes axes(host.axes(), stream);
    const DeviceSmoothReflection kernel(host.kernel(), stream);
    UsedKinds used{static_cast<int>(host.used().size()), {}};
    std::copy(host.used().begin(), host.used().end(), used.kind);
    const std::vector<double> heights = host.heights();
    const std::size_t number = single ? sizeof(float2) : sizeof(double2);
    for (const int kind : host.used())
      spectrum[kind] = DeviceBuffer<char>(heights.size() * view.stored * number, purpose);
    const DeviceBuffer<double2> plane(used.count * view.plane, purpose);
    const DeviceFft to_waves({{host.grid().size[0], host.grid().size[1], 1}, {}},
                             host.used().size());
    for (std::size_t sum = 0; sum < heights.size(); ++sum) {
      sample_reflection<<<pass_blocks(view.plane), pass_threads, 0, stream.get()>>>(
          axes.view(), kernel.view(), used, heights[sum], plane.data());
      check_launch("grid's reflection, samples");
      to_waves.forward(plane.data(), stream);
      for (int n = 0; n < used.count; ++n)
        dispatch([&](auto value) {
          divide_plane<<<pass_blocks(view.stored), pass_threads, 0, stream.get()>>>(
              axes.view(), plane.data() + n * view.plane,
              reinterpret_cast<decltype(value)*>(spectrum[used.kind[n]].data()) +
                  sum * view.stored);
          check_launch("grid's reflection, spectra");
        });
    }
    stream.synchronize();
  }

  template <class Call>
  void dispatch(const Call& call) const {
    if (single)
      call(float2{});
    else
      call(double2{});
  }
};

DeviceGridReflection::DeviceGridReflection(const GridReflection& host,
                                           DeviceFft::Numbers numbers,
                                           const DeviceStream& stream)
    : parts_(std::make_unique<Parts>(host, numbers)) {
  Parts& p = *parts_;
  LayersView& view = p.view;
  const UniformGrid& grid = host.grid();
  view.channels = static_cast<int>(host.channels().size());
  view.layers = static_cast<int>(host.layers().count);
  for (int a = 0; a < 3; ++a) {
    view.nodes[a] = static_cast<int>(grid.nodes[a]);
    view.size[a] = static_cast<int>(grid.size[a]);
  }
  view.stored_y = static_cast<int>(host.stored()[1]);
  view.box_nodes = grid.box_nodes();
  view.plane = grid.size[0] * grid.size[1];
  view.stored = host.stored()[0] * host.stored()[1];
  p.weight = uploaded(host.layers().weight, purpose, stream);
  view.weight = p.weight.data();
  for (int field = 0; field < view.channels; ++field)
    for (int source = 0; source < view.channels; ++source)
      p.coupling[field][source] =
          host.coupling(host.channels()[field], host.channels()[source]);
  p.make_spectra(host, stream);
  const std::size_t bytes = view.channels * view.layers * view.plane *
                            (p.single ? sizeof(float2) : sizeof(double2));
  p.in = DeviceBuffer<char>(bytes, purpose);
  p.out = DeviceBuffer<char>(bytes, purpose);
}
DeviceGridReflection::~DeviceGridReflection() = default;

void DeviceGridReflection::gather(const void* box, const DeviceStream& stream) const {
  const Parts& p = *parts_;
  set_bytes(p.in.data(), 0, p.in.bytes(), stream);
  const std::size_t threads =
      std::size_t(p.view.nodes[0]) * p.view.nodes[1] * p.view.layers;
  p.dispatch([&](auto number) {
    using Number = decltype(number);
    gather_layers<<<pass_blocks(threads), pass_threads, 0, stream.get()>>>(
        p.view, static_cast<const Number*>(box), reinterpret_cast<Number*>(p.in.data()));
    check_launch("grid's reflection, to its layers");
  });
}

void DeviceGridReflection::convolve(const DeviceStream& stream) const {
  const Parts& p = *parts_;
  p.fft.forward(p.in.data(), stream);
  const dim3 blocks(pass_blocks(p.view.plane), static_cast<unsigned>(p.view.layers));
  p.dispatch([&](auto number) {
    using Number = decltype(number);
    multiply_layers<<<blocks, pass_threads, 0, stream.get()>>>(
        p.view, p.couplings<Number>(), reinterpret_cast<const Number*>(p.in.data()),
        reinterpret_cast<Number*>(p.out.data()));
    check_launch("grid's reflection, spectra");
  });
  p.fft.backward(p.out.data(), stream);
}

void DeviceGridReflection::add(void* box, const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const std::size_t threads =
      std::size_t(p.view.nodes[0]) * p.view.nodes[1] * p.view.nodes[2];
  p.dispatch([&](auto number) {
    using Number = decltype(number);
    add_layers<<<pass_blocks(threads), pass_threads, 0, stream.get()>>>(
        p.view, reinterpret_cast<const Number*>(p.out.data()), static_cast<Number*>(box));
    check_launch("grid's reflection, from its layers");
  });
}

std::size_t DeviceGridReflection::bytes() const {
  const Parts& p = *parts_;
  std::size_t bytes = p.weight.bytes() + p.in.bytes() + p.out.bytes() + p.fft.bytes();
  for (const auto& spectrum : p.spectrum) bytes += spectrum.bytes();
  return bytes;
}

}  // namespace thinwire
