#include "kernels/grid/grid_transfer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/grouping.h"
#include "kernels/grid/split_kernel.h"

namespace thinwire {
namespace {

constexpr int max_channels = 4;
/// Nodes: wide enough that most stencils lie in one or two tiles.
constexpr int tile_side = 16;

}  // namespace

std::vector<GridChannel> grid_channels(std::span<const Element> elements) {
  // A component below this is the rounding of a straight wire's coordinates.
  constexpr double rounding = 1e-12;
  std::vector<GridChannel> channels;
  for (const GridChannel c : {GridChannel::x, GridChannel::y, GridChannel::z})
    if (std::any_of(elements.begin(), elements.end(), [&](const Element& e) {
          return std::fabs(component(e.tangent, c)) > rounding;
        }))
      channels.push_back(c);
  channels.push_back(GridChannel::charge);
  return channels;
}

GridTiles::GridTiles(const UniformGrid& grid, int width, const GridPoints& points,
                     std::array<int, 3> sides)
    : side(sides) {
  const AxisOrder order = grid.order;
  for (int a = 0; a < 3; ++a)
    count[a] = (grid.nodes[order.axis[a]] + side[a] - 1) / side[a];
  const auto& off = grid.off_plane;
  const auto for_tiles = [&](const GridPoint& p, auto&& visit) {
    if (!off.empty() && std::binary_search(off.begin(), off.end(), p.element)) return;
    const Vec3 at = order.of(grid.coordinates(p.position_m));
    const double x[3] = {at.x, at.y, at.z};
    std::size_t low[3] = {}, high[3] = {};
    for (int a = order.flat ? 1 : 0; a < 3; ++a) {
      const int start = static_cast<int>(first_node_from(x[a] - 0.5 * width));
      low[a] = static_cast<std::size_t>(start / side[a]);
      high[a] = static_cast<std::size_t>((start + width - 1) / side[a]);
    }
    for (std::size_t i = low[0]; i <= high[0]; ++i)
      for (std::size_t j = low[1]; j <= high[1]; ++j)
        for (std::size_t l = low[2]; l <= high[2]; ++l)
          visit((i * count[1] + j) * count[2] + l);
  };
  Groups tiles = group(points.point.size(), count[0] * count[1] * count[2],
                       [&](std::size_t i, const auto& put) {
                         for_tiles(points.point[i], [&](std::size_t tile) {
                           put(tile, static_cast<std::uint32_t>(i));
                         });
                       });
  first = std::move(tiles.first);
  point = std::move(tiles.member);
}

GridTransfer::GridTransfer(const UniformGrid& grid, const SpreadingWindow& window,
                           std::span<const Element> elements, double k_rad_per_m,
                           GridPoints points, bool tubes, bool spreads)
    : grid_(grid),
      window_(window),
      k_(k_rad_per_m),
      elements_(elements),
      points_(std::move(points)),
      tubes_(tubes),
      channels_(grid_channels(elements)) {
  if (spreads)
    tiles_.emplace(grid_, window_.width(), points_,
                   std::array{tile_side, tile_side, tile_side});
}

std::size_t GridTransfer::bytes() const {
  return points_.bytes() + (tiles_ ? tiles_->bytes() : 0);
}

template <bool tube>
PointStencil<tube> GridTransfer::stencil_of(const GridPoint& p) const {
  const Element& e = elements_[p.element];
  const double h = grid_.spacing_m;
  return {window_.view(), grid_.order.flat,
          grid_.order.of(grid_.coordinates(p.position_m)), grid_.order.of(e.tangent),
          TubeMean(k_, e.radius_m).bend_m2 / (h * h)};
}

template <bool tube>
void GridTransfer::spread_tile(std::size_t tile, std::span<const Complex> end_current,
                               std::span<Complex> data) const {
  const std::size_t corner[3] = {tile / (tiles_->count[1] * tiles_->count[2]),
                                 tile / tiles_->count[2] % tiles_->count[1],
                                 tile % tiles_->count[2]};
  int low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    low[a] = static_cast<int>(corner[a]) * tiles_->side[a];
    high[a] = std::min(low[a] + tiles_->side[a],
                       static_cast<int>(grid_.nodes[grid_.order.axis[a]]));
  }
  const auto row_of = [&, stride = grid_.strides()](int i, int j) {
    return i * stride[0] + j * stride[1];
  };
  const std::size_t nodes = grid_.data_nodes();
  for (std::size_t c = 0; c < channels_.size(); ++c)
    for (int i = low[0]; i < high[0]; ++i)
      for (int j = low[1]; j < high[1]; ++j)
        std::fill_n(data.data() + c * nodes + row_of(i, j) + low[2], high[2] - low[2],
                    Complex{});
  for (std::uint64_t n = tiles_->first[tile]; n < tiles_->first[tile + 1]; ++n) {
    const GridPoint& p = points_.point[tiles_->point[n]];
    const Element& e = elements_[p.element];
    const Complex *ends = end_current.data() + 2 * p.element,
                  current = p.value[0] * ends[0] + p.value[1] * ends[1],
                  charge = p.derivative[0] * ends[0] + p.derivative[1] * ends[1];
    Complex amount[max_channels];
    for (std::size_t c = 0; c < channels_.size(); ++c)
      amount[c] = channels_[c] == GridChannel::charge
                      ? charge
                      : component(e.tangent, channels_[c]) * current;
    const PointStencil<tube> stencil = stencil_of<tube>(p);
    int from[3], to[3];
    for (int a = 0; a < 3; ++a) {
      from[a] = std::max(0, low[a] - stencil.node[a]);
      to[a] = std::min(stencil.width[a], high[a] - stencil.node[a]);
    }
    double weight[WindowView::max_width];
    for (int i = from[0]; i < to[0]; ++i)
      for (int j = from[1]; j < to[1]; ++j) {
        const auto row = stencil.row(i, j);
        for (int l = from[2]; l < to[2]; ++l) weight[l] = stencil.weight(row, l);
        const std::size_t at =
            row_of(stencil.node[0] + i, stencil.node[1] + j) + stencil.node[2];
        for (std::size_t c = 0; c < channels_.size(); ++c) {
          auto* line = reinterpret_cast<double*>(data.data() + c * nodes + at);
          const double re = amount[c].real(), im = amount[c].imag();
          for (int l = from[2]; l < to[2]; ++l) {
            line[2 * l] += weight[l] * re;
            line[2 * l + 1] += weight[l] * im;
          }
        }
      }
  }
}

