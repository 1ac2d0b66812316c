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
  small_surroundings_ = small_surroundings(discretization.elements(), parameters);
  if (parameters.stored != nullptr) {
    take(*parameters.stored);
    return;
  }
  // The matrix takes its memory where it is filled, the solver's follows.
  fill_.fill(parameters, ImpedanceMatrix::bytes(discretization.unknowns()) + plan.bytes,
             matrix_->tiles(), monitor);
  parameters.loads.add_to(*matrix_);
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
  by_loops_.reset();
  preconditioner_.reset();
  if (method.solver == SolverChoice::direct)
    factor();
  else if (method.preconditioner != PreconditionerChoice::none)
    make_preconditioner(monitor);
}

bool CpuSystem::direct_fits() const {
  return sizeof(Complex) * matrix_->size() * matrix_->size() < host_memory().free;
}

void CpuSystem::factor() {
  std::vector<Loop> loops;
  if (small_surroundings_)
    loops = independent_loops(input_.discretization.basis(),
                              input_.discretization.elements().size(),
                              medium_of(small_surroundings_->ground).sources() > 1);
  if (loops.empty())
    direct_ = std::make_unique<DirectSolver>(matrix_->layout(), matrix_->tiles());
  else
    by_loops_ = std::make_unique<LoopSystem>(input_.discretization, std::move(loops),
                                             *small_surroundings_, input_.options.kernel,
                                             *matrix_);
  if (direct_ && direct_->clearly_regular()) return;
  const double rcond =
      direct_ ? direct_->reciprocal_condition() : by_loops_->reciprocal_condition();
  note_if_nearly_singular(rcond, notes_);
}

void CpuSystem::make_preconditioner(const Monitor& monitor) {
  const auto read = [this](std::span<const std::uint32_t> rows,
                           std::span<const std::uint32_t> columns,
                           std::span<Complex> entries) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        entries[i + j * rows.size()] = matrix_->at(rows[i], columns[j]);
  };
  if (method_.preconditioner == PreconditionerChoice::overlap) {
    preconditioner_ = make_schwarz(
        {input_.discretization, k_rad_per_m_, medium_, loads_, read, *matrix_},
        {method_.boxes, method_.coarse}, monitor);
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
  if (direct_ || by_loops_) return solve_direct(v, current, control);
  std::fill(current.begin(), current.end(), 0.0);
  return solve_rhs(method_.solver, *matrix_, preconditioner_.get(), v, current,
                   control_for(method_, control));
}

std::vector<SolveResult> CpuSystem::solve_direct(std::span<const Complex> v,
                                                 std::span<Complex> current,
                                                 const SolverControl& control) const {
  std::vector<double> residuals;
  if (by_loops_) {
    residuals = by_loops_->solve(v, current);
  } else {
    std::copy(v.begin(), v.end(), current.begin());
    direct_->solve(current);
    residuals = relative_residuals(*matrix_, v, current);
  }
  std::vector<SolveResult> results;
  for (const double residual : residuals)
    results.push_back(direct_result(residual, control.tolerance));
  return results;
}

}  // namespace thinwire
