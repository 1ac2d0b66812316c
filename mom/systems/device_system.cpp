#include "mom/systems/device_system.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cg/impedance_matrix.h"
#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_overlap.h"
#include "cg/precondition/two_level.h"
#include "cg/vector_ops.h"
#include "kernels/base/error.h"
#include "kernels/base/large_vector.h"
#include "kernels/fields/far_field.h"
#include "kernels/fields/near_field.h"
#include "kernels/ground/box_fitter.h"
#include "mom/media/real_ground.h"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/equal_sets.h"
#include "mom/systems/device_fft_system.h"
#include "mom/systems/device_toeplitz_system.h"

namespace thinwire {
namespace {

/// Rounds of refinement after which what is left is rounding.
constexpr int max_refinements = 6;

Storage storage_of(const Options& options) {
  return options.precision == PrecisionChoice::in_double ? Storage::complex_double
                                                         : Storage::complex_single;
}

/// The largest wave number tells near pairs from far ones.
DeviceFill make_fill(const SystemInput& input, const DeviceOwner& owner) {
  return DeviceFill(input.discretization.elements(),
                    input.discretization.basis().functions(), input.options.kernel,
                    input.medium, input.wavenumbers.last, {},
                    owner.share(PackedTiles{input.discretization.unknowns()}));
}

class DeviceBackend final : public Backend {
 public:
  explicit DeviceBackend(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::unique_ptr<System> make_system(const SystemInput& input) const override {
    if (input.operator_choice == OperatorChoice::fft)
      return std::make_unique<DeviceFftSystem>(input);
    if (input.discretization.lattice())
      return std::make_unique<DeviceToeplitzSystem>(input);
    return std::make_unique<DeviceSystem>(input);
  }
  void far_field(const CurrentMoments& moments, std::span<const Direction> directions,
                 double k_rad_per_m, std::span<Complex> e_theta_v,
                 std::span<Complex> e_phi_v) const override {
    device_far_field(moments, directions, k_rad_per_m, e_theta_v, e_phi_v);
  }
  void electric_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> e_v_per_m) const override {
    device_electric_field(sources, points_m, k_rad_per_m, e_v_per_m);
  }
  void magnetic_field(const NearFieldSources& sources, std::span<const Vec3> points_m,
                      double k_rad_per_m, std::span<Complex> h_a_per_m) const override {
    device_magnetic_field(sources, points_m, k_rad_per_m, h_a_per_m);
  }
  // A quarter of a second; each call copies the currents to the GPU, 20 ms for 65,520.
  double terms_at_once() const override { return 2e10; }
  double max_power_terms() const override { return 4e10; }

