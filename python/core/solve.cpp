#include <omp.h>

#include <cmath>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "kernels/base/stopwatch.h"
#include "mom/plan/measure_cpu.h"
#include "mom/plan/planner.h"
#include "mom/solve.h"
#include "mom/warnings/model_warnings.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::usage, text);
}

template <class T>
constexpr const char* kind_of() {
  if constexpr (std::is_same_v<T, std::string>)
    return "a text";
  else if constexpr (std::is_same_v<T, bool>)
    return "True or False";
  else
    return std::is_integral_v<T> ? "a whole number" : "a number";
}

/// Options that Python gave, by the names of the command line.
class Given {
 public:
  explicit Given(const nb::dict& values) : values_(values) {}

  bool has(const char* name) const { return values_.contains(name); }
  template <class T>
  T value(const char* name, T standard) const {
    if (!has(name)) return standard;
    const nb::object given = values_[name];
    T value{};
    if (!nb::try_cast(given, value))
      refuse(fmt::format("{} must be {} (got {}).", name, kind_of<T>(),
                         nb::repr(given).c_str()));
    return value;
  }
  std::string word(const char* name, const char* standard) const {
    return value<std::string>(name, standard);
  }

 private:
  const nb::dict& values_;
};

void refuse_contradictions(const Given& given, const Options& options) {
  if (options.solver == SolverChoice::direct) {
    if (options.preconditioner != PreconditionerChoice::automatic &&
        options.preconditioner != PreconditionerChoice::none)
      refuse(
          "precond contradicts solver='direct', which needs none. Leave one of them "
          "out.");
    if (given.has("max_iterations"))
      refuse(
          "max_iterations contradicts solver='direct', which has none. Leave one of "
          "them out.");
  }
  if (options.device.kind == DeviceRequest::Kind::cpu && given.has("placement"))
    refuse(
        "placement contradicts device='cpu': it selects what runs on a GPU. Leave one of "
        "them out.");
  if (options.operator_choice == OperatorChoice::dense && given.has("operator_tolerance"))
    refuse(
        "operator_tolerance: the dense matrix has no error to bound. Leave it out, or "
        "use operator='auto', 'toeplitz' or 'fft'.");
}

}  // namespace

Options options_from(const nb::dict& values) {
  const Given given(values);
  Options options;
  options.solver = choice_named<SolverChoice>("solver", given.word("solver", "auto"));
  options.preconditioner =
      choice_named<PreconditionerChoice>("precond", given.word("precond", "auto"));
  options.boxes = boxes_named("boxes", given.word("boxes", "auto"));
  options.coarse = choice_named<SwitchChoice>("coarse", given.word("coarse", "auto"));
  options.operator_choice =
      choice_named<OperatorChoice>("operator", given.word("operator", "auto"));
  options.operator_tolerance =
      given.value("operator_tolerance", options.operator_tolerance);
  options.tolerance = given.value("tolerance", options.tolerance);
  options.max_iterations = given.value("max_iterations", options.max_iterations);
  options.device = device_named("device", given.word("device", "auto"));
  options.placement =
      choice_named<PlacementChoice>("placement", given.word("placement", "resident"));
  options.precision =
      choice_named<PrecisionChoice>("precision", given.word("precision", "double"));
  options.mesh = choice_named<MeshChoice>("mesh", given.word("mesh", "graded"));
  options.refinement = given.value("refine", options.refinement);
  options.kernel = choice_named<GreensKernel>("kernel", given.word("kernel", "exact"));
  options.proximity =
      choice_named<SwitchChoice>("proximity", given.word("proximity", "auto"));
  options.sweep = choice_named<SweepChoice>("sweep", given.word("sweep", "full"));
  options.threads = given.value("threads", options.threads);
  options.save_matrix = given.value("save_matrix", false);
  options.port_matrix = given.value("port_matrix", false);
  options.reference_ohm = given.value("z0", options.reference_ohm);
  if (options.max_iterations < 0)
    refuse(fmt::format("max_iterations must not be negative (got {}).",
                       options.max_iterations));
  if (options.threads < 0 || options.threads > 4096)
    refuse(fmt::format("threads must be 0 to 4096 (got {}).", options.threads));
  if (!(options.reference_ohm > 0 && std::isfinite(options.reference_ohm)))
    refuse(fmt::format("z0 must be a positive number of ohm (got {:g}).",
                       options.reference_ohm));
  refuse_contradictions(given, options);
  return options;
}

