#include <algorithm>
#include <array>
#include <optional>

#include "kernels/base/constants.h"
#include "kernels/device/check.cuh"
#include "kernels/device/complex.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/device/tuning.h"
#include "kernels/grid/device_axes.cuh"
#include "kernels/grid/grid_operator.h"
#include "kernels/grid/grid_view.cuh"

namespace thinwire {
namespace {

using namespace device;

constexpr int elements_a_block = tuning::grid_elements_a_block;

// A block has a tile of 8 x 8 x 8 nodes (8 x 16 of a flat grid), a thread four of them
// along the last axis with the sums of all channels in registers; the tile's points come
// by in batches, whose windows on the tile's nodes the threads make first. x, y, z are
// the axes in the grid's order.
//
//     points of the tile   [0 .. 63] [64 .. 127] ...     in ascending order
//     threads              64 x 3 x 8 windows, then every row along z its weights
//
// No node is written by two threads, so that there are no atomics, and the sums have one
// order.

template <bool flat, bool tube, class Number>
__global__ __launch_bounds__(Tile<flat>::threads) void spread_tile(
    GridView g, BasicWindowView<decltype(Number::x)> window, const std::uint64_t* first,
    const std::uint32_t* point, int tiles_y, int tiles_z, const double2* end_current,
    Number* box) {
  using Real = decltype(Number::x);
  using Point = TilePoint<flat, tube, Number>;
  constexpr int threads = Tile<flat>::threads,
                points_at_once = Tile<flat>::points_at_once, side = Tile<flat>::side;
  constexpr int sides[3] = {Tile<flat>::sides[0], Tile<flat>::sides[1],
                            Tile<flat>::sides[2]};
  const std::uint64_t begin = first[blockIdx.x], end = first[blockIdx.x + 1];
  if (begin == end) return;
  __shared__ Point points[points_at_once];
  const int thread = threadIdx.x, tile = blockIdx.x;
  const int corner[3] = {tile / (tiles_y * tiles_z) * sides[0],
                         tile / tiles_z % tiles_y * sides[1], tile % tiles_z * sides[2]};
  // Lanes of a warp differ in x and y, of which few points reach all, and share l, but in
  // a flat grid.
  const int j = thread % side, i = flat ? 0 : thread / side % side,
            l = thread / (sides[0] * side) * row_nodes;
  Number sum[max_channels][row_nodes] = {};
  for (std::uint64_t from = begin; from < end; from += points_at_once) {
    const int count = static_cast<int>(min(end - from, std::uint64_t{points_at_once}));
    __syncthreads();
    if (thread < count)
      points[thread].set(g, g.points[point[from + thread]], end_current);
    __syncthreads();
    for (int task = thread; task < count * Point::windows; task += threads)
      points[task / Point::windows].set_window(window, task % Point::windows, corner);
    __syncthreads();
    for (int n = 0; n < count; ++n) {
      const Point& p = points[n];
      if (l + row_nodes <= p.first_z || l >= p.first_z + window.width) continue;
      const Real x = flat ? Real{1} : p.along_x(0, i), y = p.along_y(0, j);
      if (x == 0 || y == 0) continue;
      typename Point::Row weight = p.along_z(0, l);
      if constexpr (tube) {
        const Real X = flat ? Real{1} : p.along_x(2, i),
                   x1 = flat ? Real{0} : p.along_x(1, i), y1 = p.along_y(1, j),
                   along = X * y + x * p.along_y(2, j) - 2 * p.bend * x1 * y1,
                   derivative = x1 * y + x * y1, both = x * y;
        const typename Point::Row z1 = p.along_z(1, l), z2 = p.along_z(2, l);
#pragma unroll
        for (int m = 0; m < row_nodes; ++m)
          weight.at[m] = along * weight.at[m] + derivative * z1.at[m] + both * z2.at[m];
      } else {
#pragma unroll
        for (Real& w : weight.at) w *= x * y;
      }
#pragma unroll
      for (int c = 0; c < max_channels; ++c) {
        if (c >= g.channels) break;
        const Number amount = p.amount[c];
#pragma unroll
        for (int m = 0; m < row_nodes; ++m) {
          sum[c][m].x += weight.at[m] * amount.x;
          sum[c][m].y += weight.at[m] * amount.y;
        }
      }
    }
  }
  const int x = corner[0] + i, y = corner[1] + j, z = corner[2] + l;
  if (x >= g.nodes[g.order.axis[0]] || y >= g.nodes[g.order.axis[1]]) return;
  const std::size_t at = x * g.box_stride[0] + y * g.box_stride[1] + z;
#pragma unroll
  for (int c = 0; c < max_channels; ++c) {
    if (c >= g.channels) break;
#pragma unroll
    for (int m = 0; m < row_nodes; ++m) {
      if (z + m >= g.nodes[g.order.axis[2]]) break;
      box[c * g.box_nodes + at + m] = sum[c][m];
    }
  }
}

/// Copies the channels of the nodes that points have to values[node][channel], so that
/// what a stencil reads is side by side.
template <class Number>
__global__ void interleave_channels(GridView g, const Number* box, Number* values) {
  const std::size_t i = std::size_t{blockIdx.x} * pass_threads + threadIdx.x,
                    node = i / g.interleaved;
  const std::size_t z = node % g.nodes[2], y = node / g.nodes[2] % g.nodes[1],
                    x = node / g.nodes[2] / g.nodes[1];
  if (x >= std::size_t(g.nodes[0])) return;
  const int c = static_cast<int>(i % g.interleaved);
  Number value = {};
  if (c < g.channels) value = box[c * g.box_nodes + (x * g.size[1] + y) * g.size[2] + z];
  values[i] = value;
}

// A warp has an element. For each of its points it makes the stencil's weights, then its
// lanes go over the nodes, z fastest, some at a time and a channel each; each multiplies
// its sum with what its channel counts at the element's two ends, and the lanes' sums are
// added up at last, in a tree of fixed shape.
//
//     lane       0  1  2  3 | 4  5  6  7 | 8 ..
//     node       0          | 1          | 2
//     channel    x  y  z  q | x  y  z  q | x

template <bool flat, int width, bool tube, class Number>
__global__ __launch_bounds__(32 * elements_a_block) void interpolate_elements(
    GridView g, BasicWindowView<decltype(Number::x)> window, std::uint32_t elements,
    double factor, const Number* values, double2* end_field) {
  using Real = decltype(Number::x);
  using PointStencil = Stencil<flat, width, tube, Real>;
  constexpr int stencil_nodes = PointStencil::nodes, weights_at_once = 256;
  __shared__ int place[stencil_nodes];  // of a stencil's nodes in values
  __shared__ PointStencil stencils[elements_a_block];
  __shared__ Real all_weights[elements_a_block][weights_at_once];
  for (int k = threadIdx.x; k < stencil_nodes; k += 32 * elements_a_block) {
    const int i = k / (width * width), j = k / width % width, l = k % width;
    place[k] = (i * g.data_stride[0] + j * g.data_stride[1] + l) * g.interleaved;
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::uint32_t element = blockIdx.x * elements_a_block + warp;
  if (element >= elements) return;
  PointStencil& stencil = stencils[warp];
  Real* const weights = all_weights[warp];
  const Element e = g.elements[element];
  const Vec3 t = g.order.of(e.tangent);
  const BasicVec3<Real> tangent = {static_cast<Real>(t.x), static_cast<Real>(t.y),
                                   static_cast<Real>(t.z)};
  const Real bend = static_cast<Real>(g.bend(e));
  const int c = lane % g.interleaved, nodes_at_once = 32 / g.interleaved;
  const bool of_charge = c < g.channels && g.channel[c] == GridChannel::charge;
  const double along =
      c < g.channels && !of_charge ? component(e.tangent, g.channel[c]) : 0;
  double2 field[2] = {};
  for (std::uint64_t n = g.first_point[element]; n < g.first_point[element + 1]; ++n) {
    const GridPoint p = g.points[n];
    __syncwarp();
    for (int task = lane; task < PointStencil::cells; task += 32)
      stencil.set(window, task, g.coordinates(p.position_m));
    __syncwarp();
    for (int task = lane; task < PointStencil::rows; task += 32)
      stencil.set_row(task, tangent, bend);
    const std::size_t first_node = (flat ? 0 : stencil.node[0]) * g.data_stride[0] +
                                   stencil.node[1] * g.data_stride[1] + stencil.node[2];
    const Number* const from = values + c + first_node * g.interleaved;
    Number sum = {0, 0};
    for (int first = 0; first < stencil_nodes; first += weights_at_once) {
      const int count = min(weights_at_once, stencil_nodes - first);
      __syncwarp();
      for (int k = lane; k < count; k += 32)
        weights[k] = stencil.weight((first + k) / width, (first + k) % width);
      __syncwarp();
#pragma unroll 4
      for (int k = lane / g.interleaved; k < count; k += nodes_at_once) {
        const Number value = from[place[first + k]];
        sum.x += weights[k] * value.x;
        sum.y += weights[k] * value.y;
      }
    }
    for (int j = 0; j < 2; ++j)
      field[j] =
          field[j] + (of_charge ? -p.derivative[j] : p.value[j] * along) * widen(sum);
  }
  for (int step = 16; step > 0; step /= 2)
    for (double2& of_end : field) {
      of_end.x += __shfl_xor_sync(0xffffffffu, of_end.x, step);
      of_end.y += __shfl_xor_sync(0xffffffffu, of_end.y, step);
    }
  if (lane < 2) {
    const double2 f = lane == 0 ? field[0] : field[1];
    end_field[2 * std::size_t{element} + lane] = {-factor * f.y, factor * f.x};
  }
}

template <class Number>
__device__ Number product(Number a, Number b) {
  Number c;
  c.x = a.x * b.x - a.y * b.y;
  c.y = a.x * b.y + a.y * b.x;
  return c;
}

/// A thread has a node of the box, of all channels, and in images its mirrored one; rows
/// of `threads_a_row` threads. image: null in free space.
template <class Number>
__global__ void __launch_bounds__(pass_threads)
    multiply_spectra(GridView g, int stored_y, int stored_z, int threads_a_row,
                     const Number* direct, const Number* image, Number* box) {
  const std::size_t thread = std::size_t{blockIdx.x} * pass_threads + threadIdx.x,
                    row = thread / threads_a_row;
  const int l = static_cast<int>(thread % threads_a_row), nz = g.size[2],
            m = l == 0 ? 0 : nz - l, x = static_cast<int>(row / g.size[1]),
            y = static_cast<int>(row % g.size[1]);
  if (x >= g.size[0]) return;
  const std::size_t stored_row =
      std::size_t(min(x, g.size[0] - x)) * stored_y + min(y, g.size[1] - y);
  const Number here = direct[stored_row * stored_z + min(l, nz - l)];
  Number* line = box + row * nz;
  for (int c = 0; c < g.channels; ++c, line += g.box_nodes) {
    const Number at_l = line[l];
    Number to_l = product(here, at_l);
    if (image) {
      const Number at_m = line[m];
      Number to_m = product(here, at_m);
      const auto sign = static_cast<decltype(here.x)>(image_sign(g.channel[c]));
      const Number from_l = product(image[stored_row * nz + l], at_m),
                   from_m = product(image[stored_row * nz + m], at_l);
      to_l.x += sign * from_l.x, to_l.y += sign * from_l.y;
      to_m.x += sign * from_m.x, to_m.y += sign * from_m.y;
      line[m] = to_m;
    }
    line[l] = to_l;
  }
}

}  // namespace

/// Points and nodes, whatever the numbers.
struct DeviceGridOperator::Grids {
  GridView view{};
  std::size_t elements = 0;
  double factor = 0;
  bool tubes = false;
  std::array<std::size_t, 3> tiles{};
  DeviceBuffer<Element> element;
  DeviceBuffer<GridPoint> point;
  DeviceBuffer<std::uint64_t> first_point, tile_first;
  DeviceBuffer<std::uint32_t> tile_point;
  int width = 0;  // of the window
  DeviceBuffer<double> window_double;
  DeviceBuffer<float> window_single;
  DeviceBuffer<char> box, values;
  std::optional<DeviceOffPlane> off_plane;

