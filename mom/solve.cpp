#include "mom/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <omp.h>

#include "cg/direct/direct.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/fill/fill.h"
#include "mom/excitation.h"
#include "mom/impedance_matrix.h"
#include "mom/loads.h"
#include "mom/near_fields.h"
#include "mom/plan/device_choice.h"
#include "mom/plan/solver_choice.h"
#include "mom/radiation.h"
#include "mom/stopwatch.h"
#include "mom/system/device_system.h"
#include "mom/system/linear_solve.h"

namespace thinwire {
namespace {

/// Elements longer than this fraction of the wavelength are refused: sin kL nears its
/// zero at 1/2.
constexpr double longest_element_wavelengths = 0.45;
/// Segments longer than this resolve the current poorly.
constexpr double coarse_wavelengths = 0.2;

/// Checks what only the whole set of options can tell.
void check_options(const Options& options) {
  const std::string& device = options.device;
  const std::string number = device.starts_with("cuda:") ? device.substr(5) : "0";
  if ((device != "auto" && device != "cpu" && !device.starts_with("cuda")) ||
      (device.starts_with("cuda") && device != "cuda" && !device.starts_with("cuda:")) ||
      number.empty() || number.size() > 4 ||
      number.find_first_not_of("0123456789") != std::string::npos)
    throw Error(
        ErrorKind::usage,
        fmt::format("device must be auto, cpu, cuda or cuda:N (got '{}').", device));
  for (const auto& [name, value, words] :
       {std::tuple("placement", options.placement,
                   std::array{"product", "resident", "graph"}),
        std::tuple("precision", options.precision,
                   std::array{"double", "mixed", "single"})})
    if (std::find(words.begin(), words.end(), value) == words.end())
      throw Error(ErrorKind::usage,
                  fmt::format("{} must be {}, {} or {} (got '{}').", name, words[0],
                              words[1], words[2], value));
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("tolerance must lie between 0 and 1 (got {:g}). "
                            "Try --tolerance 1e-6.",
                            options.tolerance));
}

int thread_count(const Options& options) {
  return options.threads > 0 ? options.threads : omp_get_max_threads();
}

MeshOptions mesh_options(const Problem& problem, const Options& options) {
  MeshOptions mesh;
  mesh.graded = options.mesh == MeshChoice::graded;
  mesh.ground_contact = problem.ground_contact;
  // The reduced kernel has no limit for elements shorter than about two radii.
  if (options.kernel == KernelChoice::reduced) mesh.finest_per_radius = 4;
  for (const Run& run : problem.runs) {
    mesh.perfect_ground |= run.ground == Ground::perfect;
    for (const Source& source : run.sources) mesh.gap_segments.push_back(source.segment);
    for (const Load& load : run.loads) {
      const bool lumped = load.kind == Load::Kind::series_rlc ||
                          load.kind == Load::Kind::parallel_rlc ||
                          load.kind == Load::Kind::impedance;
      // A load spread over a whole wire has no gaps.
      if (lumped && load.first == load.last) mesh.gap_segments.push_back(load.first);
    }
  }
  mesh.ground_contact &= mesh.perfect_ground;
  std::sort(mesh.gap_segments.begin(), mesh.gap_segments.end());
  mesh.gap_segments.erase(std::unique(mesh.gap_segments.begin(), mesh.gap_segments.end()),
                          mesh.gap_segments.end());
  return mesh;
}

/// Resistance over reactance below which rounding decides. A dipole of 1 m is right to 1
/// % at 4e-20 and wrong at 2e-23 (100 and 10 Hz). Around a loop the charges' part of the
/// voltage cancels: one of 4 m is right to 0.1 % at 1e-10 and wrong at 8e-13 (100 and
/// 10 kHz).
constexpr double least_capacitive = 1e-20, least_inductive = 1e-11;

double wavenumber(double frequency_hz) {
  return 2 * pi * frequency_hz / speed_of_light_m_per_s;
}

/// Solves a problem frequency by frequency, keeping the matrix while only the sources
/// change.
class Solve {
 public:
  Solve(const Problem& problem, const Options& options)
      : problem_(problem), options_(options) {
    check_options(options);
    omp_set_num_threads(thread_count(options));
    {
      const Stopwatch watch(solution_.timings_s.mesh);
      where_ = std::make_unique<Discretisation>(problem.structure,
                                                mesh_options(problem, options));
    }
    if (where_->unknowns() == 0)
      throw Error(ErrorKind::geometry,
                  "geometry: no current can flow (every wire is one segment with free "
                  "ends). Give "
                  "each wire at least three segments.");
    solution_.segments = problem.structure.segments().size();
    solution_.unknowns = where_->unknowns();
    for (const Run& run : problem.runs) steps_ += run.frequency_hz.size();
  }

