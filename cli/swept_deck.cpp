#include "cli/swept_deck.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/deck/variation.h"
#include "kernels/base/error.h"
#include "mom/schedule/tasks.h"

namespace thinwire::cli {
namespace po = boost::program_options;
namespace {

/// Combinations of values that one sweep takes.
constexpr double max_variants = 1e6;

/// Whether the deck has an SY of that name.
bool defines(DeckInput input, const std::string& name) {
  input.values = {{name, 1.0}};
  std::vector<std::string> warnings;
  try {
    (void)input.problems(warnings);
  } catch (const Error& error) {
    // Other errors of the deck are reported when it is read in full.
    return error.kind() != ErrorKind::usage;
  }
  return true;
}

}  // namespace

SweptDeck::SweptDeck(const std::filesystem::path& deck, const po::variables_map& values)
    : input_(read_deck_input(deck, values)), reference_given_(values.count("z0") > 0) {
  if (!values.count("vary"))
    throw Error(ErrorKind::usage,
                "sweep: nothing to vary. Give --vary NAME=START:STOP:COUNT.");
  sweep_.deck_name = input_.name;
  sweep_.deck_text = input_.text;
  sweep_.deck_dialect = name_of(input_.reading.dialect);
  sweep_.deck_patches = patches_name(input_.reading.patch_grids);
  take_variations(values["vary"].as<std::vector<std::string>>());
  sweep_.variants.resize(sweep_.count());
}

void SweptDeck::take_variations(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& word : words) {
    Variation variation = variation_of(word);
    if (std::find(names.begin(), names.end(), variation.name) != names.end())
      throw Error(
          ErrorKind::usage,
          fmt::format("--vary {} is given twice. Leave one out.", variation.name));
    if (input_.values.contains(variation.name))
      throw Error(ErrorKind::usage,
                  fmt::format("--vary {0} contradicts --set {0}. Leave one out.",
                              variation.name));
    names.push_back(variation.name);
    if (variation.name == "f" && !defines(input_, "f")) {
      if (!input_.frequency_hz.empty())
        throw Error(ErrorKind::usage,
                    "--vary f contradicts --frequency. Leave one of them out.");
      take_frequencies(variation.values);
    } else
      sweep_.variations.push_back(std::move(variation));
  }
  double combinations = 1;
  for (const Variation& variation : sweep_.variations)
    combinations *= static_cast<double>(variation.values.size());
  if (combinations > max_variants)
    throw Error(ErrorKind::usage,
                fmt::format("--vary: {:.3g} combinations, and at most {:g} are solved. "
                            "Give fewer values, or several sweeps.",
                            combinations, max_variants));
}

void SweptDeck::take_frequencies(const std::vector<double>& mhz) {
  for (const double value : mhz) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(
          ErrorKind::usage,
          fmt::format("--vary f: a frequency must be positive (got {:g} MHz).", value));
    sweep_.frequency_hz.push_back(value * 1e6);
  }
}

Problem SweptDeck::problem(std::size_t variant) const {
  std::vector<std::string> warnings;
  return problem(variant, warnings);
}

Problem SweptDeck::problem(std::size_t variant,
                           std::vector<std::string>& warnings) const {
  DeckInput input = input_;
  const std::vector<double> values = sweep_.values(variant);
  for (std::size_t i = 0; i < values.size(); ++i)
    input.values[sweep_.variations[i].name] = values[i];
  std::vector<Problem> all;
  try {
    all = input.problems(warnings);
  } catch (const Error& error) {
    if (sweep_.variations.empty()) throw;
    const std::string text = error.what();
    for (const Variation& variation : sweep_.variations)
      if (text.starts_with(fmt::format("--set {}:", variation.name)))
        throw Error(error.kind(), "--vary" + text.substr(5));
    throw Error(error.kind(),
                fmt::format("with {}: {}", sweep_.name(variant), error.what()));
  }
  if (all.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("sweep: {} holds {} structures (NX). Choose one with "
                            "--structure.",
                            input.name, all.size()));
  Problem& problem = all.front();
  for (const Run& run : problem.runs) {
    if (!run.matrix_file.empty())
      throw Error(
          ErrorKind::usage,
          "sweep: a kept matrix (WG) belongs to one structure. Remove WG from the deck.");
    if (run.waves)
      throw Error(ErrorKind::usage,
                  "sweep: incident waves (EX 1 to 3) have no port impedance to tabulate. "
                  "Use `thinwire solve --set`.");
  }
  if (!sweep_.frequency_hz.empty())
    replace_frequencies(problem, sweep_.frequency_hz, warnings);
  return std::move(problem);
}

std::vector<std::vector<std::string>> SweptDeck::check(const Options& options) const {
  std::vector<std::vector<std::string>> warnings(sweep_.count());
  constexpr std::size_t in_a_row = 16;
  run_tasks(
      warnings.size(), thread_count(options),
      [&](std::size_t v) {
        check_reference(v, problem(v, warnings[v]), options.reference_ohm);
      },
      in_a_row);
  return warnings;
}

void SweptDeck::check_reference(std::size_t variant, const Problem& problem,
                                double reference_ohm) const {
  if (!reference_given_ && problem.reference_ohm &&
      *problem.reference_ohm != reference_ohm)
    throw Error(ErrorKind::usage,
                fmt::format("sweep: Z0 differs from variant to variant ({:g} ohm with "
                            "{}). Give --z0.",
                            *problem.reference_ohm, sweep_.name(variant)));
}

}  // namespace thinwire::cli