 private:
  std::string name_;
};

}  // namespace

Placement placement_of(PlacementChoice choice) {
  switch (choice) {
    case PlacementChoice::product:
      return Placement::product;
    case PlacementChoice::graph:
      return Placement::graph;
    case PlacementChoice::resident:
      break;
  }
  return Placement::resident;
}

std::unique_ptr<Backend> make_device_backend(std::string name) {
  return std::make_unique<DeviceBackend>(std::move(name));
}

DeviceSystem::DeviceSystem(const SystemInput& input, DeviceOwner owner)
    : input_(input),
      owner_(std::move(owner)),
      storage_(storage_of(input.options)),
      mixed_(input.options.precision == PrecisionChoice::mixed),
      fill_(make_fill(input, owner_)),
      host_fill_(input, device_box_fitter),
      real_ground_(input.discretization.elements(), input.wavenumbers,
                   input.options.kernel, {input.table_error(), device_box_fitter}),
      tiles_(PackedTiles{input.discretization.unknowns()}, storage_,
             owner_.share(PackedTiles{input.discretization.unknowns()})),
      operator_(tiles_, input.options.symv, owner_.others()) {
  if (mixed_) {
    x_ = {tiles_.layout().padded(), "vectors of the refinement"};
    y_ = {tiles_.layout().padded(), "vectors of the refinement"};
    x_.clear(stream_);
  }
  const DeviceExchange* others = owner_.others();
  if (others != nullptr && !others->detour().empty())
    notes_.push_back({fmt::format("GPUs exchange vectors through their hosts' memory: {}",
                                  others->detour()),
                      ""});
}

void DeviceSystem::fill(const FillParameters& parameters, const SolverPlan& plan,
                        const Monitor& monitor) {
  preconditioner_.reset();
  direct_.reset();
  if (owner_.others() != nullptr) owner_.others()->start_anew();
  ground_ = parameters.ground;
  if (wants_host_fill(input_.discretization.elements(), ground_)) {
    fill_on_host(parameters, monitor);
  } else {
    fill_on_device(parameters, plan, monitor);
  }
  loads_ = parameters.loads.updates();
  add_updates(tiles_, loads_, stream_);
  stream_.synchronize();
  monitor.report("fill", 1);
}

void DeviceSystem::fill_on_host(const FillParameters& parameters,
                                const Monitor& monitor) {
  if (owner_.others() != nullptr) {
    const TileShare share = tiles_.share();
    LargeVector<Complex> z(share.entries());
    constexpr double first = HostFill::rules_share;
    fill_impedance(host_fill_.rules(parameters, share.entries() * sizeof(Complex),
                                    monitor.part(0, first)),
                   share, z, monitor.part(first, 1));
    tiles_.upload(z, stream_);
    return;
  }
  ImpedanceMatrix z(input_.discretization.unknowns());
  host_fill_.fill(parameters, ImpedanceMatrix::bytes(z.size()), z.tiles(), monitor);
  tiles_.upload(z.tiles(), stream_);
}

void DeviceSystem::fill_on_device(const FillParameters& parameters,
                                  const SolverPlan& plan, const Monitor& monitor) {
  prepare_near_pairs(plan);
  // Other loads or another ground leave the near pairs as they are.
  if (parameters.k_rad_per_m != near_k_rad_per_m_)
    fill_.set_wavenumber(parameters.k_rad_per_m);
  near_k_rad_per_m_ = parameters.k_rad_per_m;
  if (ground_.is_real()) {
    const RealGround& ground = real_ground_.at(ground_, parameters.k_rad_per_m, monitor);
    // The table is good to 1e-7 itself; in single precision it costs a quarter less.
    fill_.set_ground(ground.table(), ground.near(), Storage::complex_single);
    fill_.fill_over_ground(tiles_, stream_);
  } else {
    fill_.fill(tiles_, medium_of(ground_), stream_);
  }
}

/// Called once, when the matrix has its memory. The table of near pairs may take a
/// quarter of what the solver leaves free. Where other programs leave too little for it,
/// every frequency is integrated instead, and results differ by 1e-9.
void DeviceSystem::prepare_near_pairs(const SolverPlan& plan) {
  if (near_pairs_ready_) return;
  const std::size_t free = current_device().free_bytes;
  fill_.tabulate_near_pairs(input_.wavenumbers, (free - std::min(plan.bytes, free)) / 4);
  near_pairs_ready_ = true;
}

void DeviceSystem::prepare(Method method, const Monitor& monitor) {
  method_ = method;
  preconditioner_.reset();
  direct_.reset();
  if (method.solver == SolverChoice::direct) {
    direct_ = std::make_unique<DeviceDirectSolver>(operator_, method.products);
  } else if (method.preconditioner != PreconditionerChoice::none) {
    if (method.preconditioner == PreconditionerChoice::overlap) {
      preconditioner_ = std::make_unique<DeviceOverlapPreconditioner>(
          overlapping_sets(input_.discretization, method.boxes, image_medium_of(ground_),
                           loads_, monitor),
          block_reader(tiles_, owner_.others()), monitor,
          DeviceOverlapPreconditioner::Sharing::where_faster,
          OverlapOwners{.reading = owner_.others()});
      return;
    }
    const auto sets = FunctionPlaces(input_.discretization).blocks();
    if (method.preconditioner == PreconditionerChoice::two_level)
      preconditioner_ = std::make_unique<DeviceTwoLevelPreconditioner>(
          tiles_, sets, TwoLevelPreconditioner::modes_for(sets.size()), owner_.others());
    else
      preconditioner_ =
          std::make_unique<DeviceBlockPreconditioner>(tiles_, sets, owner_.others());
  }
}

bool DeviceSystem::direct_fits() const {
  const std::size_t free =
      current_device().free_bytes + (preconditioner_ ? preconditioner_->bytes() : 0);
  return DeviceLdlt::bytes(tiles_.layout().n, LdltProducts::tf32, operator_.owners()) <
         operator_.min_of_owners(free);
}

std::vector<SolveResult> DeviceSystem::solve(std::span<const Complex> v,
                                             std::span<Complex> current,
                                             const SolverControl& control) {
  std::fill(current.begin(), current.end(), 0.0);
  const std::size_t n = operator_.size();
  if (owner_.others() != nullptr) owner_.others()->start_anew();
  if (!direct_ && !mixed_) {
    try {
      return solve_rhs(method_.solver, operator_, preconditioner_.get(), v, current,
                       control_for(method_, control),
                       placement_of(input_.options.placement));
    } catch (const Error& error) {
      // Several owners must all continue in the same way: GroupSystem ensures that. Ranks
      // end; their plan has counted all right-hand sides.
      if (error.kind() != ErrorKind::memory || v.size() == n || operator_.owners() > 1)
        throw;
      // One after another they take a quarter of it.
      std::fill(current.begin(), current.end(), 0.0);
    }
  }
  std::vector<SolveResult> results;
  for (std::size_t first = 0; first < v.size(); first += n) {
    const auto rhs = v.subspan(first, n);
    const auto of_side = current.subspan(first, n);
    results.push_back(mixed_ ? refine(rhs, of_side, control)
                             : run(rhs, of_side, control));
  }
  return results;
}

/// Solves with the matrix as stored.
SolveResult DeviceSystem::run(std::span<const Complex> v, std::span<Complex> current,
                              const SolverControl& limits) {
  return direct_ ? run_direct(v, current, limits) : run_iterative(v, current, limits);
}

SolveResult DeviceSystem::run_direct(std::span<const Complex> v,
                                     std::span<Complex> current,
                                     const SolverControl& limits) {
  // Its refinement costs a product a step: as far as single storage allows, or double.
  const double reachable = storage_ == Storage::complex_double ? 1e-10 : 1e-7;
  const std::string before = direct_->fallback();
  SolveResult result = direct_->solve(v, current, limits, reachable);
  if (direct_->fallback() != before)
    notes_.push_back({"direct solver: " + direct_->fallback(), direct_->fallback()});
  return result;
}

SolveResult DeviceSystem::run_iterative(std::span<const Complex> v,
                                        std::span<Complex> current,
                                        const SolverControl& limits) {
  return thinwire::solve(method_.solver, operator_, preconditioner_.get(), v, current,
                         control_for(method_, limits),
                         placement_of(input_.options.placement));
}

/// r = V - Z I, Z in double and never stored.
void DeviceSystem::residual(std::span<const Complex> v, std::span<const Complex> current,
                            std::span<Complex> r) {
  x_.upload(current, stream_);
  if (ground_.is_real())
    fill_.multiply_over_ground(tiles_.share(), x_.data(), y_.data(), stream_);
  else
    fill_.multiply(tiles_.share(), x_.data(), y_.data(), medium_of(ground_), stream_);
  if (owner_.others() != nullptr)
    owner_.others()->sum(y_.data(), tiles_.layout().padded(), stream_);
  copy_bytes(r.data(), y_.data(), r.size_bytes(), stream_);
  stream_.synchronize();
  for (const MatrixUpdate& load : loads_) {
    r[load.row] += load.value * current[load.column];
    if (load.row != load.column) r[load.column] += load.value * current[load.row];
  }
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = v[i] - r[i];
}

/// Iterative refinement (Wilkinson 1963): corrections from the matrix in single,
/// residuals from the matrix in double.
SolveResult DeviceSystem::refine(std::span<const Complex> v, std::span<Complex> current,
                                 const SolverControl& control) {
  const double tolerance = control.tolerance, v_norm = norm2(v);
  SolveResult result;
  result.residual_history = {v_norm > 0 ? 1.0 : 0.0};
  if (v_norm == 0) return result;
  std::vector<Complex> r(v.begin(), v.end()), correction(v.size());
  double now = 1;
  // Steps of the direct solver's refinement are not what the user limits.
  const int most = direct_ ? 0 : control.max_iterations;
  for (int round = 0; round < max_refinements; ++round) {
    std::fill(correction.begin(), correction.end(), 0.0);
    // Half the tolerance, so that rounding of the stored matrix has the other half;
    // never so little that single storage could not give it.
    SolverControl limits = control;
    limits.tolerance = std::max(0.5 * tolerance / now, 1e-7);
    if (most > 0) limits.max_iterations = most - result.iterations;
    const SolveResult part = run(r, correction, limits);
    result.iterations += part.iterations;
    for (std::size_t i = 1; i < part.residual_history.size(); ++i)
      result.residual_history.push_back(now * part.residual_history[i]);
    axpy(1.0, correction, current);
    residual(v, current, r);
    const double before = now;
    now = norm2(r) / v_norm;
    // Ranks whose processors round in different ways go on alike.
    if (input_.ranks != nullptr) {
      input_.ranks->broadcast(r, 0);
      input_.ranks->broadcast(std::span(&now, 1), 0);
    }
    result.residual_history.back() = result.relative_residual = now;
    if (now <= tolerance) {
      result.status = SolveStatus::converged;
      return result;
    }
    if (most > 0 && result.iterations >= most) {
      result.status = SolveStatus::max_iterations;
      return result;
    }
    // Written so that NaN ends here too.
    if (!(now < 0.5 * before)) break;
  }
  result.status = SolveStatus::breakdown;
  return result;
}

SpreadTiles DeviceSystem::spread() const {
  return {tiles_.layout(), tiles_.share(),
          owner_.owners != nullptr ? *owner_.owners : serial_comm(),
          [this](std::size_t first, std::span<Complex> to) { download(first, to); }};
}

/// This GPU's tiles from number `first` on, to the host. Waits.
void DeviceSystem::download(std::size_t first, std::span<Complex> to) const {
  const std::byte* const from = static_cast<const std::byte*>(tiles_.data()) +
                                tiles_.share().offset(first) * bytes_an_entry(storage_);
  if (storage_ == Storage::complex_double) {
    copy_bytes(to.data(), from, to.size_bytes(), stream_);
    stream_.synchronize();
  } else {
    std::vector<std::complex<float>> single(to.size());
    copy_bytes(single.data(), from, single.size() * sizeof(single[0]), stream_);
    stream_.synchronize();
    std::copy(single.begin(), single.end(), to.begin());
  }
}

}  // namespace thinwire
