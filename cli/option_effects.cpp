#include "cli/option_effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "cli/processes.h"
#include "kernels/base/error.h"
#include "mom/plan/planner.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// In which runs an option has an effect.
struct Row {
  std::string_view option;
  std::string_view idle_with = "";  ///< settings, any of which leaves it without
  std::string_view needs = "";      ///< an option without which it has none
  std::string_view hint = "";       ///< what to do instead
};

constexpr Row rows[] = {
    {"apply"},
    {"assembly", "list"},
    {"boxes", "solver=direct"},
    {"capacitor-q"},
    {"coarse", "solver=direct"},
    {"coil-q"},
    {"colours", "list", "assembly"},
    {"count"},
    {"csv", "dry-run list"},
    {"deck"},
    {"device", "list devices"},
    {"devices"},
    {"dialect"},
    {"dry-run"},
    {"eta"},
    {"evaluations"},
    {"expand"},
    {"force", "dry-run list no-files"},
    {"format", "list assembly"},
    {"gmres", "list assembly"},
    {"goal"},
    {"gpu-only", "device=cpu devices"},
    {"gpus"},
    {"gpus-a-host"},
    {"frequency", "expand"},
    {"gradient"},
    {"ground"},
    {"height"},
    {"help"},
    {"html", "list"},
    {"input"},
    {"json"},
    {"kernel"},
    {"kind"},
    {"layout"},
    {"limits"},
    {"list"},
    {"listing", "dry-run"},
    {"matrix", "list assembly"},
    {"max-iterations", "solver=direct"},
    {"max-n"},
    {"max-seconds"},
    {"mesh", "converge"},
    {"method"},
    {"n"},
    {"network"},
    {"no-browser"},
    {"operator"},
    {"operator-tolerance", "operator=dense"},
    {"output", "dry-run list"},
    {"output-deck", "dry-run"},
    {"patches"},
    {"pattern"},
    {"phi"},
    {"physical"},
    {"placement", "device=cpu solver=direct"},
    {"plot", "dry-run"},
    {"port"},
    {"power"},
    {"precision"},
    {"precond", "solver=direct devices"},
    {"progress", "quiet dry-run"},
    {"proximity", "dry-run"},
    {"q"},
    {"quiet", "list"},
    {"ranks", "one-rank", "dry-run",
     "To solve on several ranks, start them with mpirun."},
    {"reference"},
    {"refine", "converge"},
    {"repeats", "list"},
    {"resolution", "dry-run"},
    {"result"},
    {"resume", "dry-run"},
    {"save-matrix", "output=none"},
    {"scale", "list"},
    {"set"},
    {"sky"},
    {"solver", "devices"},
    {"split", "dry-run one-process"},
    {"starts"},
    {"step"},
    {"structure", "expand"},
    {"sweep"},
    {"theta"},
    {"threads"},
    {"time"},
    {"time-limit", "devices"},
    {"title"},
    {"tolerance", "direct-on-cpu devices"},
    {"touchstone", "dry-run"},
    {"type", "list assembly"},
    {"unknowns"},
    {"vary"},
    {"version"},
    {"z0", "dry-run"},
};

/// Why a setting leaves options without an effect: what follows its name and "which", or,
/// of what is no option, a sentence's end.
struct Reason {
  std::string_view setting, why;
};

constexpr Reason reasons[] = {
    {"assembly", "times no products"},
    {"devices", "times products alone"},
    {"device=cpu", "leaves no GPU to use"},
    {"dry-run", "only plans"},
    {"expand", "prints the whole deck"},
    {"list", "only lists"},
    {"operator=dense", "has no error to bound"},
    {"output=none", "leaves no HDF5 file"},
    {"quiet", "shows none"},
    {"solver=direct", "does not iterate"},
    {"converge", "converge goes through meshes itself"},
    {"direct-on-cpu",
     "the direct solver on the CPU does not iterate and only compares its residual with "
     "it"},
    {"no-files", "no file is written"},
    {"one-rank", "ranks do not share this matrix"},
    {"one-process", "this is the only process, and mpirun starts several"},
};

/// Words that leave the choice to the program or ask for nothing. `--split none` asks for
/// processes that share each matrix.
bool is_neutral(std::string_view option, std::string_view word) {
  return word == "auto" || (word == "none" && option != "split");
}

std::string_view word_of(const po::variable_value& value) {
  const auto* const word = boost::any_cast<std::string>(&value.value());
  return word != nullptr ? std::string_view(*word) : std::string_view();
}

/// As the user has them on the command line: "dry-run", "device=cpu".
Settings given_settings(const po::variables_map& values) {
  Settings given;
  for (const auto& [name, value] : values) {
    if (value.defaulted()) continue;
    const std::string_view word = word_of(value);
    if (!is_neutral(name, word)) given.insert(name);
    if (!word.empty()) given.insert(fmt::format("{}={}", name, word));
  }
  return given;
}

/// Throws std::logic_error where the table has no row for the option.
const Row& row_of(std::string_view option) {
  const auto* const row = std::ranges::find(rows, option, &Row::option);
  if (row == std::end(rows))
    throw std::logic_error(
        fmt::format("--{}: has no row in cli/option_effects.cpp", option));
  return *row;
}

