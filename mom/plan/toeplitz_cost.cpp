#include "mom/plan/toeplitz_cost.h"

#include <cmath>

#include "kernels/base/complex.h"
#include "mom/operators/toeplitz_operator.h"

namespace thinwire {
namespace {

// One thread's rates: 68 x 68 dipoles of 20 functions, two threads.
constexpr double entry_s = 2e-7;           // of a block, by the fill's rules
constexpr double transformed_s = 4e-8;     // a point of one transform
constexpr double spectrum_entry_s = 4e-9;  // of the product
constexpr double block_entry_s = 2e-9;     // of the preconditioner

// An H200's, estimated from its bandwidth.
constexpr double gpu_fill_s = 0.05, gpu_entry_s = 2.5e-10;
constexpr double gpu_preconditioner_s = 0.01;
constexpr double gpu_iteration_s = 1e-4, gpu_point_s = 8e-11;
constexpr double gpu_spectrum_entry_s = 5e-12;

double points_of(const ToeplitzSize& size) {
  double points = 1;
  for (const std::size_t length : ToeplitzGrid::lengths_for(size.places))
    points *= static_cast<double>(length);
  return points;
}

}  // namespace

double toeplitz_iterations(const ToeplitzSize& size, Method method, double tolerance) {
  const double side = std::sqrt(static_cast<double>(size.antennas));
  const double to_one_millionth =
      method.preconditioner == PreconditionerChoice::two_level ? 28 : 6 * side + 10;
  return std::ceil(to_one_millionth * std::log(tolerance) / std::log(1e-6));
}

PredictedCost toeplitz_cost(const ToeplitzSize& size, Method method,
                            const Options& options, double right_hand_sides,
                            int threads) {
  const double n = static_cast<double>(size.functions), points = points_of(size),
               places =
                   static_cast<double>(size.places[0] * size.places[1] * size.places[2]);
  double displacements = 0.5;
  for (const std::size_t count : size.places)
    displacements *= static_cast<double>(2 * count - 1);
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s =
      (displacements * n * n * entry_s + n * n / 2 * points * transformed_s) / threads;
  cost.factor_s = points * n * n / 2 * spectrum_entry_s / threads;
  const double product_s =
      (2 * n * points * transformed_s + n * n * points / 2 * spectrum_entry_s) / threads;
  const double preconditioner_s =
      (static_cast<double>(size.antennas) * n * n * block_entry_s +
       2 * places * transformed_s) /
      threads;
  cost.solve_s = right_hand_sides * cost.iterations * (product_s + preconditioner_s);
  return cost;
}

PredictedCost toeplitz_cost_on_gpu(const ToeplitzSize& size, Method method,
                                   const Options& options, double right_hand_sides,
                                   double share) {
  const double n = static_cast<double>(size.functions), points = points_of(size);
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s = gpu_fill_s + n * n / 2 * points * gpu_entry_s / share;
  cost.factor_s =
      gpu_preconditioner_s + points * n * n / 2 * gpu_spectrum_entry_s / share;
  const double iteration_s = gpu_iteration_s + n * points * gpu_point_s / share +
                             n * n * points / 2 * gpu_spectrum_entry_s / share;
  cost.solve_s = right_hand_sides * cost.iterations * iteration_s;
  return cost;
}

std::size_t toeplitz_array_bytes(const ToeplitzSize& size) {
  return static_cast<std::size_t>(points_of(size)) * size.functions * sizeof(Complex);
}

std::size_t toeplitz_bytes(const ToeplitzSize& size, Method method) {
  std::size_t bytes = ToeplitzOperator::bytes(size.functions, size.places, size.antennas);
  if (method.preconditioner != PreconditionerChoice::none)
    bytes += size.functions * size.functions * sizeof(Complex) +
             size.antennas * sizeof(std::uint32_t);
  if (method.preconditioner == PreconditionerChoice::two_level)
    bytes += 2 * size.places[0] * size.places[1] * size.places[2] * sizeof(Complex);
  return bytes;
}

}  // namespace thinwire
