#include "kernels/ground/buried_field_table.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/simd_clones.h"
#include "kernels/ground/octaves.h"

namespace thinwire {
namespace {

constexpr double error = 1e-8;
constexpr std::size_t kernel_count = std::tuple_size_v<FieldKernels>;
constexpr int table_numbers = 2 * kernel_count;
constexpr int no_octave = -1000;
/// Nodes of a variable over so many radians of the wave in the ground: more levels than
/// these take more time than a variable.
constexpr double nodes_of_variable = 12, radians_of_nodes = 10;
/// Nats of the wave in the ground between the first level and the last, at most: the path
/// of integration is common.
constexpr double level_nats = 20;

/// Real and imaginary parts of the kernels, for TransmissionBoxes' polynomials.
struct TenSums {
  EightSums eight{};
  double ninth = 0, tenth = 0;
};
THINWIRE_INLINE void horner_step(double x, const double* c, TenSums& sum) {
  thinwire::horner_step(x, c, sum.eight);
  sum.ninth = x * sum.ninth + c[8];
  sum.tenth = x * sum.tenth + c[9];
}
THINWIRE_INLINE void horner_step(double x, const TenSums& c, TenSums& sum) {
  thinwire::horner_step(x, c.eight, sum.eight);
  sum.ninth = x * sum.ninth + c.ninth;
  sum.tenth = x * sum.tenth + c.tenth;
}

/// Returns the sizes that errors of the kernels are relative to, beside scale_at: charges
/// are the weaker the better a ground's dielectric is.
FieldKernels sizes_of(FieldKind kind, BuriedWay way, Complex eps) {
  const Complex across = 2.0 / (eps + 1.0);
  if (kind == FieldKind::electric) {
    const Complex charges = way == BuriedWay::reflected ? 1.0 / eps : across;
    return {1, 1, 1, charges, charges};
  }
  return {1, 1, way == BuriedWay::up ? across : 1, 1, 1};
}

/// e^{-jR} e^{-j k2 depth} (1 + R)/R^2.
Complex scale_at(const BuriedPlace& place, Complex k2) {
  const double zeta = place.z + place.depth,
               r = std::sqrt(place.rho * place.rho + zeta * zeta);
  return std::polar((1 + r) / (r * r) * std::exp(k2.imag() * place.depth),
                    -r - k2.real() * place.depth);
}

double deepest_in(Complex eps) {
  return buried_nats / std::max(-std::sqrt(eps).imag(), 1e-300);
}

/// The octave that a place belongs to, or no_octave: no table holds it.
THINWIRE_INLINE int octave_of(const double (&at)[3], double deepest) {
  const int octave = TransmissionBoxes::octave_of(at);
  const bool held = at[2] <= deepest && octave >= BuriedPlaces::first_octave &&
                    octave < BuriedPlaces::first_octave + BuriedPlaces::octaves;
  return held ? octave : no_octave;
}

/// With levels z is the distance of the currents from the surface and of the first level,
/// and the kernels are those at each level.
class KernelsOverScale final : public TransmissionFunctions {
 public:
  KernelsOverScale(FieldKind kind, BuriedWay way, Complex eps, const BuriedLevels& levels)
      : kind_(kind),
        way_(way),
        eps_(eps),
        levels_(levels),
        sizes_(sizes_of(kind, way, eps)) {}

  int numbers() const override { return table_numbers * levels(); }
  int levels() const override { return std::max(1, static_cast<int>(levels_.count())); }

  std::vector<double> at(const TransmissionRange& range, std::span<const double> rho,
                         std::span<const double> z,
                         std::span<const double> depth) const override {
    if (levels_.empty()) return of_pairs(range, rho, z, depth);
    TransmissionRange all{range.rho_0, range.rho_1, 1e300, 0, 1e300, 0};
    std::vector<double> heights, depths;
    const auto source = [&](double sum) { return std::max(0.0, sum - levels_[0]); };
    const auto extend = [&](const BuriedPlace& place) {
      all.z_0 = std::min(all.z_0, place.z);
      all.z_1 = std::max(all.z_1, place.z);
      all.depth_0 = std::min(all.depth_0, place.depth);
      all.depth_1 = std::max(all.depth_1, place.depth);
    };
    for (std::size_t level = 0; level < levels_.count(); ++level)
      for (const double sum : {range.z_0, range.z_1})
        extend(levels_.place(0, source(sum), level));
    for (const double sum : z)
      for (std::size_t level = 0; level < levels_.count(); ++level) {
        const BuriedPlace place = levels_.place(0, source(sum), level);
        heights.push_back(place.z);
        depths.push_back(place.depth);
      }
    return of_pairs(all, rho, heights, depths);
  }

