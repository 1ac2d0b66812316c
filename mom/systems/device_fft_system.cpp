#include "mom/systems/device_fft_system.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_modes.h"
#include "cg/precondition/device_overlap.h"
#include "cg/precondition/device_two_level_schwarz.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/error.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"
#include "kernels/base/started.h"
#include "kernels/fill/matrix_entries.h"
#include "mom/operators/mode_coupling.h"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/device_coarse_matrix.h"
#include "mom/preconditioners/equal_sets.h"
#include "mom/systems/device_toeplitz_system.h"
#include "mom/systems/operator_system.h"

namespace thinwire {
namespace {

BlockModes modes_of(std::vector<BlockPreconditioner::IndexSet> sets,
                    const DeviceBlockReader& read) {
  const std::vector<std::vector<Complex>> blocks = read_blocks(sets, read);
  std::size_t unknowns = 0;
  for (const auto& set : sets) unknowns += set.size();
  std::vector<std::uint32_t> block_of(unknowns);
  for (std::uint32_t b = 0; b < sets.size(); ++b)
    for (const std::uint32_t unknown : sets[b]) block_of[unknown] = b;
  const int count = TwoLevelPreconditioner::modes_for(sets.size());
  return {std::move(sets),
          [&](std::span<const std::uint32_t> set, std::span<Complex> block) {
            std::ranges::copy(blocks[block_of[set[0]]], block.begin());
          },
          count};
}

}  // namespace

void DeviceFftSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                           const Monitor& monitor) {
  take(parameters, monitor);
  try {
    make_operator(parameters, plan, monitor);
  } catch (const Error& error) {
    // The fill's work needs the memory of an earlier frequency's preconditioner.
    operator_.reset();
    if (error.kind() != ErrorKind::memory || !reuses_preconditioner() || owner_.owners)
      throw;
    drop_preconditioner();
    make_operator(parameters, plan, monitor);
  }
}

SchwarzGeometry DeviceFftSystem::make_geometry(SchwarzLevels levels,
                                               const Monitor& monitor) const {
  return schwarz_geometry(input_.discretization, levels, exact_.k_rad_per_m,
                          exact_.medium, loads_, monitor);
}

void DeviceFftSystem::make_operator(const FillParameters& parameters,
                                    const SolverPlan& plan, const Monitor& monitor) {
  if (!parameters.only_frequency_differs) {
    operator_.reset();
    if (plan.preconditioner == PreconditionerChoice::overlap)
      loading_ = started([index = current_device().index] {
        use_device(index);
        load_inversion();
      });
  }
  const std::shared_ptr<const FftOperator> earlier = std::exchange(host_, nullptr);
  geometry_ = {};
  if (is_first()) {
    *common_ = {};
    if (plan.preconditioner == PreconditionerChoice::overlap && !reuses_preconditioner())
      common_->geometry =
          started([this, levels = plan.levels(), silent = monitor.silent()] {
            return make_geometry(levels, silent);
          }).share();
    common_->host =
        make_fft_operator(input_, exact_, loads_, {plan.boxes}, monitor.part(0, 0.5),
                          FftOperator::NearField::left_out, earlier.get());
  }
  if (double wait = 0; owner_.owners) owner_.owners->sum(wait);
  host_ = common_->host;
  geometry_ = common_->geometry;
  if (operator_ && earlier && host_->shared_order() == earlier->shared_order())
    return operator_->set_frequency(*host_, monitor.part(0.5, 1));
  operator_.reset();
  // Single rounds to 1e-7 of the largest sums: enough for the coarsest class, and for
  // residuals that stay above.
  const bool single =
      host_->plan().grid_class.tolerance >= 1e-4 && input_.options.tolerance >= 1e-5;
  operator_ = std::make_unique<DeviceFftOperator>(
      *host_,
      single ? DeviceFft::Numbers::complex_single : DeviceFft::Numbers::complex_double,
      monitor.part(0.5, 1), owner_.others(),
      plan.preconditioner == PreconditionerChoice::overlap);
  if (input_.wavenumbers.count <= 1) operator_->drop_places();
}

void DeviceFftSystem::make_preconditioner(const Monitor& monitor) {
  if (method_.preconditioner == PreconditionerChoice::none) return;
  if (method_.preconditioner == PreconditionerChoice::block) {
    preconditioner_ = host_->make_preconditioner(method_.preconditioner, monitor);
    return;
  }
  const DeviceBlockReader read = with_loads(
      block_reader(*operator_->fill(), exact_.medium, host_->places()), loads_);
  if (method_.preconditioner == PreconditionerChoice::two_level)
    device_preconditioner_ = make_two_level(read, monitor);
  else
    device_preconditioner_ = make_schwarz(read, monitor);
}

