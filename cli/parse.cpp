#include "cli/parse.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <sstream>

#include "cli/exit_code.h"
#include "cli/openmp_wait.h"
#include "cli/option_effects.h"
#include "cli/suggestion.h"
#include "kernels/base/error.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// The nearest of the options' names to the unknown one.
std::string nearest_option(std::string_view unknown,
                           const po::options_description& options) {
  unknown.remove_prefix(std::min(unknown.find_first_not_of('-'), unknown.size()));
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back(option->long_name());
  return did_you_mean(unknown, names, "--", "");
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
    if (values.count("help") == 0 || !values["help"].as<bool>())
      refuse_idle_options(command, options, values);
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

int print_help(const std::string& text, const po::options_description& options) {
  std::ostringstream page;
  page << options;
  fmt::print("{}\n\n{}", text, page.str());
  return exit_done;
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
  po::options_description options("Solver");
  options.add_options()                                                  //
      ("solver", word("auto"), "auto, direct, cg, cocg, cocr or gmres")  //
      ("precond", word("auto"),
       "preconditioner of iterative solvers: auto, none, block, two-level or overlap")  //
      ("boxes",
       po::value<std::string>()->default_value("auto")->value_name("SIDE,OVERLAP"),
       "box size and overlap of --precond overlap, in cells (typical elements)")  //
      ("coarse", word("auto"),
       "coarse level of --precond overlap: auto (where it saves time), off or on; CPU "
       "only")  //
      ("operator", word("auto"),
       "auto, dense, toeplitz (equal antennas on a lattice) or fft (uniform grid)")  //
      ("operator-tolerance",
       po::value<double>()->default_value(1e-5, "1e-5")->value_name("X"),
       "target relative error of matrix-free operators; solve warns where it is exceeded "
       "(fft: impedances to about 1e-5 by default, 1e-6 at best)")  //
      ("tolerance", po::value<double>()->default_value(1e-6, "1e-6")->value_name("X"),
       "relative residual at which iterations stop")  //
      ("max-iterations", po::value<int>()->default_value(0)->value_name("N"),
       "iteration limit (0: chosen from the number of unknowns)")  //
      ("device", word("auto"),
       "auto, cpu, cuda, cuda:N or cuda:N,M (cuda:all for every GPU)")  //
      ("placement", word("resident"),
       "on a GPU: product (products alone), resident (whole iterations) or graph "
       "(iterations in a CUDA graph)")  //
      ("precision", word("double"),
       "double, mixed (matrix in single, residuals in double; GPU) or single (GPU)")  //
      ("mesh", word("graded"), "graded (finer at open ends and ports) or as-given")   //
      ("refine", po::value<int>()->default_value(1)->value_name("N"),
       "number of pieces that every element of the mesh is cut into: 1, 2, 4 .. 64")  //
      ("kernel", word("exact"), "exact or reduced (close to NEC-2's)")                //
      ("threads", po::value<int>()->default_value(0)->value_name("N"),
       "CPU threads (0: all cores, one for short solves)");
  return options;
}

Options read_solver_options(const po::variables_map& values,
                            std::vector<std::string>& warnings) {
  Options options;
  const auto word = [&values](const char* option) { return text_of(values, option); };
  options.solver = choice_named<SolverChoice>("--solver", word("solver"));
  options.preconditioner =
      choice_named<PreconditionerChoice>("--precond", word("precond"));
  options.boxes = boxes_named("--boxes", word("boxes"));
  options.coarse = choice_named<CoarseChoice>("--coarse", word("coarse"));
  check_overlap(options);
  options.operator_choice = choice_named<OperatorChoice>("--operator", word("operator"));
  options.operator_tolerance = values["operator-tolerance"].as<double>();
  if (!(options.operator_tolerance >= 1e-9 && options.operator_tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("--operator-tolerance must be between 1e-9 and 1 (got {}).",
                            options.operator_tolerance));
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
  // OpenMP crashes when asked for more threads than it can start.
  if (options.threads == 0 && omp_get_max_threads() > 4096)
    throw Error(ErrorKind::usage, fmt::format("OMP_NUM_THREADS must be 1..4096 (got {}).",
                                              omp_get_max_threads()));
  limit_threads(options, warnings);
  return options;
}

void refuse_usage(const std::string& text) {
  throw Error(ErrorKind::usage, text);
}

DeviceRequest one_device(const char* command, const std::string& word) {
  DeviceRequest device = device_named("--device", word);
  if (device.all || !device.beside.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: --device must name one GPU (got '{}').", command, word));
  return device;
}

}  // namespace thinwire::cli
