#include "mom/solve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/coupling.h"
#include "mom/excitation.h"
#include "mom/frequency_checks.h"
#include "mom/gpu.h"
#include "mom/incident_field.h"
#include "mom/loads.h"
#include "mom/medium.h"
#include "mom/near_fields.h"
#include "mom/plan/choose_device.h"
#include "mom/port_solution.h"
#include "mom/power.h"
#include "mom/radiation.h"
#include "mom/real_ground.h"
#include "mom/run_meshes.h"
#include "mom/stopwatch.h"
#include "mom/stored_matrix.h"
#include "mom/system/backend.h"
#include "mom/system/prepared_system.h"

namespace thinwire {
namespace {

/// Where no pattern is asked for, the power balance may take so many terms of the far
/// field, and as many more as there are entries of the matrix: 20 ms or a fifth of the
/// solve.
constexpr double few_terms = 1e6;
/// The same where Z is never made: terms for each unknown.
constexpr double few_terms_an_unknown = 200;
/// Input, radiated and lost power that differ by more than this fraction are warned of.
constexpr double largest_imbalance = 1e-3;
/// Of one frequency's work, what the matrix and its solution take; the rest are fields.
/// For the progress line only.
constexpr double solved_share = 0.9;

void check_options(const Options& options) {
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("tolerance must lie between 0 and 1 (got {:g}). "
                            "Try --tolerance 1e-6.",
                            options.tolerance));
  if (options.refinement < 1 || options.refinement > 64 ||
      (options.refinement & (options.refinement - 1)) != 0)
    throw Error(ErrorKind::usage,
                fmt::format("refinement must be 1, 2, 4, 8, 16, 32 or 64 (got {}). Try "
                            "--refine 2.",
                            options.refinement));
  if (!(options.operator_tolerance >= 1e-9 && options.operator_tolerance < 1))
    throw Error(
        ErrorKind::usage,
        fmt::format("operator tolerance must lie between 1e-9 and 1 (got {:g}). Try "
                    "--operator-tolerance 1e-5.",
                    options.operator_tolerance));
  check_boxes(options);
}

int thread_count(const Options& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

/// Resistance over reactance below which rounding decides. A dipole of 1 m is right to 1
/// % at 4e-20 and wrong at 2e-23 (100 and 10 Hz). Around a loop the charges' part of the
/// voltage cancels: one of 4 m is right to 0.1 % at 1e-10 and wrong at 8e-13 (100 and
/// 10 kHz).
constexpr double least_capacitive = 1e-20, least_inductive = 1e-11;

double wavenumber(double frequency_hz) {
  return 2 * pi * frequency_hz / speed_of_light_m_per_s;
}

WavenumberRange wavenumbers_of(const Run& run) {
  const auto [low, high] =
      std::minmax_element(run.frequency_hz.begin(), run.frequency_hz.end());
  return {wavenumber(*low), wavenumber(*high), run.frequency_hz.size()};
}

/// Solves a problem run by run and frequency by frequency, keeping the matrix while only
/// the sources change.
class Solve {
 public:
  Solve(const Problem& problem, const Options& options)
      : problem_(problem), options_(options) {
    check_options(options);
    check_real_ground(problem, options);
    omp_set_num_threads(thread_count(options));
    {
      const Stopwatch watch(solution_.timings_s.mesh);
      meshes_ = std::make_unique<RunMeshes>(problem, options);
    }
    for (std::string& warning : check_frequencies(problem, *meshes_))
      warn(std::move(warning));
    solution_.segments = problem.structure.segments().size();
    solution_.unknowns = meshes_->largest().unknowns();
    for (const Run& run : problem.runs) steps_ += run.frequency_hz.size();
  }

  Solution all() {
    for (std::size_t r = 0; r < problem_.runs.size(); ++r)
      for (const double frequency_hz : problem_.runs[r].frequency_hz) {
        solve_one(r, frequency_hz);
        ++step_;
      }
    if (options_.save_matrix && system_)
      solution_.impedance_matrix_ohm = system_->dense();
    options_.monitor.tell("done", 1);
    return std::move(solution_);
  }

 private:
  /// For one frequency.
  Monitor monitor() const {
    const auto step = static_cast<double>(step_), steps = static_cast<double>(steps_);
    return options_.monitor.part(step / steps, (step + 1) / steps);
  }

  /// For one frequency's pattern or near field, patterns first.
  Monitor field_monitor(const Run& run, std::size_t index) const {
    const auto fields = static_cast<double>(run.patterns.size() + run.near_fields.size());
    const auto here = static_cast<double>(index);
    return monitor().part(solved_share, 1).part(here / fields, (here + 1) / fields);
  }

  void warn(std::string text) {
    auto& warnings = solution_.warnings;
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end())
      warnings.push_back(std::move(text));
  }

  GreensKernel greens_kernel() const {
    return options_.kernel == KernelChoice::exact ? GreensKernel::exact
                                                  : GreensKernel::reduced;
  }

  const Backend& backend() {
    if (!place_) {
      place_ = choose_device(meshes_->largest(), options_, workload(problem_, options_),
                             thread_count(options_));
      add_reason(place_->plan, meshes_->operator_plan().why);
      if (!place_->shortage.empty()) throw Error(ErrorKind::memory, place_->shortage);
      if (place_->gpu) gpu_backend_ = require_gpu().backend();
    }
    return gpu_backend_ ? *gpu_backend_ : cpu_backend();
  }

  /// How to solve on a mesh, where the problem is solved.
  SolverPlan plan_for(const Discretisation& antenna) {
    if (&antenna == &meshes_->largest()) return place_->plan;
    return plan_there(*place_, antenna, options_, workload(problem_, options_),
                      thread_count(options_));
  }

  /// What has the images of every run on the same mesh: they are near pairs, too.
  Medium widest_medium(std::size_t run) const {
    Medium widest;
    for (std::size_t r = 0; r < problem_.runs.size(); ++r) {
      const Medium medium = medium_of(problem_.runs[r].ground);
      if (meshes_->same(run, r) && medium.sources() > widest.sources()) widest = medium;
    }
    return widest;
  }

  /// The matrix of a run's structure and frequencies: that of the run before where both
  /// agree in these.
  void take_system(std::size_t run_index) {
    const WavenumberRange range = wavenumbers_of(problem_.runs[run_index]);
    if (system_ && meshes_->same(system_run_, run_index) && range == range_) return;
    system_.reset();
    filled_ = false;
    const Backend& where = backend();
    solution_.device = where.name();
    const Stopwatch watch(solution_.timings_s.fill);
    system_ = std::make_unique<PreparedSystem>(
        where.make_system({meshes_->of(run_index), options_, range,
                           widest_medium(run_index),
                           plan_for(meshes_->of(run_index)).operator_choice}),
        PreparedSystem::Context{options_, solution_.timings_s,
                                [this](std::string text) { warn(std::move(text)); }});
    system_run_ = run_index;
    range_ = range;
  }

  void prepare(std::size_t run_index, double frequency_hz) {
    const Run& run = problem_.runs[run_index];
    take_system(run_index);
    if (filled_ && frequency_hz == frequency_hz_ && run.ground == ground_ &&
        run.loads == loads_)
      return;
    filled_ = false;
    const Discretisation& antenna = meshes_->of(run_index);
    load_model_ =
        std::make_unique<LoadModel>(antenna, run.loads, frequency_hz, run.ground);
    if (const std::string large = load_model_->too_large(); !large.empty()) warn(large);
    system_->prepare(
        {wavenumber(frequency_hz), run.ground, *load_model_, problem_.stored.get()},
        plan_for(antenna), monitor().part(0, solved_share));
    filled_ = true;
    frequency_hz_ = frequency_hz;
    ground_ = run.ground;
    loads_ = run.loads;
  }

  /// Warns once where a port's resistance is lost beside its reactance.
  void check_resistance(const PortResult& port, double frequency_hz) {
    const double r = port.impedance_ohm.real(), x = port.impedance_ohm.imag();
    if (x > 0 && system_->keeps_small_loops()) return;
    const double least = x > 0 ? least_inductive : least_capacitive;
    if (resistance_warned_ || !(std::abs(r) < least * std::abs(x))) return;
    resistance_warned_ = true;
    warn(
        fmt::format("tag {} segment {}: the resistance at {:g} MHz, {:.2g} ohm beside a "
                    "reactance of {:.2g} ohm, is rounding: the frequency is too far "
                    "below the antenna's size for R, power and gain",
                    port.tag, port.segment, frequency_hz * 1e-6, r, x));
  }

  void solve_one(std::size_t run_index, double frequency_hz) {
    const Run& run = problem_.runs[run_index];
    prepare(run_index, frequency_hz);
    if (!run.matrix_file.empty()) store(run, frequency_hz);
    if (run.sources.empty() && !run.waves) return;
    const Discretisation& antenna = meshes_->of(run_index);
    const Ports ports(antenna, run.sources, run.networks, wavenumber(frequency_hz));
    FrequencyResult result;
    result.run = run_index;
    result.frequency_hz = frequency_hz;
    system_->start(monitor().part(0, solved_share));
    if (run.waves)
      receive(*run.waves, ports, result);
    else
      transmit(ports, result);
  }

  /// Keeps the matrix in force.
  void store(const Run& run, double frequency_hz) {
    auto stored = std::make_shared<StoredMatrix>();
    stored->name = run.matrix_file;
    stored->frequency_hz = frequency_hz;
    stored->ground = run.ground;
    stored->loads = run.loads;
    stored->load_cards = run.load_cards;
    stored->mesh = options_.mesh;
    stored->refinement = options_.refinement;
    stored->kernel = options_.kernel;
    stored->gap_segments = gap_segments(run);
    stored->matrix_ohm = system_->dense();
    solution_.stored = std::move(stored);
  }

  /// For a run's sources and networks.
  void transmit(const Ports& ports, FrequencyResult result) {
    const bool plain = ports.networks().empty() && !options_.port_matrix &&
                       std::none_of(ports.sources().begin(), ports.sources().end(),
                                    [](const Source& s) { return s.current_a; });
    PortSolution solution;
    if (plain) {
      solution = solve_voltages(ports, solve_sides());
    } else {
      const PortSolver solver(ports, solve_sides());
      solution = solver.transmitting();
      if (options_.port_matrix) result.port_impedance_ohm = solver.impedance_matrix();
    }
    finish(std::move(solution), std::move(result));
  }

  /// For incident waves, some at a time: a result for each.
  void receive(const IncidentWaves& waves, const Ports& ports,
               const FrequencyResult& result) {
    const double k = wavenumber(result.frequency_hz);
    const IncidentField field(meshes_->of(result.run), k, greens_kernel(),
                              problem_.runs[result.run].ground);
    const PortSolver solver(ports, solve_sides());
    for (std::size_t first = 0; first < waves.count(); first += waves_at_once) {
      std::vector<std::vector<Complex>> sides;
      for (std::size_t i = first; i < std::min(first + waves_at_once, waves.count()); ++i)
        sides.push_back(field.excitation(waves.at(i)));
      const std::vector<std::vector<Complex>> shorted = solve_sides()(sides);
      for (std::size_t i = 0; i < shorted.size(); ++i) {
        FrequencyResult received = result;
        received.wave = waves.at(first + i);
        finish(solver.receiving(shorted[i]), std::move(received));
      }
    }
  }

  SolveSides solve_sides() {
    return [this](const std::vector<std::vector<Complex>>& excitations) {
      return system_->solve(excitations);
    };
  }

  /// What follows from the currents; adds the result to the others.
  void finish(PortSolution&& solution, FrequencyResult&& result) {
    const Run& run = problem_.runs[result.run];
    const Discretisation& antenna = meshes_->of(result.run);
    result.ports = std::move(solution.ports);
    result.network_ports = std::move(solution.network_ports);
    result.network_loss_w = solution.network_loss_w;
    result.solver = system_->report();
    if (!result.solver.converged) warn(missed_tolerance(result));
    const std::vector<Complex>& coefficients = solution.coefficients;
    check_finite(coefficients, result.frequency_hz);

    const Stopwatch watch(solution_.timings_s.post);
    const double k = wavenumber(result.frequency_hz);
    for (const PortResult& port : result.ports) {
      result.input_power_w += port.power_w;
      check_resistance(port, result.frequency_hz);
    }
    result.loss_power_w = load_model_->loss_power_w(coefficients);
    result.segment_current_a = antenna.centre_currents(coefficients, k);
    result.segment_charge_c_per_m = antenna.centre_charges(coefficients, k);
    add_far_fields(antenna, run, coefficients, result);
    add_near_fields(antenna, run, coefficients, result);
    result.couplings = couplings(problem_, solution_.frequencies, result);
    solution_.frequencies.push_back(std::move(result));
  }

  static void check_finite(std::span<const Complex> coefficients, double frequency_hz) {
    for (const Complex& c : coefficients)
      if (!std::isfinite(c.real()) || !std::isfinite(c.imag()))
        throw Error(ErrorKind::numeric,
                    fmt::format("solution at {:g} MHz is not finite: the matrix is "
                                "singular. Check for overlapping wires.",
                                frequency_hz * 1e-6));
  }

  void add_far_fields(const Discretisation& antenna, const Run& run,
                      std::span<const Complex> coefficients, FrequencyResult& result) {
    const Radiation radiation(antenna, coefficients, result.frequency_hz, greens_kernel(),
                              run.ground, backend());
    const double reference_w =
        result.wave ? scattering_reference_w(*result.wave, result.frequency_hz)
                    : result.input_power_w;
    const double loss_w = result.wave ? 0 : result.loss_power_w + result.network_loss_w;
    for (std::size_t p = 0; p < run.patterns.size(); ++p)
      result.patterns.push_back(
          radiation.pattern(run.patterns[p], reference_w, loss_w, field_monitor(run, p)));
    if (result.wave) return;
    const auto unknowns = static_cast<double>(antenna.unknowns());
    const double most_terms = !run.patterns.empty() ? 1e300
                              : plan_for(antenna).operator_choice != OperatorChoice::dense
                                  ? few_terms + few_terms_an_unknown * unknowns
                                  : few_terms + unknowns * unknowns;
    result.radiated_power_w =
        radiation.radiated_power_w(most_terms, options_.monitor.silent());
    check_power(result);
  }

  /// Warns once of powers that no passive antenna has.
  void check_power(const FrequencyResult& result) {
    if (power_warned_) return;
    // A real ground takes up some.
    const bool ground_takes = problem_.runs[result.run].ground.is_dielectric();
    // An active network (NT) may give power back.
    if (result.input_power_w < 0 && !(result.network_loss_w < 0)) {
      power_warned_ = true;
      warn(
          fmt::format("the input power at {:g} MHz is negative, {:.2g} W: R, power and "
                      "gain are wrong there",
                      result.frequency_hz * 1e-6, result.input_power_w));
    } else if (const std::optional<double> balance = power_balance(result);
               balance && !(std::abs(*balance - 1) <= largest_imbalance ||
                            (ground_takes && *balance < 1))) {
      power_warned_ = true;
      warn(fmt::format(
          "radiated and lost power at {:g} MHz are {:.6g} of the input power: "
          "R and gain are wrong by about as much",
          result.frequency_hz * 1e-6, *balance));
    }
  }

  void add_near_fields(const Discretisation& antenna, const Run& run,
                       std::span<const Complex> coefficients, FrequencyResult& result) {
    if (run.near_fields.empty()) return;
    const NearFields fields(antenna, coefficients, result.frequency_hz, greens_kernel(),
                            run.ground, backend());
    for (std::size_t n = 0; n < run.near_fields.size(); ++n)
      result.near_fields.push_back(
          fields.field(run.near_fields[n], field_monitor(run, run.patterns.size() + n)));
  }

  const Problem& problem_;
  const Options& options_;
  Solution solution_;
  std::unique_ptr<RunMeshes> meshes_;
  std::size_t steps_ = 0, step_ = 0;
  bool resistance_warned_ = false, power_warned_ = false;

  /// Made once: what is free on a GPU is less when a matrix is there.
  std::optional<DeviceChoice> place_;
  std::unique_ptr<Backend> gpu_backend_;

  // The system in force, and what it was made for.
  std::unique_ptr<PreparedSystem> system_;
  std::size_t system_run_ = 0;
  WavenumberRange range_;
  // Its matrix, and what that was filled for.
  std::unique_ptr<LoadModel> load_model_;
  bool filled_ = false;
  double frequency_hz_ = 0;
  Ground ground_ = Ground::none;
  std::vector<Load> loads_;
};

}  // namespace

