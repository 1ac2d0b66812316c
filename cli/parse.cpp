#include "cli/parse.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

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
  std::vector<std::string> names = {"help", "help-all"};
  for (const auto& option : options.options()) names.push_back(option->long_name());
  return did_you_mean(unknown, names, "--", "");
}

/// Attaches the words of options that may be without one: --json=full. Boost would take
/// any next word.
std::vector<std::string> with_optional_words(const std::string& command,
                                             std::vector<std::string> words,
                                             const po::options_description& options) {
  for (const auto& option : options.options()) {
    const auto* value = dynamic_cast<const OptionalWord*>(option->semantic().get());
    if (!value) continue;
    const std::string name = "--" + option->long_name();
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == name) {
        const bool has_word = i + 1 < words.size() && value->takes(words[i + 1]);
        words[i] = name + '=' + (has_word ? words[i + 1] : value->without);
        if (has_word) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else if (words[i].starts_with(name + '=') &&
                 !value->takes(words[i].substr(name.size() + 1)))
        throw Error(
            ErrorKind::usage,
            fmt::format("{}: {} takes {} or none (got '{}').", command, name,
                        value->is_number() ? "a number" : "the word " + value->word,
                        words[i].substr(name.size() + 1)));
  }
  return words;
}

}  // namespace

bool OptionalWord::is_number() const {
  return std::isupper(static_cast<unsigned char>(word.front())) != 0;
}

bool OptionalWord::takes(const std::string& given) const {
  if (!is_number()) return given == word;
  char* end = nullptr;
  (void)std::strtod(given.c_str(), &end);
  return !given.empty() && *end == '\0';
}

po::variables_map parse(const std::string& command, const std::vector<std::string>& words,
                        const po::options_description& options, const char* positional) {
  try {
    po::positional_options_description places;
    if (*positional) {
      const bool several = options.find(positional, false).semantic()->is_composing();
      places.add(positional, several ? -1 : 1);
    }
    po::variables_map values;
    namespace style = po::command_line_style;
    po::store(po::command_line_parser(with_optional_words(command, words, options))
                  .options(options)
                  .positional(places)
                  .style(style::unix_style & ~style::allow_guessing)
                  .run(),
              values);
    po::notify(values);
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

bool given(const po::variables_map& values, const char* name) {
  return values.count(name) > 0 && !values[name].defaulted();
}

std::string text_of(const po::variables_map& values, const char* name) {
  return values.count(name) ? values[name].as<std::string>() : "";
}

po::typed_value<std::string>* choice(const std::string& words) {
  return po::value<std::string>()
      ->default_value(words.substr(0, words.find('|')))
      ->value_name(words);
}

po::typed_value<std::string>* file_name() {
  return po::value<std::string>()->value_name("FILE");
}

po::options_description solver_options() {
  po::options_description options;
  options.add_options()  //
      ("solver", choice(names_of<SolverChoice>()),
       "LDL^T factorisation (direct) or an iterative method")  //
      ("precond", choice("auto|none|block|two-level|overlap"),
       "preconditioner of iterative methods")  //
      ("boxes",
       po::value<std::string>()->default_value("auto")->value_name("SIDE,OVERLAP"),
       "box size and overlap of --precond overlap, in cells (typical elements)")  //
      ("coarse", choice("auto|off|on"),
       "coarse level of --precond overlap (auto: where it saves time)")  //
      ("operator", choice("auto|dense|toeplitz|fft"),
       "dense matrix, lattice of equal antennas (toeplitz) or uniform grid (fft)")  //
      ("operator-tolerance",
       po::value<double>()->default_value(1e-5, "1e-5")->value_name("X"),
       "target relative error of toeplitz and fft; solve warns where it is exceeded")  //
      ("tolerance", po::value<double>()->default_value(1e-6, "1e-6")->value_name("X"),
       "relative residual of iterative solvers")  //
      ("max-iterations", po::value<int>()->default_value(0)->value_name("N"),
       "iteration limit (default 0: chosen from the number of unknowns)")  //
      ("device", choice("auto|cpu|cuda|cuda:N"),
       "CPU or GPU; several GPUs: cuda:0,1 or cuda:all")  //
      ("placement", choice("resident|product|graph"),
       "part of an iteration on the GPU: all of it, products alone, or all as a CUDA "
       "graph")  //
      ("precision", choice("double|mixed|single"),
       "precision of the matrix on a GPU; mixed: single, refined in double")  //
      ("mesh", choice("graded|as-given"),
       "refine at open ends, sources, loads, or keep the segments")  //
      ("refine", po::value<int>()->default_value(1)->value_name("N"),
       "divide every element of the mesh into N: 1, 2, 4 .. 64")  //
      ("kernel", choice("exact|reduced"),
       "thin-wire kernel: exact, or close to NEC-2's")  //
      ("proximity", choice("auto|off|on"),
       "let charge and current vary around close wires (auto: wherever it can)")  //
      ("threads", po::value<int>()->default_value(0)->value_name("N"),
       "CPU threads (default 0: all cores, one for short solves)");
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
  options.coarse = choice_named<SwitchChoice>("--coarse", word("coarse"));
  check_overlap(options);
  options.operator_choice = choice_named<OperatorChoice>("--operator", word("operator"));
  options.operator_tolerance = values["operator-tolerance"].as<double>();
  if (!(options.operator_tolerance >= 1e-9 && options.operator_tolerance < 1))
    throw Error(ErrorKind::usage,
                fmt::format("--operator-tolerance must be between 1e-9 and 1 (got {}).",
                            options.operator_tolerance));
  options.mesh = choice_named<MeshChoice>("--mesh", word("mesh"));
  options.refinement = values["refine"].as<int>();
  options.kernel = choice_named<GreensKernel>("--kernel", word("kernel"));
  options.proximity = choice_named<SwitchChoice>("--proximity", word("proximity"));
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
