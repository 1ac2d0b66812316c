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

namespace thinwire {
namespace {

// CPU, beside what CpuRates has and at its default rates: two threads of one Xeon, 1 and
// 16 of another. On a CPU that is faster they are shorter in proportion.

/// Near pairs of a graded mesh: 20 to 80 us for each unknown on two threads with the
/// decks of examples/, where a mesh as given has too few to show.
constexpr double cpu_near_s_per_unknown = 60e-6;
/// The Green's function of two rings, in near pairs.
constexpr double cpu_near_s_per_evaluation = 0.15e-6;
constexpr double cpu_s_per_proximity_multiplication = 0.5e-9;
/// For each entry of the matrix: what zsytrf does column by column on one thread, and the
/// estimate of the condition number.
constexpr double cpu_factor_s_per_entry = 2.5e-8, cpu_condition_s_per_entry = 1.6e-8;
constexpr double cpu_back_substitution_s_per_entry = 3.2e-9;
constexpr double cpu_coarse_entries_per_s = 4e7;
/// Minimum seconds of an iteration.
constexpr double cpu_iteration_s = 50e-6;

/// Speed of a CPU relative to the one that was measured: in computing, in reading memory,
/// in factoring.
struct CpuSpeed {
  explicit CpuSpeed(const CpuRates& rates)
      : computing(rates.fill_entries_per_s / CpuRates().fill_entries_per_s),
        reading(rates.product_bytes_per_s / CpuRates().product_bytes_per_s),
        factoring(rates.factor_flops_per_s / CpuRates().factor_flops_per_s) {}
  double computing, reading, factoring;
};

// One H200.
constexpr double gpu_fill_entries_per_s = 9.2e9;
/// Near pairs, found and integrated; memory, and what a fill takes however small.
constexpr double gpu_near_s_per_unknown = 0.08e-6, gpu_near_s = 1e-3;
/// The product: two launches and the ends of the runs, and its stream.
constexpr double gpu_launch_s = 13e-6;
constexpr double gpu_double_bytes_per_s = 4.6e12, gpu_single_bytes_per_s = 4.45e12;
/// LDL^T: libraries and memory, the inversion of a panel, and products in TF32 and in
/// complex single.
constexpr double ldlt_s = 4e-3, ldlt_panel_s = 1.2e-3, ldlt_tf32_flops_per_s = 1.4e14,
                 ldlt_single_flops_per_s = 4.5e13;
/// Its solution: two passes over the factors (4 n^2 bytes), launches for each panel.
constexpr double ldlt_solve_bytes_per_s = 4.2e12, ldlt_solve_panel_s = 32e-6;
/// Steps to 1e-10.
constexpr double ldlt_steps = 3;
/// Two-level preconditioner: modes of blocks; the coarse matrix's inverse in complex
/// single, 8 n^3 flop; the coarse matrix, one pass over Z.
constexpr double blocks_s = 2e-3, coarse_s_per_unknown = 2e-6;
constexpr double coarse_flops_per_s = 3.2e13, coarse_bytes_per_s = 3e12;
/// Beside an operator: a block's entries read from the GPU, its inverse and modes on 16
/// threads of the host; the coarse matrix is factored as LDL^T.
constexpr double host_block_s = 35e-6;
/// Overlapping blocks: libraries, boxes and memory; inversion, counted as LU and the own
/// columns solved for, of large blocks, and the size that has half of that; entries;
/// products of inverses that several sets share. Boxes found, compared and ordered on 16
/// threads of the host, for each function of each. GMRES's passes over its basis.
constexpr double overlap_s = 5e-3, overlap_position_s = 0.35e-6,
                 overlap_flops_per_s = 6.8e13, overlap_half_rate_size = 2800,
                 overlap_entries_per_s = 6e9, overlap_product_flops_per_s = 1.6e13,
                 gpu_basis_bytes_per_s = 3.5e12;
/// A coarse level: its functions, on 16 threads of the host, for each unknown; pairs of
/// nodes of its lumped currents.
constexpr double coarse_space_s = 1e-6, lump_pairs_per_s = 1.6e10;
/// The product of two to four right-hand sides in step, in times that of one.
constexpr double gpu_double_rhs = 1.1, gpu_single_rhs = 1.5;
/// Vectors and libraries of an iterative solve.
constexpr double iterative_s = 1.5e-3;

double square(double x) {
  return x * x;
}
double cube(double x) {
  return x * x * x;
}
double in_double(std::size_t count) {
  return static_cast<double>(count);
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
  const double image = 0.027 * along / std::pow(std::max(0.1, size.height), 1.5);
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

/// Near pairs of the meshes that were measured, on one thread of the CPU's default rates.
double near_seconds(std::size_t unknowns, const Options& options) {
  return options.mesh == MeshChoice::graded ? cpu_near_s_per_unknown * in_double(unknowns)
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

double preconditioner_seconds_on_gpu(const ProblemSize& size, Method method,
                                     double share) {
  return (preconditioner_bytes(size, method) / gpu_double_bytes_per_s +
          8 * shared_products(size, method) / overlap_product_flops_per_s) /
         share;
}

double inversion_seconds_on_gpu(const OverlapExtent& extent, double share) {
  const double largest = in_double(extent.largest);
  return extent.flops * (1 + overlap_half_rate_size / largest) /
         (overlap_flops_per_s * share);
}

/// LDL^T on a GPU: the factors, and one solution by them.
struct LdltCost {
  double factor_s, solution_s;
};
LdltCost ldlt_cost_on_gpu(double n, LdltProducts products, double share) {
  const double panels = std::ceil(n / in_double(tuning::ldlt_panel));
  const LdltRates rates = ldlt_rates_on_gpu(products, share);
  return {ldlt_s + rates.panel_s * panels + 4.0 / 3 * cube(n) / rates.flops_per_s,
          ldlt_solve_panel_s * panels + 8 * square(n) / (ldlt_solve_bytes_per_s * share)};
}

/// Bytes of GMRES's basis that it reads, for all iterations: four passes over the vectors
/// that there are.
double basis_bytes(const ProblemSize& size, SolverChoice solver, double iterations) {
  if (solver != SolverChoice::gmres) return 0;
  return 4 * 0.5 * square(iterations) * 16 * in_double(size.unknowns);
}

/// On the GPU, what an iteration takes beside its products: with a block preconditioner,
/// COCG.
double overhead_s(PlacementChoice placement, double n, double sides) {
  if (placement == PlacementChoice::product) return sides * (100e-6 + 7.3e-9 * n);
  return (placement == PlacementChoice::graph ? 9e-6 : 12e-6) + sides * 0.4e-9 * n;
}

// One thread's rates: 68 x 68 dipoles of 20 functions, 2 and 16 threads, of which the
// last add less than the first.
constexpr double entry_s = 2e-7;           // of a block, by the fill's rules
constexpr double transformed_s = 4e-8;     // a point of one transform
constexpr double spectrum_entry_s = 4e-9;  // of the product

// An H200's, of 68 x 68, 300 x 300 and 1,000 x 1,000 dipoles (docs/theory/operators.md).
// What belongs to an unknown is the way of vectors to the GPU and back.
constexpr double gpu_fill_s = 0.01, gpu_entry_s = 5e-10;
constexpr double gpu_iteration_s = 1.5e-4, gpu_point_s = 9e-11;
constexpr double gpu_unknown_s = 9e-9;
constexpr double gpu_checked_s =
    1.8e-8;  // an unknown, in 32 rows of Z; fewer from 65,536 on

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
  constexpr double node_pair_s = 5e-8;
  const double n = in_double(size.unknowns), coarse = in_double(size.coarse_functions),
               near_entries = near_coarse_entries(size), nodes = lump_nodes(size);
  const double computing = rates.computing_of(threads);
  return {(near_entries / entries_per_s + 0.5 * square(nodes) * node_pair_s +
           4.0 / 3 * cube(coarse) / rates.factor_flops_per_s) /
              computing,
          16 * square(coarse) / (rates.product_bytes_per_s * rates.reading_of(threads)),
          static_cast<std::size_t>(32 * square(coarse) + 200 * n)};
}

CoarseCost coarse_cost_on_gpu(const ProblemSize& size, double share) {
  const double n = in_double(size.unknowns), entries = near_coarse_entries(size),
               pairs = square(lump_nodes(size)) / 2;
  const LdltProducts products =
      DeviceTwoLevelSchwarz::products_for(size.coarse_functions);
  const LdltCost ldlt =
      ldlt_cost_on_gpu(in_double(size.coarse_functions), products, share);
  return {coarse_space_s * n + entries / (overlap_entries_per_s * share) +
              pairs / (lump_pairs_per_s * share) + ldlt.factor_s,
          ldlt.solution_s,
          DeviceLdlt::bytes(size.coarse_functions, products) +
              DeviceTiles::bytes(PackedTiles{size.coarse_functions},
                                 Storage::complex_single) +
              static_cast<std::size_t>(150 * n)};
}

double mesh_seconds(std::size_t unknowns) {
  return 0.9e-6 * in_double(unknowns);
}

double proximity_seconds(double multiplications, const CpuRates& rates, int threads) {
  return cpu_s_per_proximity_multiplication * multiplications /
         (CpuSpeed(rates).computing * rates.computing_of(threads));
}

double fill_seconds_on_cpu(std::size_t unknowns, const Options& options, int threads) {
  const CpuRates& rates = options.cpu_rates;
  return (0.5 * square(in_double(unknowns)) / rates.fill_entries_per_s +
          near_seconds(unknowns, options) / CpuSpeed(rates).computing) /
         rates.computing_of(threads);
}

double unlike_pair_seconds_on_cpu(std::size_t unknowns, double evaluations,
                                  const Options& options, int threads) {
  const CpuRates& rates = options.cpu_rates;
  const double beyond_s =
      cpu_near_s_per_evaluation * evaluations - near_seconds(unknowns, options);
  return std::max(0.0, beyond_s) /
         (CpuSpeed(rates).computing * rates.computing_of(threads));
}

double factor_seconds_on_cpu(std::size_t unknowns, const CpuRates& rates, int threads) {
  const double n = in_double(unknowns);
  return 4.0 / 3 * cube(n) / (rates.factor_flops_per_s * rates.computing_of(threads)) +
         cpu_factor_s_per_entry * square(n) / CpuSpeed(rates).factoring;
}

double fill_seconds_on_gpu(std::size_t unknowns, double share) {
  const double n = in_double(unknowns);
  return gpu_near_s + gpu_near_s_per_unknown * n +
         0.5 * square(n) / (gpu_fill_entries_per_s * share);
}

LdltRates ldlt_rates_on_gpu(LdltProducts products, double share) {
  return {ldlt_panel_s,
          share * (products == LdltProducts::tf32 ? ldlt_tf32_flops_per_s
                                                  : ldlt_single_flops_per_s)};
}

double product_seconds_on_gpu(std::size_t unknowns, bool in_double_precision,
                              double share) {
  const double entry_bytes = in_double_precision ? 16 : 8;
  const double bytes_per_s =
      in_double_precision ? gpu_double_bytes_per_s : gpu_single_bytes_per_s;
  return gpu_launch_s +
         0.5 * square(in_double(unknowns)) * entry_bytes / (bytes_per_s * share);
}

PredictedCost cost_on_cpu(const ProblemSize& size, Method method, const Options& options,
                          double right_hand_sides, int threads) {
  const CpuRates& rates = options.cpu_rates;
  const CpuSpeed speed(rates);
  const double n = in_double(size.unknowns);
  const double computing = rates.computing_of(threads),
               reading = rates.reading_of(threads),
               flops_per_s = rates.factor_flops_per_s * computing;
  PredictedCost cost;
  cost.iterations = expected_iterations(size, method, options.tolerance);
  cost.fill_s = fill_seconds_on_cpu(size.unknowns, options, threads);
  if (method.solver == SolverChoice::direct) {
    cost.factor_s = factor_seconds_on_cpu(size.unknowns, rates, threads) +
                    cpu_condition_s_per_entry * square(n) / speed.reading;
    // With the residual; many by BLAS's products of matrices.
    const double entries = right_hand_sides * square(n);
    cost.solve_s = right_hand_sides >= static_cast<double>(min_rhs_for_blas)
                       ? 16 * entries / (cpu_many_rhs_share * flops_per_s)
                       : cpu_back_substitution_s_per_entry * entries / speed.reading;
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
    cost.factor_s +=
        0.5 * square(n) / (cpu_coarse_entries_per_s * speed.reading * computing) +
        28.0 / 3 * cube(in_double(size.coarse())) / flops_per_s;
  const double products = cost.iterations * products_of_an_iteration(method) + 2;
  const double bytes = products * 8 * square(n) +
                       cost.iterations * preconditioner_bytes(size, method) +
                       basis_bytes(size, method.solver, cost.iterations);
  const double shared_s =
      8 * shared_products(size, method) / (2 * rates.factor_flops_per_s * computing);
  cost.solve_s = right_hand_sides * (cost.iterations * (cpu_iteration_s + shared_s) +
                                     bytes / (rates.product_bytes_per_s * reading));
  return cost;
}

PredictedCost overlap_cost_on_gpu(const ProblemSize& size, Method method,
                                  const Options& options, double share) {
  const OverlapExtent& extent = size.overlap(method.boxes);
  PredictedCost cost;
  cost.iterations = expected_iterations(size, method, options.tolerance);
  cost.factor_s = overlap_s + overlap_position_s * in_double(extent.positions) +
                  inversion_seconds_on_gpu(extent, share) +
                  in_double(extent.read) / (overlap_entries_per_s * share);
  cost.solve_s =
      iterative_s + cost.iterations * preconditioner_seconds_on_gpu(size, method, share) +
      basis_bytes(size, method.solver, cost.iterations) / (gpu_basis_bytes_per_s * share);
  return cost;
}

PredictedCost two_level_cost_on_gpu(const ProblemSize& size, const Options& options,
                                    double share) {
  const LdltCost coarse =
      ldlt_cost_on_gpu(in_double(size.coarse()), LdltProducts::tf32, share);
  PredictedCost cost;
  cost.iterations = expected_iterations(
      size, {SolverChoice::cocg, PreconditionerChoice::two_level}, options.tolerance);
  cost.factor_s = host_block_s * in_double(size.blocks) + coarse.factor_s;
  const double once_s =
      coarse.solution_s +
      16 * in_double(size.block_entries) / (gpu_double_bytes_per_s * share) +
      overhead_s(options.placement, in_double(size.unknowns), 1);
  cost.solve_s = iterative_s + cost.iterations * once_s;
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
    if (method.preconditioner != PreconditionerChoice::none) cost.factor_s = blocks_s;
    if (method.preconditioner == PreconditionerChoice::overlap)
      cost.factor_s =
          overlap_s + inversion_seconds_on_gpu(size.overlap(method.boxes), share);
    if (method.preconditioner == PreconditionerChoice::two_level) {
      const double coarse = in_double(size.coarse());
      cost.factor_s += coarse_s_per_unknown * coarse +
                       8 * cube(coarse) / (coarse_flops_per_s * share) +
                       matrix_bytes / (coarse_bytes_per_s * share);
    }
    const double products =
        cost.iterations * products_of_an_iteration(method) + 2 * rounds;
    const auto in_step_s = [&](double sides) {
      const double shared =
          sides > 1 ? (stored_double ? gpu_double_rhs : gpu_single_rhs) : 1;
      return iterative_s + products * shared * product_s +
             cost.iterations *
                 (overhead_s(options.placement, n, sides) + sides * preconditioner_s) +
             sides * basis_bytes(size, method.solver, cost.iterations) /
                 (gpu_basis_bytes_per_s * share);
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
               preconditioner_s = 2 * places * transformed_s / speed;
  cost.solve_s = right_hand_sides * cost.iterations * (product_s + preconditioner_s) +
                 check_s(size, threads);
  return cost;
}

PredictedCost toeplitz_cost_on_gpu(const ToeplitzSize& size, Method method,
                                   const Options& options, double right_hand_sides,
                                   int threads, double share) {
  const double n = static_cast<double>(size.functions), points = points_of(size),
               unknowns = n * static_cast<double>(size.antennas);
  PredictedCost cost;
  cost.iterations = toeplitz_iterations(size, method, options.tolerance);
  cost.fill_s = gpu_fill_s + n * n / 2 * points * gpu_entry_s / share;
  cost.factor_s = inverse_s(size, method, options, threads);
  const double iteration_s = gpu_iteration_s + n * points * gpu_point_s / share;
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
