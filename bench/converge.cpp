#include "bench/converge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bench/halved_mesh.h"
#include "bench/mesh_costs.h"
#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "mom/discretization/loops.h"
#include "mom/media/medium.h"
#include "mom/plan/planner.h"
#include "mom/problem/stored_matrix.h"
#include "mom/schedule/byte_archive.h"
#include "mom/solve.h"
#include "mom/warnings/model_errors.h"

namespace thinwire {
namespace {

/// Results of a mesh with finer integrals, as a store keeps them.
struct FinerIntegrals {
  std::vector<MeshCost> costs;
  MeshStudy study;
};

}  // namespace

static void members(MeshStudy& of, const auto& use) {
  auto& [mesh, refinement, finer, device, solver, op, unknowns, seconds, left_out,
         impedance, gain, model, warnings] = of;
  use(mesh, refinement, finer, device, solver, op, unknowns, seconds, left_out, impedance,
      gain, model, warnings);
}
static void members(MeshCost& of, const auto& use) {
  auto& [place, share] = of;
  use(place, share);
}
static void members(FinerIntegrals& of, const auto& use) {
  auto& [costs, study] = of;
  use(costs, study);
}

namespace {

/// The result of this key in the store; else that of `work`, which is kept there.
template <class Work>
auto kept_or(ResultStore* store, const std::string& key, const Work& work) {
  if (store)
    if (const std::optional<std::string> bytes = store->find(key))
      return from_bytes<decltype(work())>(*bytes);
  auto result = work();
  if (store) store->keep(key, to_bytes(result));
  return result;
}

constexpr std::array refinements = {1, 2, 4};
/// Beyond so many unknowns neither shares of the change nor finer integrals are told:
/// they take the whole matrix in double.
constexpr std::size_t max_halved = 4000;

/// The problem of one run at one frequency, without near fields, and no matrix kept.
Problem single_run(const Problem& problem, std::size_t run) {
  Problem single = problem;
  Run only = problem.runs[run];
  only.frequency_hz = {only.frequency_hz[only.frequency_hz.size() / 2]};
  only.near_fields.clear();
  only.coupling_segments.clear();
  only.matrix_file.clear();
  single.runs = {std::move(only)};
  return single;
}

double greatest_gain(const FrequencyResult& result) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const PatternResult& pattern : result.patterns)
    for (const double gain : pattern.gain_dbi) greatest = std::max(greatest, gain);
  return std::isfinite(greatest) ? greatest : std::numeric_limits<double>::quiet_NaN();
}

void take_values(const FrequencyResult& from, MeshStudy& study) {
  for (const PortResult& port : from.ports)
    study.impedance_ohm.push_back(port.impedance_ohm);
  study.gain_dbi = greatest_gain(from);
}

/// Results for each source alone, with a unit voltage or current and without the others.
std::vector<FrequencyResult> solve_each_source(Problem single, const Options& options) {
  Run run = std::move(single.runs[0]);
  run.patterns.clear();
  single.runs.clear();
  for (std::size_t p = 0; p < run.sources.size(); ++p) {
    Run one = run;
    for (std::size_t q = 0; q < run.sources.size(); ++q) {
      Source& source = one.sources[q];
      source.voltage_v = p == q ? 1 : 0;
      if (source.current_a) source.current_a = p == q ? 1 : 0;
    }
    single.runs.push_back(std::move(one));
  }
  return solve(single, options).frequencies;
}

/// Bounds how much errors of the potentials (model_errors_m) change the impedances of the
/// ports of a result, to first order.
std::vector<double> model_changes_ohm(const Problem& single, const Options& options,
                                      const FrequencyResult& result) {
  const std::vector<double> error_m = model_errors_m(single, options);
  const std::vector<Source>& sources = single.runs[0].sources;
  std::vector<double> changes(sources.size(), 0.0);
  if (*std::max_element(error_m.begin(), error_m.end()) == 0) return changes;
  std::vector<FrequencyResult> each;
  if (sources.size() > 1) each = solve_each_source(single, options);
  const double omega = 2 * pi * result.frequency_hz,
               k = wavenumber_rad_per_m(result.frequency_hz);
  for (std::size_t p = 0; p < sources.size(); ++p) {
    const FrequencyResult& adjoint = each.empty() ? result : each[p];
    double reaction_va = 0;
    for (std::size_t s = 0; s < error_m.size(); ++s)
      reaction_va +=
          error_m[s] * eta0_ohm / (2 * pi) *
          (k * std::abs(result.segment_current_a[s] * adjoint.segment_current_a[s]) +
           omega * omega / k *
               std::abs(result.segment_charge_c_per_m[s] *
                        adjoint.segment_charge_c_per_m[s]));
    const PortResult &port = result.ports[p], &unit = adjoint.ports[p];
    changes[p] = reaction_va / std::abs(port.current_a) /
                 (sources[p].current_a ? std::abs(unit.current_a)
                                       : std::abs(unit.voltage_v / port.impedance_ohm));
  }
  return changes;
}

