#include "io/result/write_touchstone.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <regex>

#include "io/result/output_file.h"
#include "kernels/base/counted.h"
#include "kernels/base/error.h"
#include "kernels/base/printable.h"
#include "mom/problem/reflection.h"

namespace thinwire {
namespace fs = std::filesystem;
namespace {

std::vector<Complex> scattering(const FrequencyResult& result, double reference_ohm) {
  const std::size_t ports = result.ports.size();
  if (ports == 1) return {reflection(result.ports[0].impedance_ohm, reference_ohm)};
  if (result.port_impedance_ohm.size() != ports * ports)
    throw Error(ErrorKind::numeric,
                fmt::format("Touchstone: no impedance matrix of the {} at {:g} MHz.",
                            counted(ports, "port"), result.frequency_hz / 1e6));
  return scattering_matrix(result.port_impedance_ohm, ports, reference_ohm);
}

/// The data lines of one frequency.
std::string data_lines(double frequency_hz, std::vector<Complex> s, std::size_t ports) {
  if (ports == 2) std::swap(s[1], s[2]);
  std::string out = fmt::format("{:.12g}", frequency_hz);
  for (std::size_t i = 0; i < s.size(); ++i) {
    // From three ports on, a matrix row starts a line, and a line takes four numbers.
    const std::size_t column = i % ports;
    if (ports > 2 && i > 0 && column % 4 == 0) out += "\n ";
    fmt::format_to(std::back_inserter(out), " {:.9e} {:.9e}", s[i].real(), s[i].imag());
  }
  return out + "\n";
}

/// `path` with `part` for a run with that many ports.
fs::path run_path(const fs::path& path, const std::string& part, std::size_t ports,
                  std::size_t run, bool first) {
  const std::string suffix = path.extension().string();
  std::smatch match;
  const bool has_suffix =
      std::regex_match(suffix, match, std::regex(R"(\.s(\d{1,6})p)", std::regex::icase));
  if (has_suffix && std::stoul(match[1]) != ports)
    throw Error(ErrorKind::usage,
                fmt::format("--touchstone: {} says {} but run {} of the deck has {}. "
                            "Leave the suffix .s{}p out.",
                            shown(path), counted(std::stoul(match[1]), "port"), run,
                            ports, match[1].str()));
  fs::path name = path;
  if (has_suffix) name.replace_extension();
  name += part;
  if (!first) name += fmt::format("_run{}", run);
  name += has_suffix ? suffix : fmt::format(".s{}p", ports);
  return name;
}

}  // namespace

std::vector<Complex> scattering_matrix(const std::vector<Complex>& impedance_ohm,
                                       std::size_t ports, double reference_ohm) {
  std::vector<Complex> a = impedance_ohm, s = impedance_ohm;
  for (std::size_t p = 0; p < ports; ++p) {
    a[p * ports + p] += reference_ohm;
    s[p * ports + p] -= reference_ohm;
  }
  // Gauss-Jordan elimination with row pivots: a handful of ports needs no library.
  for (std::size_t k = 0; k < ports; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < ports; ++i)
      if (std::abs(a[i * ports + k]) > std::abs(a[pivot * ports + k])) pivot = i;
    const Complex head = a[pivot * ports + k];
    if (!(std::abs(head) > 0))
      throw Error(ErrorKind::numeric,
                  fmt::format("Touchstone: Z + Z0 is singular for Z0 = {:g} ohm.",
                              reference_ohm));
    for (std::size_t c = 0; c < ports; ++c) {
      std::swap(a[k * ports + c], a[pivot * ports + c]);
      std::swap(s[k * ports + c], s[pivot * ports + c]);
      a[k * ports + c] /= head;
      s[k * ports + c] /= head;
    }
    for (std::size_t i = 0; i < ports; ++i) {
      if (i == k) continue;
      const Complex factor = a[i * ports + k];
      for (std::size_t c = 0; c < ports; ++c) {
        a[i * ports + c] -= factor * a[k * ports + c];
        s[i * ports + c] -= factor * s[k * ports + c];
      }
    }
  }
  return s;
}

namespace {

/// comments: whole lines below the first.
std::string touchstone_text(const std::string& deck_name, const std::string& comments,
                            const Solution& solution, std::size_t run,
                            double reference_ohm) {
  std::map<double, const FrequencyResult*> by_frequency;
  for (const FrequencyResult& result : solution.frequencies)
    if (result.run == run) by_frequency.emplace(result.frequency_hz, &result);

  std::string out;
  const auto line = std::back_inserter(out);
  fmt::format_to(line, "! {} {} from {}\n", text_signature, THINWIRE_VERSION, deck_name);
  out += comments;
  fmt::format_to(line, "! run {} of the deck, from 0\n", run);
  if (!by_frequency.empty()) {
    const std::vector<PortResult>& ports = by_frequency.begin()->second->ports;
    for (std::size_t p = 0; p < ports.size(); ++p)
      fmt::format_to(line, "! port {}: {}\n", p + 1,
                     place_name(ports[p].tag, ports[p].segment, ports[p].gap));
  }
  for (const auto& [frequency_hz, result] : by_frequency)
    if (!result->solver.converged)
      fmt::format_to(line, "! {}\n", missed_tolerance(*result));
  fmt::format_to(line, "# HZ S RI R {}\n", reference_ohm);
  for (const auto& [frequency_hz, result] : by_frequency)
    out += data_lines(frequency_hz, scattering(*result, reference_ohm),
                      result->ports.size());
  return out;
}

}  // namespace

std::string solution_touchstone(const Problem& problem, const Solution& solution,
                                std::size_t run, double reference_ohm) {
  return touchstone_text(problem.name, "", solution, run, reference_ohm);
}

std::string variant_touchstone(const VariantSweep& sweep, std::size_t variant,
                               std::size_t run, double reference_ohm) {
  Solution solution;
  for (const VariantRow& row : sweep.variants[variant]->rows) {
    FrequencyResult& result = solution.frequencies.emplace_back();
    result.run = row.run;
    result.frequency_hz = row.frequency_hz;
    result.ports = row.ports;
    result.port_impedance_ohm = row.port_impedance_ohm;
    result.solver.converged = row.converged;
    result.solver.model_error = row.model_error;
  }
  return touchstone_text(sweep.deck_name,
                         fmt::format("! variant {} of {}: {}\n", variant + 1,
                                     sweep.count(), sweep.name(variant)),
                         solution, run, reference_ohm);
}

std::vector<TouchstoneFile> touchstone_files(const fs::path& path, const Problem& problem,
                                             const std::string& part) {
  std::vector<TouchstoneFile> files;
  std::error_code ignored;
  const bool as_named =
      is_stdout(path) || (is_written_directly(path) && fs::exists(path, ignored));
  for (std::size_t run = 0; run < problem.runs.size(); ++run) {
    const std::size_t ports = problem.runs[run].sources.size();
    if (ports == 0) continue;
    if (is_stdout(path) && !files.empty())
      throw Error(ErrorKind::usage,
                  "--touchstone: standard output takes one run, and the deck has several "
                  "that are fed. Name a file.");
    files.push_back(
        {as_named ? path : run_path(path, part, ports, run, files.empty()), run});
  }
  if (files.empty())
    throw Error(ErrorKind::usage,
                "--touchstone: the deck has no ports (no EX 0 card). Leave it out.");
  return files;
}

}  // namespace thinwire
