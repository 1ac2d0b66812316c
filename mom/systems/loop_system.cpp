#include "mom/systems/loop_system.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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
  if (parameters.stored != nullptr || ground.kind == Ground::Kind::coefficients ||
      any_buried(ground, elements) ||
      !is_small_for_loops(elements, image_medium_of(ground), parameters.k_rad_per_m))
    return {};
  return LoopSurroundings{parameters.k_rad_per_m, ground,
                          parameters.loads.updates_of_currents()};
}

LoopSystem::LoopSystem(const Discretization& discretization, std::vector<Loop> loops,
                       const LoopSurroundings& surroundings, GreensKernel kernel,
                       const ImpedanceMatrix& z)
    : loops_(std::move(loops)), scale_(discretization.unknowns()), z_(z.dense()) {
  const std::size_t n = discretization.unknowns();
  // A loop's unknown stands in the place of its first function's.
  auto voltages = voltages_of_loops(discretization, loops_, surroundings, kernel);
  std::vector<char> is_loop(n, 0);
  for (const Loop& loop : loops_) is_loop[loop.front().function] = 1;
  for (std::size_t l = 0; l < loops_.size(); ++l) {
    add_loads(surroundings.loads, loops_[l], voltages[l]);
    const std::size_t column = loops_[l].front().function;
    for (std::size_t row = 0; row < n; ++row)
      if (!is_loop[row]) z_[column * n + row] = z_[row * n + column] = voltages[l][row];
    for (const Loop& other : loops_)
      z_[column * n + other.front().function] = around(other, voltages[l]);
  }
  for (std::size_t i = 0; i < n; ++i) scale_[i] = 1 / std::sqrt(std::abs(z_[i * n + i]));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) z_[j * n + i] *= scale_[i] * scale_[j];
  direct_.emplace(n, std::vector<Complex>(z_));
}

std::vector<double> LoopSystem::solve(std::span<const Complex> v,
                                      std::span<Complex> current) const {
  const std::size_t n = scale_.size();
  std::vector<double> residuals;
  std::vector<Complex> excitation(n);
  for (std::size_t first = 0; first < v.size(); first += n) {
    std::copy_n(v.data() + first, n, excitation.data());
    for (const Loop& loop : loops_)
      excitation[loop.front().function] = around(loop, v.subspan(first, n));
    for (std::size_t i = 0; i < n; ++i) excitation[i] *= scale_[i];
    const std::span<Complex> x = current.subspan(first, n);
    std::copy(excitation.begin(), excitation.end(), x.begin());
    direct_->solve(x);
    residuals.push_back(residual(excitation, x));
    for (std::size_t i = 0; i < n; ++i) x[i] *= scale_[i];
    // A first function is in no other loop.
    for (const Loop& loop : loops_) {
      const Complex loop_current = x[loop.front().function];
      for (const BasisWeight& w : std::span(loop).subspan(1))
        x[w.function] += w.weight * loop_current;
    }
  }
  return residuals;
}

double LoopSystem::residual(std::span<const Complex> v,
                            std::span<const Complex> x) const {
  const std::size_t n = v.size();
  std::vector<Complex> left(v.begin(), v.end());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) left[i] -= z_[j * n + i] * x[j];
  double above = 0, below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    above += std::norm(left[i]);
    below += std::norm(v[i]);
  }
  return below > 0 ? std::sqrt(above / below) : std::sqrt(above);
}

}  // namespace thinwire