  Solution all() {
    for (std::size_t r = 0; r < problem_.runs.size(); ++r)
      for (double frequency_hz : problem_.runs[r].frequency_hz) {
        solution_.frequencies.push_back(one(r, frequency_hz));
        ++step_;
      }
    if (options_.save_matrix && system_ != nullptr)
      solution_.impedance_matrix_ohm =
          system_ == device_.get() ? device_->dense() : matrix_->dense();
    tell("done", 0);
    return std::move(solution_);
  }

 private:
  /// Shares of one frequency's work, for the progress line only.
  void tell(const char* step, double fraction) {
    if (options_.stop != nullptr && options_.stop->load())
      throw Error(ErrorKind::interrupted, "interrupted. Nothing was written.");
    if (options_.on_progress)
      options_.on_progress(
          {step, (static_cast<double>(step_) + fraction) /
                     static_cast<double>(std::max<std::size_t>(steps_, 1))});
  }

  void check_frequency(double frequency_hz) {
    const double wavelength = speed_of_light_m_per_s / frequency_hz;
    double longest = 0;
    std::size_t at = 0;
    for (std::size_t e = 0; e < where_->elements().size(); ++e)
      if (where_->elements()[e].length_m > longest) {
        longest = where_->elements()[e].length_m;
        at = where_->mesh().elements()[e].segment;
      }
    const auto text = [&] {
      return fmt::format("tag {} segment {} is {:.3g} wavelengths long at {:g} MHz",
                         problem_.structure.segments()[at].tag,
                         problem_.structure.within_tag(at), longest / wavelength,
                         frequency_hz * 1e-6);
    };
    if (longest > longest_element_wavelengths * wavelength)
      throw Error(ErrorKind::geometry,
                  fmt::format("geometry: {} (limit {}). Use more segments.", text(),
                              longest_element_wavelengths));
    if (longest > coarse_wavelengths * wavelength) warn(text() + ": use more segments");
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

  void prepare(const Run& run, double frequency_hz) {
    if (system_ != nullptr && frequency_hz == frequency_hz_ && run.ground == ground_ &&
        run.loads == loads_)
      return;
    system_ = nullptr;
    check_frequency(frequency_hz);
    const DeviceChoice& choice = device_choice();
    loads_model_ = std::make_unique<LoadModel>(*where_, run.loads, frequency_hz);
    if (const std::string large = loads_model_->too_large(); !large.empty()) warn(large);
    if (choice.gpu)
      prepare_on_gpu(choice, run, frequency_hz);
    else
      prepare_on_cpu(choice, run, frequency_hz);
    frequency_hz_ = frequency_hz;
    ground_ = run.ground;
    loads_ = run.loads;
  }

  /// Made once: what is free on a GPU is less when the matrix is there.
  const DeviceChoice& device_choice() {
    if (!choice_) {
      choice_ = choose_device(*where_, options_, workload(problem_, options_),
                              thread_count(options_));
      if (!choice_->shortage.empty()) throw Error(ErrorKind::memory, choice_->shortage);
    }
    return *choice_;
  }

  void prepare_on_cpu(const DeviceChoice& choice, const Run& run, double frequency_hz) {
    linear_.reset();
    matrix_.reset();
    matrix_ = std::make_unique<ImpedanceMatrix>(where_->unknowns());
    {
      const Stopwatch watch(solution_.timings_s.fill);
      NearPairTable& near = near_pairs();
      near.set_wavenumber(wavenumber(frequency_hz));
      const FillInput input = {
          where_->elements(), where_->basis().functions(),   wavenumber(frequency_hz),
          greens_kernel(),    run.ground == Ground::perfect, near};
      const bool filled = fill_impedance(input, matrix_->tiles(), [&](double fraction) {
        if (options_.on_progress)
          options_.on_progress({"fill", (static_cast<double>(step_) + 0.4 * fraction) /
                                            static_cast<double>(steps_)});
        return options_.stop == nullptr || !options_.stop->load();
      });
      if (!filled) tell("fill", 0.4);
      loads_model_->add_to(*matrix_);
    }
    linear_ = std::make_unique<LinearSolve>(*matrix_, choice.plan, solver_context());
    system_ = linear_.get();
  }

  void prepare_on_gpu(const DeviceChoice& choice, const Run& run, double frequency_hz) {
    if (!device_) {
      const Stopwatch watch(solution_.timings_s.fill);
      device_ = std::make_unique<DeviceSystem>(solver_context(), greens_kernel(),
                                               wavenumbers(), all_frequencies().ground);
      solution_.device = choice.name;
    }
    device_->prepare(wavenumber(frequency_hz), run.ground == Ground::perfect,
                     *loads_model_, choice.plan);
    system_ = device_.get();
  }

  LinearSolve::Context solver_context() {
    return {
        *where_,
        options_,
        solution_.timings_s,
        solution_.warnings,
        [this](const char* step, double fraction) { tell(step, 0.4 + 0.5 * fraction); },
        !loads_model_->too_large().empty()};
  }

  struct FrequencyRange {
    double lowest_hz = 1e300, highest_hz = 0;
    bool ground = false;  ///< whether any run has one
  };
  FrequencyRange all_frequencies() const {
    FrequencyRange range;
    for (const Run& run : problem_.runs) {
      range.ground |= run.ground == Ground::perfect;
      for (double f : run.frequency_hz) {
        range.lowest_hz = std::min(range.lowest_hz, f);
        range.highest_hz = std::max(range.highest_hz, f);
      }
    }
    return range;
  }

  WavenumberRange wavenumbers() const {
    const FrequencyRange range = all_frequencies();
    return {wavenumber(range.lowest_hz), wavenumber(range.highest_hz), steps_};
  }

  /// Near pairs of all frequencies of all runs.
  NearPairTable& near_pairs() {
    if (!near_) {
      near_ = std::make_unique<NearPairTable>(where_->elements(), wavenumbers(),
                                              greens_kernel(), all_frequencies().ground);
    }
    return *near_;
  }

  /// Warns once where a port's resistance is lost beside its reactance.
  void check_resistance(const PortResult& port, double frequency_hz) {
    const double r = port.impedance_ohm.real(), x = port.impedance_ohm.imag();
    const double least = x > 0 ? least_inductive : least_capacitive;
    if (resistance_warned_ || !(std::abs(r) < least * std::abs(x))) return;
    resistance_warned_ = true;
    warn(
        fmt::format("tag {} segment {}: the resistance at {:g} MHz, {:.2g} ohm beside a "
                    "reactance of {:.2g} ohm, is rounding: the frequency is too far "
                    "below the antenna's size for R, power and gain",
                    port.tag, port.segment, frequency_hz * 1e-6, r, x));
  }

  FrequencyResult one(std::size_t run_index, double frequency_hz) {
    const Run& run = problem_.runs[run_index];
    const double k = wavenumber(frequency_hz);
    prepare(run, frequency_hz);
    const Ports ports(*where_, run.sources, k);

    FrequencyResult result;
    result.run = run_index;
    result.frequency_hz = frequency_hz;
    system_->start_report();
    const std::vector<Complex> coefficients = system_->solve(ports.excitation());
    if (options_.port_matrix) result.port_impedance_ohm = port_matrix(ports);
    result.solver = system_->report();
    if (!result.solver.converged) warn(missed_tolerance(result));
    for (const Complex& c : coefficients)
      if (!std::isfinite(c.real()) || !std::isfinite(c.imag()))
        throw Error(
            ErrorKind::numeric,
            fmt::format(
                "solution at {:g} MHz is not finite: the matrix is singular. Check "
                "for overlapping wires.",
                frequency_hz * 1e-6));

    const Stopwatch watch(solution_.timings_s.post);
    result.ports = ports.results(coefficients);
    for (const PortResult& port : result.ports) {
      result.input_power_w += port.power_w;
      check_resistance(port, frequency_hz);
    }
    result.loss_power_w = loads_model_->loss_power_w(coefficients);
    result.segment_current_a = where_->centre_currents(coefficients, k);
    result.segment_charge_c_per_m = where_->centre_charges(coefficients, k);
    if (!run.patterns.empty()) {
      const Radiation radiation(*where_, coefficients, frequency_hz, greens_kernel(),
                                run.ground, device_choice().gpu);
      for (const PatternRequest& request : run.patterns) {
        tell("pattern", 0.9);
        result.patterns.push_back(
            radiation.pattern(request, result.input_power_w, result.loss_power_w));
      }
      result.radiated_power_w = radiation.radiated_power_w();
    }
    if (!run.near_fields.empty()) {
      const NearFields fields(*where_, coefficients, frequency_hz, greens_kernel(),
                              run.ground, device_choice().gpu);
      for (const NearFieldRequest& request : run.near_fields)
        result.near_fields.push_back(fields.field(request, [this](double fraction) {
          tell("near field", 0.9 + 0.1 * fraction);
        }));
    }
    return result;
  }

  /// Open-circuit impedances of the ports: the inverse of the short-circuit admittances.
  std::vector<Complex> port_matrix(const Ports& ports) {
    const std::size_t p = ports.count();
    std::vector<Complex> admittance(p * p), impedance(p * p);
    for (std::size_t j = 0; j < p; ++j) {
      const std::vector<Complex> coefficients = system_->solve(ports.unit_excitation(j));
      for (std::size_t i = 0; i < p; ++i)
        admittance[i + p * j] = ports.current(i, coefficients);
      impedance[j + p * j] = 1;
    }
    if (p > 0) DirectSolver(p, std::move(admittance)).solve(impedance);
    return impedance;
  }

  const Problem& problem_;
  const Options& options_;
  Solution solution_;
  std::unique_ptr<Discretisation> where_;
  std::size_t steps_ = 0, step_ = 0;
  bool resistance_warned_ = false;

  std::unique_ptr<NearPairTable> near_;

  std::optional<DeviceChoice> choice_;

  // The matrix in force and what it was made for.
  std::unique_ptr<ImpedanceMatrix> matrix_;
  std::unique_ptr<LoadModel> loads_model_;
  std::unique_ptr<LinearSolve> linear_;
  std::unique_ptr<DeviceSystem> device_;
  PreparedSystem* system_ = nullptr;  ///< linear_ or device_, where it was made ready
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
    solution = Solve(problem, options).all();
  }
  solution.timings_s.total = seconds;
  return solution;
}

Plan plan(const Problem& problem, const Options& options) {
  check_options(options);
  const Discretisation where(problem.structure, mesh_options(problem, options));
  const Workload work = workload(problem, options);
  const DeviceChoice choice = choose_device(where, options, work, thread_count(options));
  Plan plan;
  plan.segments = problem.structure.segments().size();
  plan.mesh_elements = where.elements().size();
  plan.unknowns = where.unknowns();
  plan.matrix_bytes = choice.matrix_bytes;
  plan.total_bytes = choice.total_bytes;
  plan.host_bytes = choice.host_bytes;
  plan.device_bytes = choice.device_bytes;
  plan.shortage = choice.shortage;
  plan.device = choice.name;
  plan.solver = name_of(choice.plan.solver);
  plan.preconditioner = name_of(choice.plan.preconditioner);
  plan.why = choice.plan.why;
  plan.predicted_seconds = predicted_seconds(choice, work.frequencies);
  return plan;
}

}  // namespace thinwire