MeshStudy study(const Problem& single, Options options, MeshChoice mesh, int refinement,
                double max_seconds) {
  options.mesh = mesh;
  options.refinement = refinement;
  Planner planner(single, options);
  const Plan& needed = planner.choose(options);
  MeshStudy result;
  result.device = needed.device;
  result.solver = name_of(needed.solver.solver);
  result.operator_name = name_of(needed.solver.operator_choice);
  result.mesh = mesh;
  result.refinement = refinement;
  result.unknowns = needed.unknowns;
  result.seconds = needed.predicted_seconds;
  // Without the default mesh there is no result.
  if (!needed.shortage.empty() && mesh == MeshChoice::graded && refinement == 1)
    throw Error(ErrorKind::memory, needed.shortage);
  result.left_out = !needed.shortage.empty() || result.seconds > max_seconds;
  if (result.left_out) return result;
  Solution solution = solve(planner);
  take_values(solution.frequencies.front(), result);
  if (mesh == MeshChoice::graded && refinement == 1)
    result.model_ohm = model_changes_ohm(single, options, solution.frequencies.front());
  result.warnings = std::move(solution.warnings);
  result.seconds = solution.timings_s.total;
  return result;
}

/// The default mesh with finer integrals. The values are those of a matrix that rounding
/// makes useless to structures far smaller than the wavelength, whose loops are solved
/// apart: of them nothing is told.
MeshStudy study_integrals(const Problem& single, const Options& options,
                          const HalvedMesh& halved) {
  MeshStudy result;
  result.finer_integrals = true;
  result.unknowns = halved.whole().unknowns();
  result.seconds = halved.seconds();
  result.left_out =
      is_small_for_loops(halved.whole().elements(),
                         image_medium_of(single.runs[0].ground), halved.k_rad_per_m());
  if (!result.left_out)
    take_values(solve_with_finer_integrals(single, options, halved), result);
  return result;
}

/// Returns the results of the meshes of one kind, from coarse to fine.
template <class Value>
std::vector<Complex> sequence(const std::vector<MeshStudy>& meshes, MeshChoice kind,
                              const Value& value) {
  std::vector<Complex> values;
  for (const MeshStudy& mesh : meshes)
    if (mesh.mesh == kind && !mesh.left_out && !mesh.finer_integrals &&
        mesh.refinement <= refinements.back())
      values.push_back(value(mesh));
  return values;
}

/// Sets limits and bars from the meshes.
void find_limits(const Problem& problem, const Problem& single, ConvergeReport& report) {
  const MeshStudy& usual = report.meshes[refinements.size()];
  const MeshStudy& last = report.meshes.back();
  const bool finer = last.finer_integrals && !last.left_out;
  const auto limit_of = [&](const auto& value) {
    return sequence_limit(sequence(report.meshes, MeshChoice::graded, value));
  };
  const std::vector<Source>& sources = single.runs[0].sources;
  for (std::size_t p = 0; p < sources.size(); ++p) {
    const SequenceLimit limit =
        limit_of([p](const MeshStudy& mesh) { return mesh.impedance_ohm[p]; });
    PortLimit port;
    port.tag = problem.structure.segments()[sources[p].segment].tag;
    port.segment = problem.structure.within_tag(sources[p].segment);
    port.gap = sources[p].gap;
    port.impedance_ohm = limit.value;
    port.model_ohm = usual.model_ohm[p];
    port.bar_ohm = limit.bar + port.model_ohm;
    if (finer) {
      port.integrals_ohm = std::abs(last.impedance_ohm[p] - usual.impedance_ohm[p]);
      port.bar_ohm += port.integrals_ohm;
    }
    report.ports.push_back(port);
  }
  const SequenceLimit gain = limit_of([](const MeshStudy& m) { return m.gain_dbi; });
  report.gain_dbi = gain.value.real();
  report.gain_bar_db = gain.bar + (finer ? std::abs(last.gain_dbi - usual.gain_dbi) : 0);
}

}  // namespace

