#include "mom/plan/operator_choice.h"

#include <algorithm>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/base/error.h"
#include "mom/plan/cost_model.h"
#include "mom/plan/toeplitz_cost.h"

namespace thinwire {
namespace {

/// `auto` keeps Z dense where a lattice would save less.
constexpr double worth_a_lattice_s = 0.3;
/// Fewer segments take a second dense, and fewer iterations; a few antennas are mostly
/// one large block.
constexpr std::size_t few_segments = 3000, few_antennas = 8;

/// Which option asks for all of Z; empty where none does.
std::string wants_all_of_z(const Options& options) {
  if (options.solver == SolverChoice::direct) return "--solver direct";
  if (options.precision != PrecisionChoice::in_double)
    return fmt::format("--precision {}", name_of(options.precision));
  return {};
}

/// Why the images of a lattice in the ground form none; empty where they do or there is
/// no ground.
std::string without_images(const Problem& problem, const Lattice& lattice) {
  const bool ground =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground != Ground::none; });
  const Segment& first = problem.structure.segments()[lattice.segments.front()];
  if (!ground) return {};
  return why_no_images(lattice.steps_m, lattice.places,
                       norm(first.end_m - first.start_m));
}

/// Predicted seconds of one frequency on the CPU, dense and by the lattice. An unknown a
/// segment: a graded mesh has more, in both.
std::pair<double, double> predicted(const Lattice& lattice, const Options& options) {
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
      std::min(cost_on_cpu(size, direct, options, 1, threads).all_s(),
               cost_on_cpu(size, iterative, options, 1, threads).all_s());
  return {dense, toeplitz_cost({each, lattice.antennas(), lattice.places}, iterative,
                               options, 1, threads)
                     .all_s()};
}

}  // namespace

OperatorPlan choose_operator(const Problem& problem, const Options& options) {
  const bool wanted = options.operator_choice == OperatorChoice::toeplitz,
             grid = options.operator_choice == OperatorChoice::fft;
  const std::string all = wants_all_of_z(options);
  if ((wanted || grid) && !all.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("--operator {} does not form the whole matrix, which {} needs. "
                    "Leave one of them out.",
                    name_of(options.operator_choice), all));
  const bool real_ground =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground.is_real(); });
  if (grid || real_ground) return {};
  const bool overlap = options.preconditioner == PreconditionerChoice::overlap;
  if (wanted && overlap)
    throw Error(ErrorKind::usage,
                "--operator toeplitz works with blocks of whole antennas, --precond "
                "overlap with others. Use --precond two-level, or --operator dense.");
  if (!wanted &&
      (options.operator_choice == OperatorChoice::dense || overlap || !all.empty() ||
       options.save_matrix || problem.structure.segments().size() < few_segments))
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
  const auto [dense_s, lattice_s] = predicted(*search.lattice, options);
  if (dense_s - lattice_s < worth_a_lattice_s) return {};
  return {std::move(search.lattice),
          fmt::format("equal antennas on a lattice: predicted {:.2g} s, {:.2g} s dense",
                      lattice_s, dense_s)};
}

}  // namespace thinwire