  Grids(const GridOperator& host, DeviceFft::Numbers numbers, const DeviceStream& stream,
        OwnerShare share);

  template <class Real>
  BasicWindowView<Real> window() const {
    if constexpr (std::is_same_v<Real, float>)
      return {width, window_single.data()};
    else
      return {width, window_double.data()};
  }
};

DeviceGridOperator::Grids::Grids(const GridOperator& host, DeviceFft::Numbers numbers,
                                 const DeviceStream& stream, OwnerShare share) {
  const UniformGrid& grid = host.grid();
  const GridTransfer& transfer = host.transfer();
  const std::size_t all = transfer.channels().size();
  const auto channels =
      std::span(transfer.channels())
          .subspan(share.first(all), share.last(all) - share.first(all));
  const WindowView of_host = host.window().view();
  const auto tiles_of = [&](const int(&sides)[3]) {
    return GridTiles(grid, of_host.width, transfer.points(), std::to_array(sides));
  };
  const GridTiles of_points =
      grid.order.flat ? tiles_of(Tile<true>::sides) : tiles_of(Tile<false>::sides);
  tubes = transfer.tubes();
  elements = transfer.elements().size();
  factor = host.input().k_rad_per_m * eta0_ohm / (4 * pi);
  tiles = of_points.count;
  element = uploaded(transfer.elements(), "elements", stream);
  point = uploaded(transfer.points().point, "grid's points", stream);
  first_point = uploaded(transfer.points().first, "grid's points", stream);
  tile_first = uploaded(of_points.first, "grid's tiles", stream);
  tile_point = uploaded(of_points.point, "grid's tiles", stream);
  const std::span<const double> coefficient(of_host.coefficient,
                                            of_host.width * WindowView::terms);
  width = of_host.width;
  window_double = uploaded(coefficient, "grid's window", stream);
  window_single = uploaded(std::vector<float>(coefficient.begin(), coefficient.end()),
                           "grid's window", stream);
  view.channels = static_cast<int>(channels.size());
  std::copy(channels.begin(), channels.end(), view.channel);
  view.origin_m = grid.origin_m;
  view.k_rad_per_m = host.input().k_rad_per_m;
  view.inverse_spacing = 1 / grid.spacing_m;
  view.order = grid.order;
  const std::size_t by_axis[] = {grid.size[1] * grid.size[2], grid.size[2], 1};
  for (int a = 0; a < 3; ++a) {
    view.nodes[a] = static_cast<int>(grid.nodes[a]);
    view.size[a] = static_cast<int>(grid.size[a]);
    view.box_stride[a] = by_axis[grid.order.axis[a]];
    view.data_stride[a] = grid.strides()[a];
  }
  view.box_nodes = grid.box_nodes();
  view.elements = element.data();
  view.points = point.data();
  view.first_point = first_point.data();
  view.interleaved = static_cast<int>(interleaved_channels(channels.size()));
  const std::size_t number_bytes =
      numbers == DeviceFft::Numbers::complex_single ? sizeof(float2) : sizeof(double2);
  box = DeviceBuffer<char>(view.channels * view.box_nodes * number_bytes, "grid");
  values =
      DeviceBuffer<char>(view.interleaved * grid.data_nodes() * number_bytes, "grid");
  if (grid.off_plane.empty()) return;
  SmoothView smooth = host.smooth_view();
  smooth.elements = element.data();
  smooth.points = point.data();
  smooth.first_point = first_point.data();
  const DeviceBuffer<double> kernel = on_device(smooth.kernel, stream);
  std::optional<DeviceSmoothReflection> reflection;
  if (host.reflection())
    smooth.reflection = reflection.emplace(host.reflection()->kernel(), stream).view();
  off_plane.emplace(grid.off_plane, elements, smooth, share.first(all) == 0, stream);
}

struct DeviceGridOperator::Parts {
  std::shared_ptr<const Grids> grids;
  bool single;
  std::array<std::size_t, 3> stored{};
  DeviceBuffer<char> direct, image;
  std::unique_ptr<DeviceGridReflection> reflection;  ///< null without a real ground
  DeviceFft fft;

