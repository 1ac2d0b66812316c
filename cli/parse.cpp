#include "cli/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/result/options_json.h"
#include "kernels/base/error.h"
#include "mom/plan/solver_choice.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

template <std::size_t N>
std::string join(const std::array<std::string_view, N>& words) {
  std::string list;
  for (const std::string_view word : words)
    list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

template <std::size_t N>
void check_word(const char* option, const std::string& value,
                const std::array<std::string_view, N>& words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return;
  throw Error(ErrorKind::usage, fmt::format("--{} must be one of {} (got '{}').", option,
                                            join(words), value));
}

/// The enumerator among `choices` whose name_of() is the option's value.
template <class Choice, std::size_t N>
Choice choose(const po::variables_map& values, const char* option,
              const std::array<Choice, N>& choices) {
  const std::string value = text_of(values, option);
  std::array<std::string_view, N> words;
  std::transform(choices.begin(), choices.end(), words.begin(),
                 [](Choice choice) { return name_of(choice); });
  check_word(option, value, words);
  return choices[static_cast<std::size_t>(std::find(words.begin(), words.end(), value) -
                                          words.begin())];
}

void check_device(const std::string& device) {
  if (device == "auto" || device == "cpu" || device == "cuda") return;
  const std::string number = device.starts_with("cuda:") ? device.substr(5) : "";
  if (!number.empty() && number.size() <= 4 &&
      std::all_of(number.begin(), number.end(),
                  [](char c) { return '0' <= c && c <= '9'; }))
    return;
  throw Error(
      ErrorKind::usage,
      fmt::format("--device must be auto, cpu, cuda or cuda:N (got '{}').", device));
}

void refuse_contradictions(const po::variables_map& values, const Options& options) {
  if (options.solver == SolverChoice::direct) {
    if (options.preconditioner == PreconditionerChoice::block ||
        options.preconditioner == PreconditionerChoice::two_level)
      throw Error(ErrorKind::usage,
                  "--precond contradicts --solver direct, which needs none. Leave one of "
                  "them out.");
    if (given(values, "max-iterations"))
      throw Error(ErrorKind::usage,
                  "--max-iterations contradicts --solver direct, which has none. Leave "
                  "one of them out.");
  }
  if (options.solver == SolverChoice::cocr && given(values, "placement") &&
      options.placement != "product")
    throw Error(
        ErrorKind::usage,
        fmt::format("--placement {} contradicts --solver cocr, whose vectors live "
                    "on the CPU. Use --placement product or --solver cocg.",
                    options.placement));
  if (options.device == "cpu" && given(values, "placement"))
    throw Error(ErrorKind::usage,
                "--placement contradicts --device cpu: it says what runs on a GPU. Leave "
                "one of them out.");
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
  options.add_options()                                                  //
      ("solver", word("auto"), "auto, direct, cg, cocg, cocr or gmres")  //
      ("precond", word("auto"), "auto, none, block or two-level")        //
      ("tolerance", po::value<double>()->default_value(1e-6, "1e-6")->value_name("X"),
       "relative residual at which iterations stop")  //
      ("max-iterations", po::value<int>()->default_value(0)->value_name("N"),
       "most iterations; 0: from the number of unknowns")                            //
      ("device", word("auto"), "auto, cpu, cuda or cuda:N")                          //
      ("placement", word("resident"), "on a GPU: product, resident or graph")        //
      ("precision", word("double"), "double, mixed or single")                       //
      ("mesh", word("graded"), "graded (finer at open ends and ports) or as-given")  //
      ("kernel", word("exact"), "exact or reduced (as NEC-2)")                       //
      ("threads", po::value<int>()->default_value(0)->value_name("N"),
       "CPU threads; 0: all");
  return options;
}

Options read_solver_options(const po::variables_map& values) {
  Options options;
  using S = SolverChoice;
  using P = PreconditionerChoice;
  options.solver =
      choose(values, "solver",
             std::array{S::automatic, S::direct, S::cg, S::cocg, S::cocr, S::gmres});
  options.preconditioner = choose(
      values, "precond", std::array{P::automatic, P::none, P::block, P::two_level});
  options.mesh =
      choose(values, "mesh", std::array{MeshChoice::graded, MeshChoice::as_given});
  options.kernel =
      choose(values, "kernel", std::array{KernelChoice::exact, KernelChoice::reduced});
  options.device = text_of(values, "device");
  check_device(options.device);
  options.placement = text_of(values, "placement");
  check_word("placement", options.placement,
             std::array<std::string_view, 3>{"product", "resident", "graph"});
  options.precision = text_of(values, "precision");
  check_word("precision", options.precision,
             std::array<std::string_view, 3>{"double", "mixed", "single"});
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
  refuse_contradictions(values, options);
  // The only placement that it has.
  if (options.solver == SolverChoice::cocr) options.placement = "product";
  return options;
}

}  // namespace thinwire::cli