Solution solve(const Problem& problem, const Options& options) {
  double seconds = 0;
  Solution solution;
  {
    const Stopwatch watch(seconds);
    const Options used = options_for_stored(problem, options);
    solution = Solve(problem, used).all();
  }
  solution.timings_s.total = seconds;
  return solution;
}

Plan plan(const Problem& problem, const Options& wanted) {
  check_options(wanted);
  const Options options = options_for_stored(problem, wanted);
  check_real_ground(problem, options);
  const RunMeshes meshes(problem, options);
  (void)check_frequencies(problem, meshes);
  const Discretisation& antenna = meshes.largest();
  const Workload work = workload(problem, options);
  DeviceChoice choice = choose_device(antenna, options, work, thread_count(options));
  add_reason(choice.plan, meshes.operator_plan().why);
  Plan plan;
  plan.segments = problem.structure.segments().size();
  plan.mesh_elements = antenna.elements().size();
  plan.unknowns = antenna.unknowns();
  plan.buried = most_buried_wires(problem, meshes);
  plan.matrix_bytes = choice.matrix_bytes;
  plan.total_bytes = choice.total_bytes;
  plan.host_bytes = choice.host_bytes;
  plan.device_bytes = choice.device_bytes;
  plan.shortage = choice.shortage;
  plan.device = choice.name;
  plan.solver = name_of(choice.plan.solver);
  plan.preconditioner = name_of(choice.plan.preconditioner);
  plan.operator_name = name_of(choice.plan.operator_choice);
  if (const Lattice* lattice = antenna.lattice()) {
    plan.lattice_antennas = lattice->antennas();
    plan.lattice_places = lattice->places;
  }
  plan.grid = choice.grid;
  plan.why = choice.plan.why;
  if (choice.plan.solver != SolverChoice::direct)
    plan.predicted_iterations = choice.plan.iterations;
  plan.blocks = choice.plan.block_count;
  plan.block_inverses = choice.plan.block_inverses;
  plan.block_bytes = choice.plan.block_bytes;
  plan.boxes = choice.plan.boxes;
  plan.boxes_asked = options.boxes.has_value();
  plan.ground_table_bytes = choice.ground.table_bytes;
  plan.ground_table_seconds = choice.ground.table_s;
  plan.predicted_seconds = predicted_seconds(choice, work);
  return plan;
}

}  // namespace thinwire
