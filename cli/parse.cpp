#include "cli/parse.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/base/error.h"
#include "mom/plan/problem_plan.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

void refuse_contradictions(const po::variables_map& values, const Options& options) {
  if (options.solver == SolverChoice::direct) {
    if (options.preconditioner != PreconditionerChoice::automatic &&
        options.preconditioner != PreconditionerChoice::none)
      throw Error(ErrorKind::usage,
                  "--precond contradicts --solver direct, which needs none. Leave one of "
                  "them out.");
    if (given(values, "max-iterations"))
      throw Error(ErrorKind::usage,
                  "--max-iterations contradicts --solver direct, which has none. Leave "
                  "one of them out.");
  }
  if (options.device.kind == DeviceRequest::Kind::cpu && given(values, "placement"))
    throw Error(ErrorKind::usage,
                "--placement contradicts --device cpu: it says what runs on a GPU. Leave "
                "one of them out.");
}

/// Letters to change, add or drop between two words (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

/// " Did you mean --solver?" where an option is called nearly as the unknown one.
std::string nearest_option(std::string_view unknown,
                           const po::options_description& options) {
  unknown.remove_prefix(std::min(unknown.find_first_not_of('-'), unknown.size()));
  std::string nearest;
  std::size_t least = 3;
  for (const auto& option : options.options()) {
    const std::size_t d = distance(unknown, option->long_name());
    if (d < std::min(least, unknown.size())) {
      least = d;
      nearest = option->long_name();
    }
  }
  return nearest.empty() ? "" : fmt::format(" Did you mean --{}?", nearest);
}

}  // namespace

po::variables_map parse(const std::string& command, const std::vector<std::string>& words,
                        const po::options_description& options, const char* positional) {
  try {
    po::positional_options_description places;
    if (*positional) places.add(positional, 1);
    po::variables_map values;
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(words)
                  .options(options)
                  .positional(places)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              values);
    po::notify(values);
    return values;
  } catch (const po::too_many_positional_options_error&) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{0}: too many arguments: {1}. Run `thinwire help {0}`.", command,
                    *positional ? "it takes one file" : "it takes none"));
  } catch (const po::unknown_option& error) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: {}.{} Run `thinwire help {}`.", command, error.what(),
                            nearest_option(error.get_option_name(), options), command));
  } catch (const po::error& error) {
    throw Error(ErrorKind::usage, fmt::format("{}: {}. Run `thinwire help {}`.", command,
                                              error.what(), command));
  }
}

bool given(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 && !values[name].defaulted();
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) ? values[name].as<std::string>() : "";
}

po::options_description solver_options() {
  const auto word = [](const char* standard) {
    return po::value<std::string>()->default_value(standard)->value_name("WORD");
  };
  po::options_description options("How to solve");
  options.add_options()                                                     //
      ("solver", word("auto"), "auto, direct, cg, cocg, cocr or gmres")     //
      ("precond", word("auto"), "auto, none, block, two-level or overlap")  //
      ("boxes",
       po::value<std::string>()->default_value("auto")->value_name("SIDE,OVERLAP"),
       "of --precond overlap, in cells (typical elements)")  //
      ("operator", word("auto"),
       "auto, dense, toeplitz (equal antennas on a lattice) or fft (a grid)")  //
      ("operator-tolerance",
       po::value<double>()->default_value(1e-5, "1e-5")->value_name("X"),
       "target error of operators without the matrix, beyond which solve warns; fft "
       "gives impedances to about 1e-5 by default, 1e-6 at best")  //
      ("tolerance", po::value<double>()->default_value(1e-6, "1e-6")->value_name("X"),
       "relative residual at which iterations stop")  //
      ("max-iterations", po::value<int>()->default_value(0)->value_name("N"),
       "most iterations; 0: from the number of unknowns")  //
      ("device", word("auto"),
       "auto, cpu, cuda, cuda:N or cuda:N,M (cuda:all for every GPU)")               //
      ("placement", word("resident"), "on a GPU: product, resident or graph")        //
      ("precision", word("double"), "double, mixed or single")                       //
      ("mesh", word("graded"), "graded (finer at open ends and ports) or as-given")  //
      ("refine", po::value<int>()->default_value(1)->value_name("N"),
       "pieces that every element of the mesh is cut into: 1, 2, 4 .. 64")  //
      ("kernel", word("exact"), "exact or reduced (as NEC-2)")              //
      ("threads", po::value<int>()->default_value(0)->value_name("N"),
       "CPU threads; 0: all, or one for a short solve");
  return options;
}

Options read_solver_options(const po::variables_map& values) {
  Options options;
  const auto word = [&values](const char* option) { return text_of(values, option); };
  options.solver = choice_named<SolverChoice>("--solver", word("solver"));
  options.preconditioner =
      choice_named<PreconditionerChoice>("--precond", word("precond"));
  options.boxes = boxes_named("--boxes", word("boxes"));
  check_boxes(options);
  options.operator_choice = choice_named<OperatorChoice>("--operator", word("operator"));
  options.operator_tolerance = values["operator-tolerance"].as<double>();
  if (!(options.operator_tolerance >= 1e-9 && options.operator_tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("--operator-tolerance must be between 1e-9 and 1 (got {}).",
                            options.operator_tolerance));
  if (options.operator_choice == OperatorChoice::dense &&
      !values["operator-tolerance"].defaulted())
    throw Error(ErrorKind::usage,
                "--operator-tolerance: the dense matrix has no error to bound. Leave it "
                "out, or use --operator auto, toeplitz or fft.");
  options.mesh = choice_named<MeshChoice>("--mesh", word("mesh"));
  options.refinement = values["refine"].as<int>();
  options.kernel = choice_named<KernelChoice>("--kernel", word("kernel"));
  options.device = device_named("--device", word("device"));
  options.placement = choice_named<PlacementChoice>("--placement", word("placement"));
  options.precision = choice_named<PrecisionChoice>("--precision", word("precision"));
  options.tolerance = values["tolerance"].as<double>();
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw Error(ErrorKind::usage, fmt::format("--tolerance must be between 0 and 1 (got "
                                              "{}).",
                                              options.tolerance));
  options.max_iterations = values["max-iterations"].as<int>();
  if (options.max_iterations < 0)
    throw Error(ErrorKind::usage,
                fmt::format("--max-iterations must not be negative (got "
                            "{}).",
                            options.max_iterations));
  options.threads = values["threads"].as<int>();
  if (options.threads < 0 || options.threads > 4096)
    throw Error(ErrorKind::usage,
                fmt::format("--threads must be 0..4096 (got {}).", options.threads));
  // Of more than it can start OpenMP would crash.
  if (options.threads == 0 && omp_get_max_threads() > 4096)
    throw Error(ErrorKind::usage, fmt::format("OMP_NUM_THREADS must be 1..4096 (got {}).",
                                              omp_get_max_threads()));
  refuse_contradictions(values, options);
  return options;
}

void refuse_idle_placement(const po::variables_map& values, const Problem& problem,
                           const Options& options) {
  if (!given(values, "placement") || plan(problem, options).device != "cpu") return;
  throw Error(ErrorKind::usage,
              fmt::format("--placement {} says what runs on a GPU, and this is solved on "
                          "the CPU. Leave it out, or give --device cuda.",
                          name_of(options.placement)));
}

DeviceRequest one_device(const char* command, const std::string& word) {
  DeviceRequest device = device_named("--device", word);
  if (device.all || !device.beside.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: --device must name one GPU (got '{}').", command, word));
  return device;
}

}  // namespace thinwire::cli
