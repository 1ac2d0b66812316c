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

class KernelsOverScale final : public TransmissionFunctions {
 public:
  KernelsOverScale(FieldKind kind, BuriedWay way, Complex eps)
      : kind_(kind), way_(way), eps_(eps), sizes_(sizes_of(kind, way, eps)) {}

  int numbers() const override { return table_numbers; }

  std::vector<double> at(const TransmissionRange& range, std::span<const double> rho,
                         std::span<const double> z,
                         std::span<const double> depth) const override {
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

 private:
  FieldKind kind_;
  BuriedWay way_;
  Complex eps_;
  FieldKernels sizes_;
};

/// Sets sums to the polynomials of places, or leaves out those that a box has none for:
/// found says of which there are.
THINWIRE_SIMD_CLONES
void add_up(const TransmissionBoxes& boxes, const double* coefficients, double deepest,
            std::span<const BuriedPlace> places, TenSums* sums, bool* found) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    double at[3] = {places[i].rho, places[i].z, places[i].depth};
    const int octave = octave_of(at, deepest);
    found[i] = false;
    if (octave == no_octave) continue;
    const TransmissionBox& box = boxes.find(at, octave);
    if (box.cut == TransmissionBox::unfitted) continue;
    polynomial<table_numbers>(box, coefficients + std::size_t{table_numbers} * box.next,
                              at, sums[i]);
    found[i] = true;
  }
}

}  // namespace

BuriedPlaces::BuriedPlaces(Complex eps)
    : deepest_(deepest_in(eps)),
      parts_(TransmissionBoxes::an_octave * octaves,
             {{1e300, 0, 1e300, 0, 1e300, 0}, 0}) {}

void BuriedPlaces::add(const BuriedPlace& place) {
  const double at[3] = {place.rho, place.z, place.depth};
  const int octave = octave_of(at, deepest_);
  if (octave == no_octave) return;
  auto& [range, count] = parts_[TransmissionBoxes::an_octave * (octave - first_octave) +
                                TransmissionBoxes::box_of(at, octave)];
  range = {std::min(range.rho_0, place.rho),     std::max(range.rho_1, place.rho),
           std::min(range.z_0, place.z),         std::max(range.z_1, place.z),
           std::min(range.depth_0, place.depth), std::max(range.depth_1, place.depth)};
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
    : deepest_(deepest_in(eps)), sizes_(sizes_of(kind, way, eps)), k2_(std::sqrt(eps)) {
  const std::int32_t roots = TransmissionBoxes::an_octave * BuriedPlaces::octaves;
  const KernelsOverScale functions(kind, way, eps);
  std::vector<std::vector<TransmissionTree>> trees(roots);
  // The largest octaves first: they are cut most.
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t t = 0; t < roots; ++t) {
    const std::int32_t root = roots - 1 - t;
    const TransmissionUse& use = places.in_use(root);
    trees[root].emplace_back(eps, std::span(&use, use.count > 0 ? 1 : 0), error,
                             functions);
  }
  join_trees(trees, table_numbers, boxes_, coefficients_);
}

void BuriedFieldTable::at(std::span<const BuriedPlace> places,
                          std::span<FieldKernels> kernels,
                          std::vector<std::size_t>& missing) const {
  constexpr std::size_t at_once = 64;
  const TransmissionBoxes boxes{boxes_.data(), BuriedPlaces::first_octave,
                                BuriedPlaces::octaves};
  TenSums sums[at_once];
  bool found[at_once];
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const std::size_t count = std::min(at_once, places.size() - first);
    add_up(boxes, coefficients_.data(), deepest_, places.subspan(first, count), sums,
           found);
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
