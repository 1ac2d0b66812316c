#include "mom/plan/cost_model.h"

#include <algorithm>
#include <cmath>

#include "cg/direct/device_factors.h"
#include "cg/krylov/iteration.h"
#include "cg/many_rhs.h"
#include "cg/precondition/device_two_level_schwarz.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/complex.h"
#include "kernels/base/constants.h"
#include "kernels/device/tuning.h"
#include "mom/operators/toeplitz_operator.h"
#include "mom/preconditioners/coarse_space.h"
#include "mom/problem/gpu_rates.h"

namespace thinwire {
namespace {

// Work beside the counts of flops and bytes, at the rates of CpuRates and GpuRates.

/// Entries of a fill in the time of one computed by itself, as near pairs' Green's
/// functions of two rings are and entries of a lattice's block; and of an unknown's near
/// pairs, on the CPU on a graded mesh alone: one as given has too few to show.
constexpr double fills_an_entry_alone = 2.5, fills_of_near_pairs = 800;
/// Multiplications of Proximity::prepare() in that of an entry.
constexpr double multiplications_a_fill = 140;
/// Flops of zsytrf's work column by column, for each entry of the matrix on one thread.
/// Passes over the matrix of the estimate of its condition, and of a substitution.
constexpr double flops_by_columns = 1100, condition_passes = 6, substitution_passes = 1.2;

// Work of the CPU in the entries of a fill that one thread has in the same time: an
// iteration, at least; for each unknown or position of a block, on all threads, a mesh,
// boxes, blocks, a coarse space; and, within a factor of two, reading, checks, plan and
// results of a problem, on one thread, and of each of its elements, 4 to 10^6, of which
// one thread alone has a share.
constexpr double iteration_fills = 700, host_fills = 3, problem_fills = 2000,
                 element_fills = 56, alone_share = 0.08;

/// Launches of a GPU: a product; an iteration that is resident, and one of a product
/// alone, beside it; a panel of a solution by LDL^T; an iteration of a lattice.
constexpr double product_launches = 2, resident_launches = 2, placed_launches = 15,
                 panel_launches = 5, lattice_launches = 20;
/// Passes over the vectors in an iteration on a GPU.
constexpr double vector_passes = 24;
/// Passes over Z that make the coarse matrix of two-level blocks.
constexpr double coarse_passes = 1.5;
/// Steps of refinement to 1e-10.
constexpr double ldlt_steps = 3;
/// The size of blocks whose inversion and products have half the rate of large ones.
constexpr double half_rate_size = 1300;
/// The product of two to four right-hand sides in step, in times that of one.
constexpr double gpu_double_rhs = 1.1, gpu_single_rhs = 1.5;
/// Passes over its points of a Fourier transform, on CPU and GPU.
constexpr double transform_passes = 15;
constexpr double entry_bytes = sizeof(Complex);

double square(double x) {
  return x * x;
}
double cube(double x) {
  return x * x * x;
}
double in_double(std::size_t count) {
  return static_cast<double>(count);
}

/// On the host's threads, for so many unknowns.
double host_seconds(double unknowns) {
  return host_fills * unknowns / CpuRates().fill_entries_per_s;
}

/// Predicts the iterations of GMRES with overlapping blocks to 1e-6: a fit to the counts
/// of plates of 30 to 511 cells and closed ships of 30 to 96
/// (docs/theory/preconditioners.md), within a factor of 1.8 of each. It grows with the
/// boxes along the structure and falls with their overlap in meshes, up to four. Thin
/// wires need more iterations, and so do large structures with cells below a twentieth of
/// a wavelength. Closed structures whose cross-section is large in wavelengths have
/// resonances inside, which only boxes of that size resolve; between a grid and its image
/// waves travel far.
double overlap_iterations(const ProblemSize& size, BoxSize boxes) {
  const double along = std::max(1.0, std::ceil(size.cells_across / boxes.box));
  // Antennas that stand apart, by the overlap in wavelengths: dipoles at random, a
  // thousand and 47,620 of them.
  if (size.whole_antennas)
    return 8 * std::pow(along, 0.45) /
           std::pow(std::max(0.1, boxes.overlap * size.cell), 0.6);
  const double given = std::max(0.25, boxes.overlap / size.elements_a_side),
               overlap = std::min(given, 4.0) * std::pow(std::max(1.0, given / 4), 0.2);
  const double open = 23.5 * std::sqrt(along - 1) / std::pow(overlap, 0.45) *
                      std::pow(std::max(1.0, size.thinness), 0.2);
  const double small_cells =
      size.cell < 0.05 ? std::pow(size.cells_across / 60, 0.25) : 1;
  const double boxes_across =
      size.thickness / (size.cell * boxes.box * std::max(1.0, size.elements_a_side));
  const double resonances = 1.95 * std::pow(std::max(0.0, size.thickness - 0.7), 1.5);
  // Closed ones of many boxes take up to half more than plates.
  const double closed = 0.5 * std::clamp((size.thickness - 0.3) / 0.2, 0.0, 1.0) *
                        std::clamp((along - 4) / 2, 0.0, 1.0);
  const double image = 0.027 * along / std::pow(std::max(0.1, size.height), 1.5) /
                       std::pow(std::max(1.0, given / 4), 0.7);
  const double outside = open * small_cells * (1 + closed) * (1 + image);
  // The inside has about 8 resonances a cubic wavelength; small cells leak less.
  const double max_inside =
      6 * size.volume * std::pow(std::max(1.0, 0.1 / size.cell), 0.7);
  return outside +
         std::min(max_inside, outside * resonances * std::min(3.0, 1.8 * boxes_across));
}

/// Predicts the iterations to 1e-6 with a coarse level beside the boxes: a fit to the
/// counts of docs/theory/preconditioners.md, within a factor of 2 of each. What is left
/// are resonances of a closed structure (about 8 a cubic wavelength) that are nearer to
/// the frequency than the coarse space's error in wave number, which grows with the edge
/// of its clusters; and boxes that are smaller than two of these.
double two_level_iterations(const ProblemSize& size, BoxSize boxes) {
  const double one_level = overlap_iterations(size, boxes);
  const double edge = cluster_edge_m(2 * pi, size.cell),
               side = boxes.box * size.cell / std::max(1.0, size.elements_a_side),
               overlap = std::max(0.5, boxes.overlap / size.elements_a_side);
  const double small_boxes = std::pow(std::max(1.0, 2 * edge / side), 1.2) *
                             std::pow(std::max(1.0, 4 / overlap), 0.3);
  const double resonances = size.thickness > 0.7 ? 8 * size.volume : 0;
  const double from_inside = 0.4 * std::pow(6 * edge, 5) * std::sqrt(resonances);
  const double thin = std::pow(std::max(1.0, size.thinness), 0.25);
  return std::min(one_level, (9 + from_inside) * small_boxes * thin);
}

/// Nodes to which the currents of a coarse space are lumped (CoarseMatrixRule).
double lump_nodes(const ProblemSize& size) {
  const double edge = cluster_edge_m(2 * pi, size.cell);
  return 0.5 * in_double(size.unknowns) * square(std::min(1.0, 4 * size.cell / edge));
}

/// Entries of Z that the coarse matrix is made from.
double near_coarse_entries(const ProblemSize& size) {
  // Clusters in which near functions are, for each of them.
  const double edge = cluster_edge_m(2 * pi, size.cell),
               near_clusters = edge < 3 * size.cell ? 28 : 14,
               n = in_double(size.unknowns);
  return std::min(square(n),
                  near_clusters * square(n) / in_double(size.coarse_functions));
}

/// Iterations to the tolerance, in proportion to its digits. To 1e-6 on arrays of dipoles
/// the two-level preconditioner takes 5 to 10 whatever the number, block Jacobi 64 to 143
/// for 2,000 to 16,000 unknowns, none 5 times (CG on the normal equations 24 times) as
/// many; large structures cut into wires hundreds.
double expected_iterations(const ProblemSize& size, Method method, double tolerance) {
  if (method.solver == SolverChoice::direct) return 0;
  if (method.preconditioner == PreconditionerChoice::overlap)
    return std::max(2.0, (method.coarse ? two_level_iterations(size, method.boxes)
                                        : overlap_iterations(size, method.boxes)) *
                             -std::log10(tolerance) / 6);
  const double n = in_double(size.unknowns), by_blocks = 1.5 * std::sqrt(n);
  double to_six_digits = by_blocks;
  if (method.preconditioner == PreconditionerChoice::none)
    to_six_digits *= method.solver == SolverChoice::cg ? 24 : 5;
  if (method.preconditioner == PreconditionerChoice::two_level)
    to_six_digits = size.whole_antennas ? 8 : 50 + 0.2 * n;
  return std::max(1.0, to_six_digits * -std::log10(tolerance) / 6);
}

/// Near pairs of the meshes that were measured, in entries of a fill.
double near_fills(std::size_t unknowns, const Options& options) {
  return options.mesh == MeshChoice::graded ? fills_of_near_pairs * in_double(unknowns)
                                            : 0;
}

int products_of_an_iteration(const Method& method) {
  return method.solver == SolverChoice::cg || method.coarse ? 2 : 1;
}

/// Entries that overlapping blocks multiply beyond those that they read, in one
/// application: inverses that several sets share.
double shared_products(const ProblemSize& size, Method method) {
  if (method.preconditioner != PreconditionerChoice::overlap) return 0;
  const OverlapExtent& extent = size.overlap(method.boxes);
  return in_double(extent.products - extent.entries);
}

/// Bytes that the preconditioner reads in one application.
double preconditioner_bytes(const ProblemSize& size, Method method) {
  if (method.preconditioner == PreconditionerChoice::none) return 0;
  if (method.preconditioner == PreconditionerChoice::overlap)
    return 8 * in_double(size.overlap(method.boxes).entries);
  double entries = in_double(size.block_entries);
  if (method.preconditioner == PreconditionerChoice::two_level)
    entries += square(in_double(size.coarse()));
  return 16 * entries;
}

/// Inversion and products of blocks on a GPU.
double block_flops_per_s(const OverlapExtent& extent, double share) {
  return h200.single_flops_per_s * share /
         (1 + half_rate_size / in_double(extent.largest));
}

double preconditioner_seconds_on_gpu(const ProblemSize& size, Method method,
                                     double share) {
  const double reading_s =
      preconditioner_bytes(size, method) / (h200.bytes_per_s * share);
  if (method.preconditioner != PreconditionerChoice::overlap) return reading_s;
  return reading_s + 8 * shared_products(size, method) /
                         block_flops_per_s(size.overlap(method.boxes), share);
}

double entries_seconds_on_gpu(std::size_t unknowns, double share) {
  const double n = in_double(unknowns);
  // Each of the GPUs that share a matrix finds all near pairs.
  return (fills_of_near_pairs * n + 0.5 * square(n) / share) / h200.fill_entries_per_s;
}

/// LDL^T on a GPU: the factors, and one solution by them.
struct LdltCost {
  double factor_s, solution_s;
};
double panels_of(double n) {
  return std::ceil(n / in_double(tuning::ldlt_panel));
}
LdltCost ldlt_cost_on_gpu(double n, LdltProducts products, double share) {
  const double panels = panels_of(n);
  const LdltRates rates = ldlt_rates_on_gpu(products, share);
  // A solution passes twice over the factors, 4 n^2 bytes.
  return {h200.stage_s + rates.panel_s * panels + 4.0 / 3 * cube(n) / rates.flops_per_s,
          panel_launches * h200.launch_s * panels +
              8 * square(n) / (h200.bytes_per_s * share)};
}

/// Bytes of GMRES's basis that it reads, for all iterations: four passes over the vectors
/// that there are.
double basis_bytes(const ProblemSize& size, SolverChoice solver, double iterations) {
  if (solver != SolverChoice::gmres) return 0;
  return 4 * 0.5 * square(iterations) * 16 * in_double(size.unknowns);
}

/// On the GPU, what an iteration takes beside its products.
double overhead_s(PlacementChoice placement, double n, double sides, double share) {
  if (placement == PlacementChoice::product)
    return sides * (placed_launches * h200.launch_s +
                    2 * entry_bytes * n / h200.copied_bytes_per_s);
  return resident_launches * h200.launch_s +
         sides * vector_passes * entry_bytes * n / (h200.bytes_per_s * share);
}

double points_of(const ToeplitzSize& size) {
  double points = 1;
  for (const std::size_t length : ToeplitzGrid::lengths_for(size.places))
    points *= in_double(length);
  return points;
}

/// By a lattice, at these rates of CPU or GPU; threads: of the CPU, which inverts the
/// block of an antenna.
PredictedCost lattice_cost(const ToeplitzSize& size, Method method,
                           const Options& options, double right_hand_sides, int threads,
                           double entries_per_s, double bytes_per_s) {
  constexpr double checked_rows = 32;  // of Z, that the solution is held against
  const CpuRates& rates = options.cpu_rates;
  const double n = in_double(size.functions), points = points_of(size),
               transform_s = transform_passes * entry_bytes * points / bytes_per_s,
               spectra_s = 0.5 * square(n) * points * entry_bytes / bytes_per_s;
  double displacements = 0.5;
  for (const std::size_t count : size.places) displacements *= in_double(2 * count - 1);
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s = fills_an_entry_alone * displacements * square(n) / entries_per_s +
                0.5 * square(n) * transform_s;
  if (method.preconditioner != PreconditionerChoice::none)
    cost.factor_s =
        28.0 / 3 * cube(n) / (rates.factor_flops_per_s * rates.computing_of(threads));
  if (method.preconditioner == PreconditionerChoice::two_level)
    cost.factor_s += spectra_s;
  cost.solve_s =
      right_hand_sides * cost.iterations * (2 * n * transform_s + spectra_s) +
      checked_rows * in_double(size.antennas) * n * fills_an_entry_alone / entries_per_s;
  return cost;
}

}  // namespace

const OverlapExtent& ProblemSize::overlap(BoxSize boxes) const {
  return std::find_if(overlaps.begin(), overlaps.end(),
                      [boxes](const Overlap& of) { return of.boxes == boxes; })
      ->extent;
}

std::size_t ProblemSize::coarse() const {
  return blocks * static_cast<std::size_t>(TwoLevelPreconditioner::modes_for(blocks));
}

CoarseCost coarse_cost_on_cpu(const ProblemSize& size, const CpuRates& rates,
                              double entries_per_s, int threads) {
  const double n = in_double(size.unknowns), coarse = in_double(size.coarse_functions),
               near_entries = near_coarse_entries(size), nodes = lump_nodes(size);
  return {(near_entries / entries_per_s +
           cpu_near_in_far * 0.5 * square(nodes) / rates.field_terms_per_s +
           4.0 / 3 * cube(coarse) / rates.factor_flops_per_s) /
              rates.computing_of(threads),
          entry_bytes * square(coarse) /
              (rates.product_bytes_per_s * rates.reading_of(threads)),
          static_cast<std::size_t>(32 * square(coarse) + 200 * n)};
}

CoarseCost coarse_cost_on_gpu(const ProblemSize& size, double share) {
  const double n = in_double(size.unknowns),
               entries = near_coarse_entries(size) + square(lump_nodes(size)) / 2;
  const LdltProducts products =
      DeviceTwoLevelSchwarz::products_for(size.coarse_functions);
  const LdltCost ldlt =
      ldlt_cost_on_gpu(in_double(size.coarse_functions), products, share);
  return {host_seconds(n) + entries / (h200.fill_entries_per_s * share) + ldlt.factor_s,
          ldlt.solution_s,
          DeviceLdlt::bytes(size.coarse_functions, products) +
              DeviceTiles::bytes(PackedTiles{size.coarse_functions},
                                 Storage::complex_single) +
              static_cast<std::size_t>(150 * n)};
}

double entries_read_per_s(const CpuRates& rates) {
  constexpr double bytes_an_entry = 128;  // two lines of the cache
  return rates.product_bytes_per_s / bytes_an_entry;
}

double mesh_seconds(std::size_t unknowns) {
  return host_seconds(in_double(unknowns));
}

double grid_host_seconds(std::size_t elements) {
  constexpr double meshes = 2;
  return meshes * host_seconds(in_double(elements));
}

double preparation_seconds(std::size_t elements, const CpuRates& rates, int threads) {
  const double of_elements =
      alone_share + (1 - alone_share) / rates.computing_of(threads);
  return (problem_fills + element_fills * of_elements * in_double(elements)) /
         rates.fill_entries_per_s;
}

double proximity_seconds(double multiplications, const CpuRates& rates, int threads) {
  return multiplications / (multiplications_a_fill * rates.fill_entries_per_s *
                            rates.computing_of(threads));
}

double fill_seconds_on_cpu(std::size_t unknowns, const Options& options, int threads) {
  const CpuRates& rates = options.cpu_rates;
  return (0.5 * square(in_double(unknowns)) + near_fills(unknowns, options)) /
         (rates.fill_entries_per_s * rates.computing_of(threads));
}

double unlike_pair_seconds_on_cpu(std::size_t unknowns, double evaluations,
                                  const Options& options, int threads) {
  const CpuRates& rates = options.cpu_rates;
  return std::max(0.0,
                  fills_an_entry_alone * evaluations - near_fills(unknowns, options)) /
         (rates.fill_entries_per_s * rates.computing_of(threads));
}

double factor_seconds_on_cpu(std::size_t unknowns, const CpuRates& rates, int threads) {
  const double n = in_double(unknowns);
  return (4.0 / 3 * cube(n) / rates.computing_of(threads) +
          flops_by_columns * square(n)) /
         rates.factor_flops_per_s;
}

double fill_seconds_on_gpu(std::size_t unknowns, double share) {
  return h200.stage_s + entries_seconds_on_gpu(unknowns, share);
}

double batched_seconds_on_gpu(std::size_t unknowns) {
  const double n = in_double(unknowns);
  return entries_seconds_on_gpu(unknowns, 1) +
         4.0 / 3 * cube(n) * (1 + half_rate_size / n) / h200.single_flops_per_s;
}

LdltRates ldlt_rates_on_gpu(LdltProducts products, double share) {
  return {h200.panel_s,
          share * (products == LdltProducts::tf32 ? h200.tf32_flops_per_s
                                                  : h200.single_flops_per_s)};
}

double product_seconds_on_gpu(std::size_t unknowns, bool in_double_precision,
                              double share) {
  const double bytes = (in_double_precision ? 8 : 4) * square(in_double(unknowns));
  return product_launches * h200.launch_s + bytes / (h200.bytes_per_s * share);
}

PredictedCost cost_on_cpu(const ProblemSize& size, Method method, const Options& options,
                          double right_hand_sides, int threads) {
  const CpuRates& rates = options.cpu_rates;
  const double n = in_double(size.unknowns);
  const double computing = rates.computing_of(threads),
               reading = rates.reading_of(threads),
               flops_per_s = rates.factor_flops_per_s * computing;
  PredictedCost cost;
  cost.iterations = expected_iterations(size, method, options.tolerance);
  cost.fill_s = fill_seconds_on_cpu(size.unknowns, options, threads);
  if (method.solver == SolverChoice::direct) {
    const double pass_s = entry_bytes * square(n) / rates.product_bytes_per_s;
    cost.factor_s =
        factor_seconds_on_cpu(size.unknowns, rates, threads) + condition_passes * pass_s;
    // With the residual; many by BLAS's products of matrices.
    cost.solve_s =
        right_hand_sides * (right_hand_sides >= static_cast<double>(min_rhs_for_blas)
                                ? 16 * square(n) / (cpu_many_rhs_share * flops_per_s)
                                : substitution_passes * pass_s);
    return cost;
  }
  if (method.preconditioner == PreconditionerChoice::overlap) {
    // In complex single, twice as fast; a set for each thread.
    const OverlapExtent& extent = size.overlap(method.boxes);
    const double threads_used = std::min(computing, in_double(extent.inverses));
    cost.factor_s = extent.flops / (2 * rates.factor_flops_per_s * threads_used);
  } else if (method.preconditioner != PreconditionerChoice::none)
    cost.factor_s = 28.0 / 3 * in_double(size.block_entries) *
                    in_double(size.largest_block) / flops_per_s;
  if (method.preconditioner == PreconditionerChoice::two_level)
    // A pass over the matrix; factors of the coarse matrix and its inverse.
    cost.factor_s += 0.5 * square(n) / (entries_read_per_s(rates) * computing) +
                     28.0 / 3 * cube(in_double(size.coarse())) / flops_per_s;
  const double products = cost.iterations * products_of_an_iteration(method) + 2;
  const double bytes = products * 8 * square(n) +
                       cost.iterations * preconditioner_bytes(size, method) +
                       basis_bytes(size, method.solver, cost.iterations);
  const double shared_s =
      8 * shared_products(size, method) / (2 * rates.factor_flops_per_s * computing);
  const double iteration_s = iteration_fills / rates.fill_entries_per_s + shared_s;
  cost.solve_s = right_hand_sides * (cost.iterations * iteration_s +
                                     bytes / (rates.product_bytes_per_s * reading));
  return cost;
}

PredictedCost overlap_cost_on_gpu(const ProblemSize& size, Method method,
                                  const Options& options, double share) {
  const OverlapExtent& extent = size.overlap(method.boxes);
  PredictedCost cost;
  cost.iterations = expected_iterations(size, method, options.tolerance);
  cost.factor_s = h200.stage_s + host_seconds(in_double(extent.positions)) +
                  extent.flops / block_flops_per_s(extent, share) +
                  in_double(extent.read) / (h200.fill_entries_per_s * share);
  cost.solve_s =
      h200.stage_s +
      cost.iterations * preconditioner_seconds_on_gpu(size, method, share) +
      basis_bytes(size, method.solver, cost.iterations) / (h200.bytes_per_s * share);
  return cost;
}

PredictedCost two_level_cost_on_gpu(const ProblemSize& size, const Options& options,
                                    double share) {
  const LdltCost coarse =
      ldlt_cost_on_gpu(in_double(size.coarse()), LdltProducts::tf32, share);
  PredictedCost cost;
  cost.iterations = expected_iterations(
      size, {SolverChoice::cocg, PreconditionerChoice::two_level}, options.tolerance);
  cost.factor_s = host_seconds(in_double(size.unknowns)) + coarse.factor_s;
  const double once_s =
      coarse.solution_s +
      entry_bytes * in_double(size.block_entries) / (h200.bytes_per_s * share) +
      overhead_s(options.placement, in_double(size.unknowns), 1, share);
  cost.solve_s = h200.stage_s + cost.iterations * once_s;
  return cost;
}

PredictedCost cost_on_gpu(const ProblemSize& size, Method method, const Options& options,
                          double right_hand_sides, double share) {
  const double n = in_double(size.unknowns);
  const bool mixed = options.precision == PrecisionChoice::mixed;
  // Refinement against the matrix in double, whose entries are computed again.
  const double rounds = mixed ? 2 : 1;
  const bool stored_double = options.precision == PrecisionChoice::in_double;
  const double matrix_bytes = (stored_double ? 8 : 4) * square(n);
  const double product_s = product_seconds_on_gpu(size.unknowns, stored_double, share);

  PredictedCost cost;
  cost.fill_s = fill_seconds_on_gpu(size.unknowns, share);
  if (method.solver == SolverChoice::direct) {
    const LdltCost factors = ldlt_cost_on_gpu(n, method.products, share);
    cost.iterations = ldlt_steps;
    cost.factor_s = factors.factor_s;
    double once_s = rounds * ldlt_steps * (product_s + factors.solution_s);
    if (mixed) once_s += rounds * cost.fill_s;
    cost.solve_s = right_hand_sides * once_s;
  } else {
    const double preconditioner_s = preconditioner_seconds_on_gpu(size, method, share);
    cost.iterations = expected_iterations(size, method, options.tolerance);
    // Each round starts with a search direction of its own.
    if (mixed) cost.iterations += 2;
    if (method.preconditioner != PreconditionerChoice::none) cost.factor_s = h200.stage_s;
    if (method.preconditioner == PreconditionerChoice::overlap) {
      const OverlapExtent& extent = size.overlap(method.boxes);
      cost.factor_s += extent.flops / block_flops_per_s(extent, share);
    }
    if (method.preconditioner == PreconditionerChoice::two_level) {
      const double coarse = in_double(size.coarse());
      cost.factor_s += h200.panel_s * panels_of(coarse) +
                       8 * cube(coarse) / (h200.single_flops_per_s * share) +
                       coarse_passes * matrix_bytes / (h200.bytes_per_s * share);
    }
    const double products =
        cost.iterations * products_of_an_iteration(method) + 2 * rounds;
    const auto in_step_s = [&](double sides) {
      const double shared =
          sides > 1 ? (stored_double ? gpu_double_rhs : gpu_single_rhs) : 1;
      return h200.stage_s + products * shared * product_s +
             cost.iterations * (overhead_s(options.placement, n, sides, share) +
                                sides * preconditioner_s) +
             sides * basis_bytes(size, method.solver, cost.iterations) /
                 (h200.bytes_per_s * share);
    };
    if (mixed) {
      cost.solve_s = right_hand_sides * (in_step_s(1) + rounds * cost.fill_s);
    } else {
      const double groups = std::floor(right_hand_sides / max_rhs_count),
                   left = right_hand_sides - groups * max_rhs_count;
      cost.solve_s = groups * in_step_s(max_rhs_count) + (left > 0 ? in_step_s(left) : 0);
    }
  }
  return cost;
}

double toeplitz_iterations(const ToeplitzSize& size, Method method, double tolerance) {
  const double side = std::sqrt(static_cast<double>(size.antennas));
  const double to_one_millionth =
      method.preconditioner == PreconditionerChoice::two_level ? 28 : 6 * side + 10;
  return std::ceil(to_one_millionth * std::log(tolerance) / std::log(1e-6));
}

PredictedCost toeplitz_cost(const ToeplitzSize& size, Method method,
                            const Options& options, double right_hand_sides,
                            int threads) {
  const CpuRates& rates = options.cpu_rates;
  return lattice_cost(size, method, options, right_hand_sides, threads,
                      rates.fill_entries_per_s * rates.computing_of(threads),
                      rates.product_bytes_per_s * rates.reading_of(threads));
}

PredictedCost toeplitz_cost_on_gpu(const ToeplitzSize& size, Method method,
                                   const Options& options, double right_hand_sides,
                                   int threads, double share) {
  PredictedCost cost =
      lattice_cost(size, method, options, right_hand_sides, threads,
                   h200.fill_entries_per_s * share, h200.bytes_per_s * share);
  cost.fill_s += h200.stage_s;
  cost.solve_s +=
      right_hand_sides * (cost.iterations * lattice_launches * h200.launch_s +
                          2 * entry_bytes * in_double(size.antennas * size.functions) /
                              h200.copied_bytes_per_s);
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