 private:
  std::vector<double> of_pairs(const TransmissionRange& range,
                               std::span<const double> rho, std::span<const double> z,
                               std::span<const double> depth) const {
    std::vector<FieldKernels> kernels(rho.size() * z.size());
    buried_field_kernels_grid(kind_, way_, eps_, range, rho, z, depth, kernels);
    std::vector<double> values;
    values.reserve(table_numbers * kernels.size());
    const Complex k2 = std::sqrt(eps_);
    for (std::size_t i = 0; i < rho.size(); ++i)
      for (std::size_t j = 0; j < z.size(); ++j) {
        const Complex scale = scale_at({rho[i], z[j], depth[j]}, k2);
        for (std::size_t n = 0; n < kernel_count; ++n) {
          const Complex value = kernels[i * z.size() + j][n] / (scale * sizes_[n]);
          values.push_back(value.real());
          values.push_back(value.imag());
        }
      }
    return values;
  }

  FieldKind kind_;
  BuriedWay way_;
  Complex eps_;
  const BuriedLevels& levels_;
  FieldKernels sizes_;
};

/// Where the boxes have a place.
struct BoxPlace {
  double at[3];
};

/// Sets sums to the polynomials of places, or leaves out those that a box has none for:
/// found says of which there are. stride: numbers of a term.
THINWIRE_SIMD_CLONES
void add_up(const TransmissionBoxes& boxes, const double* coefficients,
            std::size_t stride, std::size_t level, double deepest,
            std::span<const BoxPlace> places, TenSums* sums, bool* found) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    double at[3] = {places[i].at[0], places[i].at[1], places[i].at[2]};
    const int octave = octave_of(at, deepest);
    found[i] = false;
    if (octave == no_octave) continue;
    const TransmissionBox& box = boxes.find(at, octave);
    if (box.cut == TransmissionBox::unfitted) continue;
    polynomial(box, coefficients + stride * box.next + table_numbers * level, stride, at,
               sums[i]);
    found[i] = true;
  }
}

/// Returns where the boxes have a place that an observer of a level sees, if any.
BoxPlace box_place(const BuriedLevels& levels, const BuriedPlace& place,
                   std::size_t level) {
  if (levels.empty()) return {{place.rho, place.z, place.depth}};
  return {{place.rho, levels.source_of(place, level) + levels[0], 0}};
}

}  // namespace

BuriedLevels BuriedLevels::of(BuriedWay way, Complex eps, std::vector<double> distances,
                              double deepest_source) {
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  BuriedLevels levels;
  if (distances.empty()) return levels;
  const Complex k2 = std::sqrt(eps);
  const double across = distances.back() - distances.front(),
               below = (way == BuriedWay::up ? 0 : distances.back()) +
                       (way == BuriedWay::down ? 0 : deepest_source),
               fast = way == BuriedWay::up ? 1 : std::abs(k2);
  const double nodes =
      nodes_of_variable * std::max(1.0, fast * across / radians_of_nodes);
  if (static_cast<double>(distances.size()) > nodes || -k2.imag() * below > level_nats)
    return levels;
  levels.way_ = way;
  levels.distances_ = std::move(distances);
  return levels;
}

std::size_t BuriedLevels::number_of(double distance) const {
  return static_cast<std::size_t>(
      std::lower_bound(distances_.begin(), distances_.end(), distance) -
      distances_.begin());
}

BuriedPlace BuriedLevels::place(double rho, double source, std::size_t level) const {
  const double observer = distances_[level];
  if (way_ == BuriedWay::up) return {rho, observer, source};
  if (way_ == BuriedWay::down) return {rho, source, observer};
  return {rho, 0, observer + source};
}