void refuse_idle_placement(Planner& planner, const Options& options) {
  if (!planner.choose(options).gpu)
    refuse(
        "placement selects what runs on a GPU, but this is solved on the CPU. Leave it "
        "out, "
        "or give device='cuda'.");
}

void choose_cpu_rates(Planner& planner, Options& options) {
  constexpr double worth_measuring_s = 0.2;
  if (options.device.kind == DeviceRequest::Kind::cuda ||
      options.precision != PrecisionChoice::in_double || options.threads == 1)
    return;
  if (planner.seconds_on_cpu(options) < worth_measuring_s) return;
  static std::mutex mutex;
  static std::map<int, CpuRates> measured;
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  const std::lock_guard lock(mutex);
  auto known = measured.find(threads);
  if (known == measured.end())
    known = measured.emplace(threads, measured_cpu_rates(threads)).first;
  options.cpu_rates = known->second;
}

namespace {

/// Solves the input of `solved`. placed: the user chose a placement.
void solve_into(Solved& solved, bool placed, const Monitor& monitor) {
  double total_s = solved.input->read_s;
  {
    const Stopwatch watch(total_s);
    const Problem& problem = solved.problem();
    Options used = solved.options;
    Options heard = used;
    heard.monitor = monitor;
    Planner planner(problem, heard);
    // First, so that nothing wakes threads that are not needed.
    if (planner.is_for_one_thread(used)) used.threads = 1;
    std::vector<std::string> warnings = solved.input->warnings;
    for (std::string& text : model_warnings(problem, used))
      warnings.push_back(std::move(text));
    if (placed) refuse_idle_placement(planner, used);
    choose_cpu_rates(planner, used);
    used.monitor = monitor;
    planner.choose(used);
    solved.solution = solve(planner);
    std::vector<std::string>& all = solved.solution.warnings;
    all.insert(all.begin(), warnings.begin(), warnings.end());
  }
  solved.solution.timings_s.read = solved.input->read_s;
  solved.solution.timings_s.total = total_s;
}

/// True for a solve that is over before a user could stop it: handing it to another
/// thread would take a tenth of its time.
bool is_instant(const Problem& problem, const Options& options) {
  constexpr std::size_t max_segments = 50, max_frequencies = 3;
  const auto is_plain = [](const Run& run) {
    return !run.waves && run.patterns.empty() && run.near_fields.empty() &&
           run.frequency_hz.size() <= max_frequencies && !run.ground.is_real();
  };
  return options.threads <= 1 && options.refinement == 1 &&
         options.device.kind != DeviceRequest::Kind::cuda &&
         problem.structure.segments().size() <= max_segments &&
         problem.runs.size() == 1 && is_plain(problem.runs[0]) &&
         problem.parameters.empty();
}

std::unique_ptr<Solved> solve_all(std::shared_ptr<ReadProblem> input,
                                  const nb::dict& given_options, nb::object progress) {
  auto solved = std::make_shared<Solved>();
  solved->input = input;
  solved->options = options_from(given_options);
  solved->options.keep_coefficients = true;
  const bool placed = Given(given_options).has("placement");
  if (is_instant(solved->problem(), solved->options)) {
    const nb::gil_scoped_release release;
    solve_into(*solved, placed, {});
  } else {
    run_interruptibly(
        [solved, placed](const Monitor& monitor) {
          solve_into(*solved, placed, monitor);
        },
        std::move(progress));
  }
  return std::make_unique<Solved>(std::move(*solved));
}

}  // namespace

void bind_solve(nb::module_& m) {
  m.def("solve", &solve_all, nb::arg("problem"), nb::arg("options"),
        nb::arg("progress").none());
}

}  // namespace thinwire::python
