#include "mom/plan/choose_operator.h"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/base/error.h"
#include "mom/media/real_ground.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/workload.h"

namespace thinwire {
namespace {

/// `auto` keeps Z dense where a lattice would save less: its solution is good to
/// rounding.
constexpr double worth_a_lattice_s = 0.1;
/// Fewer segments are solved directly, in a tenth of a second at most, and on a GPU in
/// less time than a lattice takes; a few antennas are mostly one large block.
constexpr std::size_t few_segments = 1000, few_segments_on_gpu = 3000, few_antennas = 8;

/// Which option asks for all of Z; empty where none does.
std::string wants_all_of_z(const Options& options) {
  if (options.solver == SolverChoice::direct) return "--solver direct";
  if (options.precision != PrecisionChoice::in_double)
    return fmt::format("--precision {}", name_of(options.precision));
  return {};
}

/// Why the ground is not the same under every antenna of a lattice; empty where it is or
/// there is none.
std::string without_images(const Problem& problem, const Lattice& lattice) {
  const bool ground =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground != Ground::none; });
  if (!ground) return {};
  if (std::string reason = why_ground_is_uneven(problem); !reason.empty()) return reason;
  const Segment& first = problem.structure.segments()[lattice.segments.front()];
  return why_no_images(lattice.steps_m, lattice.places,
                       norm(first.end_m - first.start_m));
}

/// Beyond so many segments right-hand sides do not count: a matrix that would be faster
/// for many of them may not fit into memory, which ranks would judge differently.
constexpr std::size_t many_segments = 5000;

/// Predicted seconds of one frequency on the CPU, dense and by the lattice. An unknown a
/// segment: a graded mesh has more, in both.
std::pair<double, double> predicted(const Lattice& lattice, const Options& options,
                                    double right_hand_sides) {
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  const std::size_t each = lattice.segments_each;
  ProblemSize size;
  size.unknowns = lattice.segments.size();
  size.blocks = lattice.antennas();
  size.largest_block = each;
  size.block_entries = lattice.antennas() * each * each;
  size.whole_antennas = true;
  const Method direct, iterative = {SolverChoice::cocg, PreconditionerChoice::two_level,
                                    LdltProducts::tf32};
  const double dense =
      std::min(cost_on_cpu(size, direct, options, right_hand_sides, threads).all_s(),
               cost_on_cpu(size, iterative, options, right_hand_sides, threads).all_s());
  return {dense, toeplitz_cost({each, lattice.antennas(), lattice.places}, iterative,
                               options, right_hand_sides, threads)
                     .all_s()};
}

}  // namespace

OperatorPlan choose_operator(const Problem& problem, const Options& options) {
  const std::size_t least = options.device.kind == DeviceRequest::Kind::cuda
                                ? few_segments_on_gpu
                                : few_segments;
  const bool wanted = options.operator_choice == OperatorChoice::toeplitz,
             grid = options.operator_choice == OperatorChoice::fft;
  const std::string all = wants_all_of_z(options);
  if ((wanted || grid) && !all.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("--operator {} does not form the whole matrix, which {} needs. "
                    "Leave one of them out.",
                    name_of(options.operator_choice), all));
  if (grid) return {};
  const bool overlap = options.preconditioner == PreconditionerChoice::overlap;
  if (wanted && overlap)
    throw Error(ErrorKind::usage,
                "--operator toeplitz works with blocks of whole antennas, --precond "
                "overlap with others. Use --precond two-level, or --operator dense.");
  if (!wanted &&
      (options.operator_choice == OperatorChoice::dense || overlap || !all.empty() ||
       options.save_matrix || problem.structure.segments().size() < least))
    return {};
  LatticeSearch search = find_lattice(problem.structure, options.monitor);
  if (search.lattice)
    if (std::string reason = without_images(problem, *search.lattice); !reason.empty())
      search = {nullptr, std::move(reason)};
  if (!search.lattice) {
    if (!wanted) return {};
    throw Error(ErrorKind::geometry,
                fmt::format("--operator toeplitz: the antennas form no lattice ({}). Use "
                            "--operator auto.",
                            search.reason));
  }
  if (wanted) return {std::move(search.lattice), {}};
  if (search.lattice->antennas() < few_antennas) return {};
  const bool weighs_sides = problem.structure.segments().size() <= many_segments;
  const double sides =
      weighs_sides ? static_cast<double>(workload(problem, options).right_hand_sides) : 1;
  const auto [dense_s, lattice_s] = predicted(*search.lattice, options, sides);
  if (dense_s - lattice_s < worth_a_lattice_s) return {};
  return {std::move(search.lattice),
          fmt::format("equal antennas on a lattice: predicted {:.2g} s, {:.2g} s dense",
                      lattice_s, dense_s)};
}

}  // namespace thinwire