double BuriedLevels::source_of(const BuriedPlace& place, std::size_t level) const {
  if (way_ == BuriedWay::up) return place.depth;
  if (way_ == BuriedWay::down) return place.z;
  return std::max(0.0, place.depth - distances_[level]);
}

BuriedPlaces::BuriedPlaces(Complex eps, const BuriedLevels& levels)
    : deepest_(deepest_in(eps)),
      levels_(levels),
      parts_(TransmissionBoxes::an_octave * octaves,
             {{1e300, 0, 1e300, 0, 1e300, 0}, 0}) {}

void BuriedPlaces::add(const BuriedPlace& place, double observer) {
  const auto [at] =
      box_place(levels_, place, levels_.empty() ? 0 : levels_.number_of(observer));
  const int octave = octave_of(at, deepest_);
  if (octave == no_octave) return;
  auto& [range, count] = parts_[TransmissionBoxes::an_octave * (octave - first_octave) +
                                TransmissionBoxes::box_of(at, octave)];
  range = {std::min(range.rho_0, at[0]),   std::max(range.rho_1, at[0]),
           std::min(range.z_0, at[1]),     std::max(range.z_1, at[1]),
           std::min(range.depth_0, at[2]), std::max(range.depth_1, at[2])};
  count += 1;
}

void BuriedPlaces::add(const BuriedPlaces& more) {
  for (std::size_t n = 0; n < parts_.size(); ++n) {
    auto& [range, count] = parts_[n];
    const auto& [other, others] = more.parts_[n];
    range = {
        std::min(range.rho_0, other.rho_0),     std::max(range.rho_1, other.rho_1),
        std::min(range.z_0, other.z_0),         std::max(range.z_1, other.z_1),
        std::min(range.depth_0, other.depth_0), std::max(range.depth_1, other.depth_1)};
    count += others;
  }
}

double BuriedPlaces::count() const {
  double all = 0;
  for (const TransmissionUse& use : parts_) all += use.count;
  return all;
}

BuriedFieldTable::BuriedFieldTable(FieldKind kind, BuriedWay way, Complex eps,
                                   const BuriedPlaces& places)
    : deepest_(deepest_in(eps)),
      levels_(places.levels()),
      sizes_(sizes_of(kind, way, eps)),
      k2_(std::sqrt(eps)) {
  const std::int32_t roots = TransmissionBoxes::an_octave * BuriedPlaces::octaves;
  const KernelsOverScale functions(kind, way, eps, levels_);
  std::vector<std::vector<TransmissionTree>> trees(roots);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < roots; ++t) {
    const std::int32_t root = roots - 1 - t;
    const TransmissionUse& use = places.in_use(root);
    trees[root].emplace_back(eps, std::span(&use, use.count > 0 ? 1 : 0), error,
                             functions);
  }
  join_trees(trees, functions.numbers(), boxes_, coefficients_);
}

void BuriedFieldTable::at(std::span<const BuriedPlace> places,
                          std::span<FieldKernels> kernels,
                          std::vector<std::size_t>& missing, double observer) const {
  constexpr std::size_t at_once = 64;
  const std::size_t level = levels_.empty() ? 0 : levels_.number_of(observer),
                    stride = table_numbers * std::max<std::size_t>(1, levels_.count());
  BoxPlace at[at_once];
  const TransmissionBoxes boxes{boxes_.data(), BuriedPlaces::first_octave,
                                BuriedPlaces::octaves};
  TenSums sums[at_once];
  bool found[at_once];
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const std::size_t count = std::min(at_once, places.size() - first);
    for (std::size_t i = 0; i < count; ++i)
      at[i] = box_place(levels_, places[first + i], level);
    add_up(boxes, coefficients_.data(), stride, level, deepest_, std::span(at, count),
           sums, found);
    for (std::size_t i = 0; i < count; ++i) {
      if (!found[i]) {
        missing.push_back(first + i);
        continue;
      }
      const Complex scale = scale_at(places[first + i], k2_);
      const auto& [eight, ninth, tenth] = sums[i];
      FieldKernels& g = kernels[first + i];
      for (int n = 0; n < 4; ++n)
        g[n] = scale * sizes_[n] * Complex(eight[2 * n], eight[2 * n + 1]);
      g[4] = scale * sizes_[4] * Complex(ninth, tenth);
    }
  }
}

}  // namespace thinwire