  Parts(const GridOperator& host, std::shared_ptr<const Grids> shared,
        DeviceFft::Numbers numbers, const DeviceStream& stream)
      : grids(std::move(shared)),
        single(numbers == DeviceFft::Numbers::complex_single),
        fft(FftShape{host.grid().size, {host.grid().nodes[0], 0, 0}},
            static_cast<std::size_t>(grids->view.channels), numbers) {
    for (int a = 0; a < 3; ++a) stored[a] = host.grid().size[a] / 2 + 1;
    // Two channels of singles are as large as one of doubles.
    const auto spectrum = [&](GridSource source) {
      return make_device_spectrum(host.grid(), host.kernel(), host.window(), source,
                                  numbers, grids->box.data(), stream);
    };
    direct = spectrum(GridSource::direct);
    if (host.input().medium.sources() > 1) image = spectrum(GridSource::image);
    if (host.reflection())
      reflection =
          std::make_unique<DeviceGridReflection>(*host.reflection(), numbers, stream);
  }

  /// Calls call(number), call(flat, number) and so on with compile-time values.
  template <class Call>
  void by_number(const Call& call) const {
    if (single)
      call(float2{});
    else
      call(double2{});
  }
  template <class Call>
  void by_shape(const Call& call) const {
    const auto with = [&](auto flat, auto tube) {
      by_number([&](auto number) { call(flat, tube, number); });
    };
    const auto with_flat = [&](auto flat) {
      grids->tubes ? with(flat, std::true_type{}) : with(flat, std::false_type{});
    };
    grids->view.order.flat ? with_flat(std::true_type{}) : with_flat(std::false_type{});
  }
  template <class Call>
  void by_width(const Call& call) const {
    if (grids->width == 6)
      call(std::integral_constant<int, 6>{});
    else if (grids->width == 7)
      call(std::integral_constant<int, 7>{});
    else
      call(std::integral_constant<int, 9>{});
  }
};

DeviceGridOperator::DeviceGridOperator(const GridOperator& host,
                                       DeviceFft::Numbers numbers,
                                       const DeviceStream& stream, OwnerShare share)
    : parts_(std::make_unique<Parts>(
          host, std::make_shared<const Grids>(host, numbers, stream, share), numbers,
          stream)) {}
DeviceGridOperator::DeviceGridOperator(const GridOperator& host,
                                       const DeviceGridOperator& in_double,
                                       const DeviceStream& stream)
    : parts_(std::make_unique<Parts>(host, in_double.parts_->grids,
                                     DeviceFft::Numbers::complex_single, stream)) {}
DeviceGridOperator::~DeviceGridOperator() = default;

const GridPoint* DeviceGridOperator::points() const {
  return parts_->grids->point.data();
}
const std::size_t* DeviceGridOperator::first_point() const {
  return parts_->grids->first_point.data();
}

std::size_t DeviceGridOperator::bytes() const {
  const Parts& p = *parts_;
  const Grids& g = *p.grids;
  return g.element.bytes() + g.point.bytes() + g.first_point.bytes() +
         g.tile_first.bytes() + g.tile_point.bytes() + g.box.bytes() + g.values.bytes() +
         (g.off_plane ? g.off_plane->bytes() : 0) + p.direct.bytes() + p.image.bytes() +
         p.fft.bytes() + (p.reflection ? p.reflection->bytes() : 0);
}

void DeviceGridOperator::spread(const Complex* end_current,
                                const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const Grids& g = *p.grids;
  const auto blocks = static_cast<unsigned>(g.tiles[0] * g.tiles[1] * g.tiles[2]);
  p.by_shape([&](auto flat, auto tube, auto number) {
    using Number = decltype(number);
    set_bytes(g.box.data(), 0, g.view.channels * g.view.box_nodes * sizeof(Number),
              stream);
    spread_tile<flat(), tube(), Number>
        <<<blocks, Tile<flat()>::threads, 0, stream.get()>>>(
            g.view, g.window<decltype(Number::x)>(), g.tile_first.data(),
            g.tile_point.data(), static_cast<int>(g.tiles[1]),
            static_cast<int>(g.tiles[2]), parts(end_current),
            reinterpret_cast<Number*>(g.box.data()));
    check_launch("spread to the grid");
  });
}

void DeviceGridOperator::convolve(const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const Grids& g = *p.grids;
  if (p.reflection) {
    p.reflection->gather(g.box.data(), stream);
    p.reflection->convolve(stream);
  }
  p.fft.forward(g.box.data(), stream);
  const int nz = g.view.size[2], threads_a_row = p.image.size() > 0 ? nz / 2 + 1 : nz;
  const std::size_t threads =
      std::size_t(g.view.size[0]) * g.view.size[1] * threads_a_row;
  p.by_number([&](auto number) {
    using Number = decltype(number);
    multiply_spectra<<<pass_blocks(threads), pass_threads, 0, stream.get()>>>(
        g.view, static_cast<int>(p.stored[1]), static_cast<int>(p.stored[2]),
        threads_a_row, reinterpret_cast<const Number*>(p.direct.data()),
        reinterpret_cast<const Number*>(p.image.data()),
        reinterpret_cast<Number*>(g.box.data()));
    check_launch("multiply the grid's spectra");
  });
  p.fft.backward(g.box.data(), stream);
  if (p.reflection) p.reflection->add(g.box.data(), stream);
}

void DeviceGridOperator::interpolate(Complex* end_field,
                                     const DeviceStream& stream) const {
  const Parts& p = *parts_;
  const Grids& g = *p.grids;
  const auto blocks =
      static_cast<unsigned>((g.elements + elements_a_block - 1) / elements_a_block);
  const std::size_t nodes = std::size_t(g.view.nodes[0]) * g.view.nodes[1] *
                            g.view.nodes[2] * g.view.interleaved;
  p.by_shape([&](auto flat, auto tube, auto number) {
    using Number = decltype(number);
    auto* const values = reinterpret_cast<Number*>(g.values.data());
    interleave_channels<<<pass_blocks(nodes), pass_threads, 0, stream.get()>>>(
        g.view, reinterpret_cast<const Number*>(g.box.data()), values);
    p.by_width([&](auto width) {
      interpolate_elements<flat(), width(), tube(), Number>
          <<<blocks, 32 * elements_a_block, 0, stream.get()>>>(
              g.view, g.window<decltype(Number::x)>(),
              static_cast<std::uint32_t>(g.elements), g.factor, values, parts(end_field));
    });
    check_launch("interpolate from the grid");
  });
}

void DeviceGridOperator::apply(const Complex* end_current, Complex* end_field,
                               const DeviceStream& stream) const {
  spread(end_current, stream);
  convolve(stream);
  interpolate(end_field, stream);
  if (const auto& off = parts_->grids->off_plane)
    off->add(end_current, end_field, stream);
}

}  // namespace thinwire
