#include "kernels/grid/grid_operator.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"

namespace thinwire {

bool grid_sees_tubes(std::span<const Element> elements, double spacing,
                     const GridClass& grid_class) {
  double largest = 0;
  for (const Element& e : elements) largest = std::max(largest, e.radius_m);
  // (q a)^2 / 4 at the largest wave number of G_s, of which far pairs see little.
  const double qa = grid_class.beta / grid_class.near_cells * largest / spacing;
  return 0.25 * qa * qa > 0.01 * grid_class.tolerance;
}

GridOperator::GridOperator(const GridInput& input, const Monitor& monitor)
    : input_(input),
      grid_(UniformGrid::around(StructureExtents(input.elements), input.spacing_m,
                                input.grid_class)),
      kernel_(input.k_rad_per_m, input.grid_class.near_cells * input.spacing_m,
              input.grid_class.beta),
      window_(input.grid_class.width, input.grid_class.oversampling()),
      transfer_(grid_, window_, input.elements, input.k_rad_per_m,
                GridPoints(input.elements, input.k_rad_per_m, input.spacing_m,
                           input.grid_class),
                grid_sees_tubes(input.elements, input.spacing_m, input.grid_class),
                input.products),
      fft_({grid_.size, grid_.nodes}) {
  if (input.ground || input.surface) reflection_ = make_reflection(monitor);
  if (!input.products) return;
  direct_.emplace(grid_, kernel_, window_, GridSource::direct, monitor);
  if (input.medium.sources() > 1)
    image_.emplace(grid_, kernel_, window_, GridSource::image, monitor);
  if (!grid_.off_plane.empty())
    off_plane_.emplace(grid_.off_plane, input.elements.size(), smooth_view());
}

SmoothView GridOperator::smooth_view() const {
  return {input_.elements.data(),
          transfer_.points().point.data(),
          transfer_.points().first.data(),
          kernel_.view(),
          input_.medium,
          input_.k_rad_per_m * eta0_ohm / (4 * pi),
          transfer_.tubes(),
          reflection_ != nullptr,
          reflection_ ? reflection_->kernel().view() : SmoothReflectionView{},
          reflected_radius_m(input_.spacing_m, input_.grid_class)};
}

std::unique_ptr<const GridReflection> GridOperator::make_reflection(
    const Monitor& monitor) const {
  double low = input_.elements.front().start_m.z, high = low;
  for (const Element& e : input_.elements)
    for (const double z : {e.start_m.z, e.start_m.z + e.length_m * e.tangent.z}) {
      low = std::min(low, z);
      high = std::max(high, z);
    }
  double radius = 0;
  for (const Element& e : input_.elements) radius = std::max(radius, e.radius_m);
  low = std::max(low, 0.0);  // an end on the ground, rounded
  ReflectionLayers layers(low, high, 2 * pi / input_.k_rad_per_m, grid_, window_);
  const double near = reflection_near_m(input_.grid_class, input_.spacing_m,
                                        input_.k_rad_per_m, low, radius);
  // The farther of two samples that blend where the box wraps round.
  const auto farthest = [&](int a) {
    return static_cast<double>(grid_.size[a] - grid_.nodes[a] + 1);
  };
  const double reach = grid_.spacing_m * std::hypot(farthest(0), farthest(1));
  SmoothReflection kernel =
      input_.ground ? SmoothReflection(*input_.ground, kernel_, near, reach,
                                       std::max(0.0, 2 * low - radius),
                                       2 * std::max(high, layers.last_m()) + radius)
                    : SmoothReflection(*input_.surface, kernel_, near);
  return std::make_unique<GridReflection>(std::move(kernel), grid_, kernel_, window_,
                                          std::move(layers), transfer_.channels(),
                                          input_.products, monitor);
}

std::size_t GridOperator::bytes() const {
  return transfer_.bytes() + (direct_ ? direct_->bytes() : 0) +
         (image_ ? image_->bytes() : 0) + (reflection_ ? reflection_->bytes() : 0) +
         (off_plane_ ? off_plane_->bytes() : 0) +
         sizeof(Complex) *
             (grid_.box_nodes() + transfer_.channels().size() * grid_.data_nodes());
}

void GridOperator::convolve(GridChannel channel, Complex* data,
                            std::vector<Complex>& box) const {
  const auto &n = grid_.size, &used = grid_.nodes;
  std::fill(box.begin(), box.end(), Complex{});
  const auto for_rows = [&](auto&& copy) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(used[0]); ++i)
      for (std::size_t j = 0; j < used[1]; ++j)
        copy(data + (i * used[1] + j) * used[2], box.data() + (i * n[1] + j) * n[2]);
  };
  for_rows([&](Complex* from, Complex* to) { std::copy_n(from, used[2], to); });
  fft_.forward(box.data(), 1);
  const double sign = image_sign(channel);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(n[0]); ++i)
    for (std::size_t j = 0; j < n[1]; ++j) {
      const std::size_t row =
          std::min<std::size_t>(i, n[0] - i) * direct_->stored[1] + std::min(j, n[1] - j);
      const Complex* multiplier = direct_->value.data() + row * direct_->stored[2];
      Complex* line = box.data() + (i * n[1] + j) * n[2];
      if (!image_) {
        for (std::size_t l = 0; l < n[2]; ++l)
          line[l] *= multiplier[std::min(l, n[2] - l)];
        continue;
      }
      // The image's field takes what the sources have at the mirrored wave number.
      const Complex* mirrored = image_->value.data() + row * n[2];
      for (std::size_t l = 0; l <= n[2] / 2; ++l) {
        const std::size_t m = (n[2] - l) % n[2];
        const Complex at_l = line[l], at_m = line[m];
        line[l] = multiplier[l] * at_l + sign * mirrored[l] * at_m;
        line[m] = multiplier[l] * at_m + sign * mirrored[m] * at_l;
      }
    }
  fft_.backward(box.data(), 1);
  for_rows([&](Complex* to, const Complex* from) { std::copy_n(from, used[2], to); });
}

void GridOperator::apply(std::span<const Complex> end_current,
                         std::span<Complex> end_field) const {
  const auto& channels = transfer_.channels();
  std::vector<Complex> data(channels.size() * grid_.data_nodes()), box(grid_.box_nodes());
  transfer_.spread(end_current, data);
  std::vector<Complex> reflected;
  if (reflection_) reflected = reflection_->reflect(data);
  for (std::size_t c = 0; c < channels.size(); ++c)
    convolve(channels[c], data.data() + c * grid_.data_nodes(), box);
  if (reflection_) reflection_->add(reflected, data);
  transfer_.interpolate(data, end_field);
  const Complex factor(0, input_.k_rad_per_m * eta0_ohm / (4 * pi));
  for (Complex& field : end_field) field *= factor;
  if (off_plane_) off_plane_->add(end_current, end_field);
}

}  // namespace thinwire