std::vector<std::string> ConvergeReport::warnings() const {
  std::vector<std::string> all;
  for (const MeshStudy& mesh : meshes)
    for (const std::string& warning : mesh.warnings)
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
  return all;
}

SequenceLimit sequence_limit(const std::vector<Complex>& values) {
  // Ratios of changes that are followed; and that where there is one change only.
  constexpr double min_ratio = 0.25, largest_ratio = 0.7, default_ratio = 0.5;
  // Factor on the step to the limit where the changes fall regularly: half of the true
  // errors of public decks are within 0.2 of it, 19 of 20 within this factor
  // (scripts/measure-convergence).
  constexpr double regular = 0.9;
  constexpr double rounding = 1e-6;
  if (values.empty()) return {};
  const Complex last = values.back();
  if (values.size() == 1) return {last, std::numeric_limits<double>::infinity()};
  const Complex change = last - values[values.size() - 2];
  const double before = values.size() > 2 ? std::abs(values[1] - values[0]) : 0;
  const double ratio = before > 0 ? std::abs(change) / before : default_ratio;
  const double followed = std::clamp(ratio, min_ratio, largest_ratio);
  const Complex beyond = change * (followed / (1 - followed));
  double bar = std::abs(beyond) * (before > 0 && ratio <= largest_ratio ? regular : 1);
  // A change that all but vanishes says little: what the one before would leave at the
  // usual ratio.
  if (before > 0 && ratio < min_ratio) bar = std::max(bar, before / 2);
  return {last + beyond, std::max(bar, rounding * std::abs(last))};
}

ConvergeReport converge(const Problem& problem, const ConvergeOptions& options) {
  const auto fed = std::find_if(problem.runs.begin(), problem.runs.end(),
                                [](const Run& run) { return !run.sources.empty(); });
  if (fed == problem.runs.end())
    throw Error(ErrorKind::deck,
                fmt::format("{}: no run has a source, and converge studies input "
                            "impedances. Give an EX 0 card and XQ.",
                            problem.name));
  if (problem.stored)
    throw Error(ErrorKind::deck,
                fmt::format("{}: GF takes the matrix of one mesh from {}, and converge "
                            "studies several. Give the structure in this deck.",
                            problem.name, problem.stored->name));
  ConvergeReport report;
  report.run = static_cast<std::size_t>(fed - problem.runs.begin());
  const Problem single = single_run(problem, report.run);
  report.frequency_hz = single.runs[0].frequency_hz[0];
  // All meshes, the halves and the reference.
  const int steps = 2 * static_cast<int>(refinements.size()) + 2;
  int step = 0;
  const auto next_solver = [&] {
    Options solver = options.solve;
    solver.monitor = options.solve.monitor.part(static_cast<double>(step) / steps,
                                                (step + 1.0) / steps);
    ++step;
    return solver;
  };
  const auto add = [&](MeshChoice mesh, int refinement, double max_seconds) {
    const Options solver = next_solver();
    report.meshes.push_back(
        kept_or(options.store, fmt::format("{}-{}", name_of(mesh), refinement),
                [&] { return study(single, solver, mesh, refinement, max_seconds); }));
  };
  for (const MeshChoice mesh : {MeshChoice::as_given, MeshChoice::graded})
    for (const int refinement : refinements)
      add(mesh, refinement, refinement == 1 ? 1e300 : options.max_seconds);
  const MeshStudy& twice = report.meshes[refinements.size() + 1];
  if (!twice.left_out && twice.unknowns <= max_halved) {
    const Options solver = next_solver();
    FinerIntegrals finer = kept_or(options.store, "finer-integrals", [&] {
      const HalvedMesh halved(single, solver);
      return FinerIntegrals{mesh_costs(single, halved),
                            study_integrals(single, solver, halved)};
    });
    report.costs = std::move(finer.costs);
    report.meshes.push_back(std::move(finer.study));
  }
  find_limits(problem, single, report);
  if (options.reference > refinements.back())
    add(MeshChoice::graded, options.reference, 1e300);
  return report;
}

}  // namespace thinwire