void GridTransfer::spread(std::span<const Complex> end_current,
                          std::span<Complex> data) const {
  const auto tiles = static_cast<std::int64_t>(tiles_->first.size()) - 1;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t tile = 0; tile < tiles; ++tile)
    tubes_ ? spread_tile<true>(tile, end_current, data)
           : spread_tile<false>(tile, end_current, data);
}

template <bool tube>
void GridTransfer::interpolate_element(std::size_t element, std::span<const Complex> data,
                                       Complex* end_field) const {
  const Element& e = elements_[element];
  const std::size_t nodes = grid_.data_nodes();
  const auto stride = grid_.strides();
  end_field[0] = end_field[1] = 0;
  for (const GridPoint& p : points_.of(element)) {
    const PointStencil<tube> stencil = stencil_of<tube>(p);
    double re[max_channels] = {}, im[max_channels] = {};
    double weight[WindowView::max_width];
    for (int i = 0; i < stencil.width[0]; ++i)
      for (int j = 0; j < stencil.width[1]; ++j) {
        const auto row = stencil.row(i, j);
        for (int l = 0; l < stencil.width[2]; ++l) weight[l] = stencil.weight(row, l);
        const std::size_t at = (stencil.node[0] + i) * stride[0] +
                               (stencil.node[1] + j) * stride[1] + stencil.node[2];
        for (std::size_t c = 0; c < channels_.size(); ++c) {
          const auto* line =
              reinterpret_cast<const double*>(data.data() + c * nodes + at);
          for (int l = 0; l < stencil.width[2]; ++l) {
            re[c] += weight[l] * line[2 * l];
            im[c] += weight[l] * line[2 * l + 1];
          }
        }
      }
    Complex along = 0, charge = 0;
    for (std::size_t c = 0; c < channels_.size(); ++c)
      if (channels_[c] == GridChannel::charge)
        charge = {re[c], im[c]};
      else
        along += component(e.tangent, channels_[c]) * Complex(re[c], im[c]);
    for (int j = 0; j < 2; ++j)
      end_field[j] += p.value[j] * along - p.derivative[j] * charge;
  }
}

void GridTransfer::interpolate(std::span<const Complex> data,
                               std::span<Complex> end_field) const {
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t e = 0; e < static_cast<std::int64_t>(elements_.size()); ++e)
    tubes_ ? interpolate_element<true>(e, data, end_field.data() + 2 * e)
           : interpolate_element<false>(e, data, end_field.data() + 2 * e);
}

}  // namespace thinwire
