#include "mom/plan/toeplitz_cost.h"

#include <cmath>

#include "kernels/base/complex.h"
#include "mom/operators/toeplitz_operator.h"

namespace thinwire {
namespace {

// One thread's rates: 68 x 68 dipoles of 20 functions, 2 and 16 threads, of which the
// last add less than the first.
constexpr double entry_s = 2e-7;           // of a block, by the fill's rules
constexpr double transformed_s = 4e-8;     // a point of one transform
constexpr double spectrum_entry_s = 4e-9;  // of the product
constexpr double block_entry_s = 2e-9;     // of the preconditioner

// An H200's, of 68 x 68, 300 x 300 and 1,000 x 1,000 dipoles (docs/theory/operators.md).
// What belongs to an unknown is the way of vectors to the GPU and back, and to a place,
// the coarse matrix on the CPU.
constexpr double gpu_fill_s = 0.01, gpu_entry_s = 5e-10;
constexpr double gpu_preconditioner_s = 0.005, gpu_place_s = 1.2e-7;
constexpr double gpu_iteration_s = 1.5e-4, gpu_point_s = 9e-11;
constexpr double gpu_spectrum_entry_s = 5e-12, gpu_unknown_s = 9e-9;
constexpr double gpu_checked_s = 1.8e-8;  // an unknown, in 32 rows of Z

double speed_of(int threads) {
  return std::pow(threads, 0.75);
}

/// The inverse of an antenna's block, on the CPU.
double inverse_s(const ToeplitzSize& size, Method method, const Options& options,
                 int threads) {
  const double n = static_cast<double>(size.functions);
  if (method.preconditioner == PreconditionerChoice::none) return 0;
  return 28.0 / 3 * n * n * n /
         (options.cpu_rates.factor_flops_per_s * speed_of(threads));
}

/// The rows of Z that a solution is held against, on the CPU.
double check_s(const ToeplitzSize& size, int threads) {
  constexpr double rows = 32;
  return rows * static_cast<double>(size.antennas * size.functions) * entry_s /
         speed_of(threads);
}

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
  const double speed = speed_of(threads),
               spectra_s = n * n * points / 2 * spectrum_entry_s / speed;
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s =
      (displacements * n * n * entry_s + n * n / 2 * points * transformed_s) / speed;
  cost.factor_s = inverse_s(size, method, options, threads);
  if (method.preconditioner == PreconditionerChoice::two_level)
    cost.factor_s += spectra_s;
  const double product_s = 2 * n * points * transformed_s / speed + spectra_s,
               preconditioner_s =
                   (static_cast<double>(size.antennas) * n * n * block_entry_s +
                    2 * places * transformed_s) /
                   speed;
  cost.solve_s = right_hand_sides * cost.iterations * (product_s + preconditioner_s) +
                 check_s(size, threads);
  return cost;
}

PredictedCost toeplitz_cost_on_gpu(const ToeplitzSize& size, Method method,
                                   const Options& options, double right_hand_sides,
                                   int threads, double share) {
  const double n = static_cast<double>(size.functions), points = points_of(size),
               unknowns = n * static_cast<double>(size.antennas),
               places =
                   static_cast<double>(size.places[0] * size.places[1] * size.places[2]),
               spectra_s = n * n * points / 2 * gpu_spectrum_entry_s / share;
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s = gpu_fill_s + n * n / 2 * points * gpu_entry_s / share;
  cost.factor_s = gpu_preconditioner_s + inverse_s(size, method, options, threads) +
                  spectra_s + gpu_place_s * places;
  const double iteration_s =
      gpu_iteration_s + n * points * gpu_point_s / share + spectra_s;
  cost.solve_s =
      right_hand_sides * (cost.iterations * iteration_s + gpu_unknown_s * unknowns) +
      gpu_checked_s * unknowns / share;
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
