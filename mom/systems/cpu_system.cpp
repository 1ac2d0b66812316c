#include "mom/systems/cpu_system.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cg/direct/direct.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/schwarz.h"
#include "mom/problem/stored_matrix.h"
#include "mom/systems/nearly_singular.h"
#include "mom/systems/operator_system.h"
#include "mom/systems/shared_cpu_system.h"

namespace thinwire {

std::unique_ptr<System> CpuBackend::make_system(const SystemInput& input) const {
  if (input.operator_choice != OperatorChoice::dense)
    return std::make_unique<OperatorSystem>(input);
  if (input.ranks) return std::make_unique<SharedCpuSystem>(input, *input.ranks);
  return std::make_unique<CpuSystem>(input);
}

const Backend& cpu_backend() {
  static const CpuBackend backend;
  return backend;
}

void CpuSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                     const Monitor& monitor) {
  direct_.reset();
  by_loops_.reset();
  preconditioner_.reset();
  matrix_.reset();
  const Discretization& discretization = input_.discretization;
  matrix_ = std::make_unique<ImpedanceMatrix>(discretization.unknowns());
  k_rad_per_m_ = parameters.k_rad_per_m;
  medium_ = image_medium_of(parameters.ground);
  loads_ = parameters.loads.updates();
  if (parameters.stored != nullptr) {
    take(*parameters.stored);
    return;
  }
  // The matrix takes its memory where it is filled, the solver's follows.
  fill_.fill(parameters, ImpedanceMatrix::bytes(discretization.unknowns()) + plan.bytes,
             matrix_->tiles(), monitor);
  parameters.loads.add_to(*matrix_);
  separate_loops(parameters, plan);
}

void CpuSystem::separate_loops(const FillParameters& parameters, const SolverPlan& plan) {
  const Discretization& discretization = input_.discretization;
  // Voltages of all loops take as much as the direct solver, not as an iterative one.
  if (plan.solver != SolverChoice::direct &&
      discretization.structure().segments().size() > max_segments_of_loops)
    return;
  const auto surroundings = small_surroundings(discretization.elements(), parameters);
  if (!surroundings) return;
  auto loops = independent_loops(discretization.basis(), discretization.elements().size(),
                                 medium_of(parameters.ground).sources() > 1);
  if (!loops.empty())
    by_loops_ = std::make_unique<LoopSystem>(
        discretization, std::move(loops), *surroundings, input_.options.kernel, *matrix_);
}

std::unique_ptr<System> CpuSystem::clone() const {
  if (!fill_.interpolates() || matrix_->size() >= min_unknowns_for_threads ||
      method_.solver != SolverChoice::direct)
    return nullptr;
  return std::unique_ptr<System>(new CpuSystem(input_, fill_.clone()));
}

void CpuSystem::take(const StoredMatrix& stored) {
  const std::size_t n = matrix_->size();
  if (stored.matrix_ohm.size() != n * n)
    throw Error(ErrorKind::file,
                fmt::format("{}: holds a matrix that does not fit its structure's {} "
                            "unknowns (got {} entries). Solve the deck with WG again.",
                            stored.name, n, stored.matrix_ohm.size()));
  std::fill(matrix_->tiles().begin(), matrix_->tiles().end(), Complex(0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) matrix_->add(i, j, stored.matrix_ohm[i * n + j]);
}

void CpuSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  direct_.reset();
  preconditioner_.reset();
  if (method.solver == SolverChoice::direct) {
    const ImpedanceMatrix& z = solved_matrix();
    direct_ = std::make_unique<DirectSolver>(z.layout(), z.tiles());
    if (!direct_->clearly_regular())
      note_if_nearly_singular(direct_->reciprocal_condition(), notes_);
  } else if (method.preconditioner != PreconditionerChoice::none) {
    make_preconditioner(monitor);
  }
}

bool CpuSystem::direct_fits() const {
  return sizeof(Complex) * matrix_->size() * matrix_->size() < host_memory().free;
}

void CpuSystem::make_preconditioner(const Monitor& monitor) {
  const ImpedanceMatrix& z = solved_matrix();
  const auto read = [&z](std::span<const std::uint32_t> rows,
                         std::span<const std::uint32_t> columns,
                         std::span<Complex> entries) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        entries[i + j * rows.size()] = z.at(rows[i], columns[j]);
  };
  if (method_.preconditioner == PreconditionerChoice::overlap) {
    preconditioner_ =
        make_schwarz({input_.discretization, k_rad_per_m_, medium_, loads_, read, z},
                     {method_.boxes, method_.coarse && !by_loops_}, monitor);
    return;
  }
  auto blocks = FunctionPlaces(input_.discretization).blocks();
  if (method_.preconditioner == PreconditionerChoice::two_level) {
    const int modes = TwoLevelPreconditioner::modes_for(blocks.size());
    preconditioner_ =
        std::make_unique<TwoLevelPreconditioner>(std::move(blocks), read, modes);
  } else {
    preconditioner_ = std::make_unique<BlockPreconditioner>(
        std::move(blocks), [&read](std::span<const std::uint32_t> set,
                                   std::span<Complex> block) { read(set, set, block); });
  }
}

std::vector<SolveResult> CpuSystem::solve(std::span<const Complex> v,
                                          std::span<Complex> current,
                                          const SolverControl& control) {
  if (!by_loops_) return solve_prepared(v, current, control);
  std::vector<SolveResult> results = solve_prepared(by_loops_->rhs(v), current, control);
  by_loops_->make_currents(current);
  return results;
}

std::vector<SolveResult> CpuSystem::solve_prepared(std::span<const Complex> v,
                                                   std::span<Complex> x,
                                                   const SolverControl& control) {
  const ImpedanceMatrix& z = solved_matrix();
  if (!direct_) {
    std::ranges::fill(x, 0.0);
    return solve_rhs(method_.solver, z, preconditioner_.get(), v, x,
                     control_for(method_, control));
  }
  std::ranges::copy(v, x.begin());
  direct_->solve(x);
  std::vector<SolveResult> results;
  for (const double residual : relative_residuals(z, v, x))
    results.push_back(direct_result(residual, control.tolerance));
  return results;
}

}  // namespace thinwire
