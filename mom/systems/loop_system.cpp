#include "mom/systems/loop_system.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

/// Adds what loads, of no charge, give for the currents of a loop.
void add_loads(std::span<const MatrixUpdate> loads, const Loop& loop,
               std::vector<Complex>& voltage) {
  std::vector<double> current(voltage.size(), 0);
  for (const BasisWeight& w : loop) current[w.function] = w.weight;
  for (const MatrixUpdate& load : loads) {
    voltage[load.row] += load.value * current[load.column];
    if (load.row != load.column) voltage[load.column] += load.value * current[load.row];
  }
}

Complex around(const Loop& loop, std::span<const Complex> voltage) {
  Complex sum = 0;
  for (const BasisWeight& w : loop) sum += w.weight * voltage[w.function];
  return sum;
}

}  // namespace

std::optional<LoopSurroundings> small_surroundings(std::span<const Element> elements,
                                                   const FillParameters& parameters) {
  const Ground& ground = parameters.ground;
  if (parameters.stored != nullptr || any_buried(ground, elements) ||
      !is_small_for_loops(elements, image_medium_of(ground), parameters.k_rad_per_m))
    return {};
  return LoopSurroundings{parameters.k_rad_per_m, ground,
                          parameters.loads.updates_of_currents()};
}

LoopSystem::LoopSystem(const Discretization& discretization, std::vector<Loop> loops,
                       const LoopSurroundings& surroundings, GreensKernel kernel,
                       const ImpedanceMatrix& z)
    : loops_(std::move(loops)), scale_(z.size()), matrix_(z.size()) {
  const std::size_t n = z.size();
  auto voltages = voltages_of_loops(discretization, loops_, surroundings, kernel);
  std::vector<std::size_t> loop_at(n, loops_.size());
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    add_loads(surroundings.loads, loops_[l], voltages[l]);
    loop_at[loops_[l].front().function] = l;
  }
  const auto entry = [&](std::size_t i, std::size_t j) {
    if (loop_at[i] == loops_.size()) std::swap(i, j);
    if (loop_at[i] == loops_.size()) return z.at(i, j);
    const std::vector<Complex>& voltage = voltages[loop_at[i]];
    return loop_at[j] == loops_.size() ? voltage[j] : around(loops_[loop_at[j]], voltage);
  };
  for (std::size_t i = 0; i < n; ++i) scale_[i] = 1 / std::sqrt(std::abs(entry(i, i)));
  std::ranges::fill(matrix_.tiles(), 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix_.add(i, j, scale_[i] * scale_[j] * entry(i, j));
}

std::vector<Complex> LoopSystem::rhs(std::span<const Complex> v) const {
  const std::size_t n = scale_.size();
  std::vector<Complex> scaled(v.begin(), v.end());
  for (std::size_t first = 0; first < v.size(); first += n) {
    for (const Loop& loop : loops_)
      scaled[first + loop.front().function] = around(loop, v.subspan(first, n));
    for (std::size_t i = 0; i < n; ++i) scaled[first + i] *= scale_[i];
  }
  return scaled;
}

void LoopSystem::make_currents(std::span<Complex> x) const {
  const std::size_t n = scale_.size();
  for (std::size_t first = 0; first < x.size(); first += n) {
    const std::span<Complex> current = x.subspan(first, n);
    for (std::size_t i = 0; i < n; ++i) current[i] *= scale_[i];
    // A first function is in no other loop.
    for (const Loop& loop : loops_)
      for (const BasisWeight& w : std::span(loop).subspan(1))
        current[w.function] += w.weight * current[loop.front().function];
  }
}

}  // namespace thinwire