/// The rows of the options that were given.
std::vector<const Row*> given_rows(const po::variables_map& values) {
  std::vector<const Row*> given;
  for (const auto& [name, value] : values) {
    const Row& row = row_of(name);
    if (!value.defaulted() && !is_neutral(name, word_of(value))) given.push_back(&row);
  }
  return given;
}

/// The reason for which the option has no effect under these settings; or null.
const Reason* reason_among(const Row& row, const Settings& settings) {
  for (const Reason& reason : reasons) {
    if (!settings.contains(reason.setting)) continue;
    for (std::string_view left = row.idle_with; !left.empty();) {
      const std::string_view word = left.substr(0, left.find(' '));
      if (word == reason.setting) return &reason;
      left.remove_prefix(std::min(word.size() + 1, left.size()));
    }
  }
  return nullptr;
}

/// "--solver direct" of "solver=direct"; empty where that is no option.
std::string option_text(std::string_view setting) {
  const std::string_view name = setting.substr(0, setting.find('='));
  if (std::ranges::find(rows, name, &Row::option) == std::end(rows)) return {};
  std::string text = fmt::format("--{}", setting);
  std::ranges::replace(text, '=', ' ');
  return text;
}

/// name: as the user gave it, "--vary " or empty for a file.
template <class T>
void refuse_repeated(const std::string& command, const std::string& name,
                     const po::variable_value& value) {
  const auto* const all = boost::any_cast<std::vector<T>>(&value.value());
  // The files of `convert` have a role each: it may read and write standard streams.
  if (all == nullptr || (command == "convert" && name.empty())) return;
  for (auto one = all->begin(); one != all->end(); ++one)
    if (std::find(all->begin(), one, *one) != one)
      throw Error(ErrorKind::usage, fmt::format("{}: {}{} is given twice. Leave one out.",
                                                command, name, *one));
}

}  // namespace

void refuse_idle_options(const std::string& command,
                         const po::options_description& options,
                         const po::variables_map& values) {
  for (const auto& option : options.options()) (void)row_of(option->long_name());
  Settings settings = given_settings(values);
  settings.insert(command);
  if (processes() == nullptr) settings.insert("one-process");
  const auto refuse = [&](const Row& row, const std::string& why,
                          std::string_view default_hint) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: --{} {}. {}", command, row.option, why,
                            row.hint.empty() ? default_hint : row.hint));
  };
  for (const Row* row : given_rows(values)) {
    if (!row->needs.empty() && !settings.contains(row->needs))
      refuse(*row, fmt::format("has no effect without --{}", row->needs),
             "Give both, or neither.");
    const Reason* const reason = reason_among(*row, settings);
    if (reason == nullptr) continue;
    if (const std::string other = option_text(reason->setting); !other.empty())
      refuse(*row, fmt::format("contradicts {}, which {}", other, reason->why),
             "Leave one of them out.");
    refuse(*row, fmt::format("has no effect: {}", reason->why), "Leave it out.");
  }
  for (const auto& [name, value] : values) {
    const bool is_file = options.find(name, false).semantic()->is_composing();
    const std::string before = is_file ? "" : fmt::format("--{} ", name);
    refuse_repeated<std::string>(command, before, value);
    refuse_repeated<int>(command, before, value);
  }
}

std::vector<std::string> idle_option_warnings(const po::variables_map& values,
                                              const Settings& settings) {
  std::vector<std::string> warnings;
  for (const Row* row : given_rows(values)) {
    const Reason* const reason = reason_among(*row, settings);
    if (reason == nullptr) continue;
    const std::string other = option_text(reason->setting);
    warnings.push_back(fmt::format(
        "--{} has no effect: {}{}", row->option,
        other.empty() ? "" : fmt::format("auto chose {}, which ", other), reason->why));
  }
  return warnings;
}

std::vector<std::string> idle_option_warnings(const po::variables_map& values,
                                              Planner& planner, const Options& options) {
  const Settings any_plan = {"solver=direct", "operator=dense", "device=cpu",
                             "direct-on-cpu"};
  if (std::ranges::none_of(given_rows(values), [&](const Row* row) {
        return reason_among(*row, any_plan) != nullptr;
      }))
    return {};
  return idle_option_warnings(values, settings_of(planner.choose(options)));
}

Settings settings_of(const std::string& device, const std::string& solver,
                     const std::string& operator_name) {
  const bool cpu = device.starts_with("cpu");
  Settings settings = {"solver=" + solver, "operator=" + operator_name,
                       cpu ? "device=cpu" : "device=cuda"};
  if (cpu && solver == "direct") settings.insert("direct-on-cpu");
  return settings;
}

Settings settings_of(const Plan& plan) {
  return settings_of(plan.device, std::string(name_of(plan.solver.solver)),
                     std::string(name_of(plan.solver.operator_choice)));
}

Settings settings_of(const Solution& solution) {
  std::optional<Settings> common;
  for (const FrequencyResult& result : solution.frequencies) {
    const Settings here =
        settings_of(solution.device, result.solver.name, result.solver.operator_name);
    if (!common) common = here;
    std::erase_if(*common, [&](const auto& setting) { return !here.contains(setting); });
  }
  return common.value_or(Settings());
}

}  // namespace thinwire::cli