std::unique_ptr<DevicePreconditioner> DeviceFftSystem::make_schwarz(
    const DeviceBlockReader& read, const Monitor& monitor) {
  SchwarzGeometry made;
  if (!geometry_.valid()) made = make_geometry({method_.boxes, method_.coarse}, monitor);
  const SchwarzGeometry& geometry = geometry_.valid() ? geometry_.get() : made;
  const CoarseSpace& space = geometry.space;
  auto boxes = std::make_unique<DeviceOverlapPreconditioner>(
      geometry.boxes, read, geometry.couplings ? monitor.part(0, 0.7) : monitor,
      DeviceOverlapPreconditioner::Sharing::where_faster,
      OverlapOwners{.sharing = owner_.others()});
  if (!geometry.couplings) return boxes;
  monitor.report("preconditioner", 0.7);
  const std::vector<std::uint32_t> places = host_->places();
  const DeviceTiles coarse = device_coarse_matrix(
      space, *geometry.couplings,
      {*operator_->fill(), exact_.k_rad_per_m, exact_.medium, places, loads_}, monitor);
  return std::make_unique<DeviceTwoLevelSchwarz>(
      *operator_, std::move(boxes), space.prolongation, space.restriction, coarse);
}

std::unique_ptr<DevicePreconditioner> DeviceFftSystem::make_two_level(
    const DeviceBlockReader& read, const Monitor& monitor) const {
  const BlockModes modes = modes_of(FunctionPlaces(input_.discretization).blocks(), read);
  monitor.report("preconditioner", 0.2);
  const ModeCoupling coupling = mode_coupling(modes, exact_, host_->entries());
  monitor.report("preconditioner", 0.5);
  const DeviceStream stream;
  DeviceTiles coarse({modes.size()}, Storage::complex_single);
  group_couplings(coupling.groups, exact_.k_rad_per_m, exact_.medium, coarse, stream);
  add_updates(coarse, coupling.near, stream);
  monitor.report("preconditioner", 0.6);
  return std::make_unique<DeviceModePreconditioner>(modes, coarse);
}

std::vector<Complex> DeviceFftSystem::exact_rows(std::span<const std::uint32_t> rows,
                                                 std::span<const Complex> current) const {
  if (!operator_->fill() || exact_.surface)
    return MatrixFreeSystem::exact_rows(rows, current);
  const std::vector<std::uint32_t> near = functions_near(exact_, rows);
  // Thick wires are near to all others.
  if (2 * near.size() > current.size())
    return MatrixFreeSystem::exact_rows(rows, current);
  const std::vector<std::uint32_t> place = host_->places();
  LargeVector<Complex> far(current.size());
  for_each_cheap(far.size(), [&](std::size_t m) { far[place[m]] = current[m]; });
  for (const std::uint32_t m : near) far[place[m]] = 0;
  std::vector<std::uint32_t> places;
  for (const std::uint32_t row : rows) places.push_back(place[row]);
  const DeviceStream& stream = operator_->stream();
  std::vector<Complex> products = operator_->fill()->far_products(
      places, exact_.limit(), uploaded(far, "rows of the matrix", stream).data(),
      exact_.medium, ground_table(), stream);
  std::vector<Complex> entries(rows.size() * near.size());
  constexpr std::size_t columns_at_once = 64;
  for_each_parallel(
      (near.size() + columns_at_once - 1) / columns_at_once, [&](std::size_t part) {
        const std::size_t first = part * columns_at_once,
                          count = std::min(columns_at_once, near.size() - first);
        read_entries(
            exact_, rows, std::span(near).subspan(first, count),
            std::span(entries).subspan(first * rows.size(), count * rows.size()));
      });
  for (std::size_t j = 0; j < near.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      products[i] += entries[i + j * rows.size()] * current[near[j]];
  return products;
}

std::vector<SolveResult> DeviceFftSystem::iterate(std::span<const Complex> v,
                                                  std::span<Complex> current,
                                                  const SolverControl& control) {
  const Recurrence recurrence = method_.solver;
  const SolverControl limits = control_for(method_, control);
  if (!device_preconditioner_)
    return solve_rhs(recurrence, *operator_, preconditioner_.get(), v, current, limits);
  return solve_rhs(recurrence, *operator_, device_preconditioner_.get(), v, current,
                   limits, placement_of(input_.options.placement));
}

}  // namespace thinwire
