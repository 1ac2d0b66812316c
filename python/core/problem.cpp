#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "io/deck/deck.h"
#include "io/deck/parameters.h"
#include "io/result/matrix_file.h"
#include "kernels/base/stopwatch.h"
#include "python/core/core.h"

namespace thinwire::python {
namespace {

namespace fs = std::filesystem;

DeckReading reading_of(const std::string& dialect, const std::string& patches) {
  return {dialect_named("dialect", dialect), patch_grids_named("patches", patches)};
}

/// Reads a deck that holds one structure, or the `structure`-th of several.
ReadProblem read(const std::string& text, const std::string& name,
                 const std::string& folder, const SymbolValues& values,
                 std::optional<int> structure, const std::string& dialect,
                 const std::string& patches, std::optional<std::int64_t> segments) {
  SymbolValues lower;
  for (const auto& [symbol, value] : values) lower[lower_name(symbol)] = value;
  ReadProblem result;
  std::vector<Problem> all;
  DeckLimits limits;
  limits.segments = segments.value_or(limits.segments);
  {
    const Stopwatch watch(result.read_s);
    all = read_structures(
        text, name, result.warnings, limits, lower,
        [&folder](const std::string& file, Problem& problem) {
          read_matrix_file(folder, file, problem);
        },
        {}, reading_of(dialect, patches));
  }
  const int count = static_cast<int>(all.size());
  if (!structure && count > 1)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: holds {} structures (NX). Choose one with structure=1 to "
                    "{}.",
                    name, count, count));
  const int chosen = structure.value_or(1);
  if (chosen < 1 || chosen > count)
    throw Error(ErrorKind::usage,
                fmt::format("structure must be 1 to {}, as many as {} holds (got {}).",
                            count, name, chosen));
  result.problem = std::move(all[static_cast<std::size_t>(chosen - 1)]);
  return result;
}

/// Start, step and count of a grid's angles, degrees.
using Angles = std::tuple<double, double, std::int64_t>;

PatternRequest pattern_request(const Angles& theta, const Angles& phi) {
  PatternRequest request;
  std::tie(request.theta_start_deg, request.theta_step_deg, request.theta_count) = theta;
  std::tie(request.phi_start_deg, request.phi_step_deg, request.phi_count) = phi;
  return request;
}

/// Leaves the first run, with plane waves of a linear polarisation instead of sources.
void set_waves(ReadProblem& self, const Angles& theta, const Angles& phi,
               double eta_deg) {
  std::vector<Run>& runs = self.problem.runs;
  runs.resize(1);
  runs[0].sources.clear();
  runs[0].patterns.clear();
  runs[0].near_fields.clear();
  runs[0].coupling_segments.clear();
  IncidentWaves waves;
  std::tie(waves.first.theta_deg, waves.theta_step_deg, waves.theta_count) = theta;
  std::tie(waves.first.phi_deg, waves.phi_step_deg, waves.phi_count) = phi;
  waves.first.eta_deg = eta_deg;
  runs[0].waves = waves;
}

/// One more Problem::parameters: `read`, a Python function, gives the problem with
/// another value of it.
void add_parameter(ReadProblem& self, const std::string& name, double value,
                   const nb::callable& read) {
  self.problem.parameters.push_back(
      parameter_of(self.problem, name, value, [&read](double changed) {
        return nb::cast<const ReadProblem&>(read(changed)).problem;
      }));
}

/// One number of every segment, [S], or three, [S, 3], as they lie among the others.
template <class T>
nb::object column(nb::pointer_and_handle<ReadProblem> self, const T* first,
                  std::size_t components) {
  static_assert(sizeof(Segment) % sizeof(T) == 0 && sizeof(Vec3) == 3 * sizeof(double));
  const std::size_t count = self.p->problem.structure.segments().size();
  const auto stride = static_cast<std::int64_t>(sizeof(Segment) / sizeof(T));
  if (components == 1) return view_of(first, {count}, self.h, {stride});
  return view_of(first, {count, components}, self.h, {stride, 1});
}

const Segment& first_segment(const ReadProblem& input) {
  static const Segment none;
  const auto& segments = input.problem.structure.segments();
  return segments.empty() ? none : segments.front();
}

}  // namespace

void bind_problem(nb::module_& m) {
  using Self = nb::pointer_and_handle<ReadProblem>;
  nb::class_<ReadProblem>(m, "Problem")
      .def_static("read", &read, nb::arg("text"), nb::arg("name"), nb::arg("folder"),
                  nb::arg("values"), nb::arg("structure").none(),
                  nb::arg("dialect") = "auto", nb::arg("patches") = "refuse",
                  nb::arg("segments") = nb::none())
      .def_prop_rw(
          "warnings", [](const ReadProblem& self) { return self.warnings; },
          [](ReadProblem& self, std::vector<std::string> warnings) {
            self.warnings = std::move(warnings);
          })
      .def_prop_ro("name", [](const ReadProblem& self) { return self.problem.name; })
      .def_prop_rw(
          "deck_text", [](const ReadProblem& self) { return self.problem.deck_text; },
          [](ReadProblem& self, std::string text) {
            self.problem.deck_text = std::move(text);
          })
      .def_prop_ro("comments",
                   [](const ReadProblem& self) { return self.problem.comments; })
      .def_prop_ro("segments",
                   [](const ReadProblem& self) {
                     return self.problem.structure.segments().size();
                   })
      .def_prop_ro("reference_ohm",
                   [](const ReadProblem& self) { return self.problem.reference_ohm; })
      .def_prop_ro("has_ground",
                   [](const ReadProblem& self) {
                     const auto& runs = self.problem.runs;
                     return std::any_of(runs.begin(), runs.end(), [](const Run& run) {
                       return run.ground.kind != Ground::Kind::none;
                     });
                   })
      .def_prop_ro("port_segments",
                   [](const ReadProblem& self) {
                     std::vector<std::size_t> all;
                     for (const Run& run : self.problem.runs)
                       for (const Source& source : run.sources)
                         all.push_back(source.segment);
                     return all;
                   })
      .def_prop_ro("frequencies_hz",
                   [](const ReadProblem& self) {
                     std::vector<double> all;
                     for (const Run& run : self.problem.runs)
                       all.insert(all.end(), run.frequency_hz.begin(),
                                  run.frequency_hz.end());
                     return all;
                   })
      .def_prop_ro("symbols",
                   [](const ReadProblem& self) { return self.problem.symbols; })
      .def("set_frequencies",
           [](ReadProblem& self, const std::vector<double>& frequency_hz) {
             replace_frequencies(self.problem, frequency_hz, self.warnings);
           })
      .def("add_pattern",
           [](ReadProblem& self, const Angles& theta, const Angles& phi) {
             for (Run& run : self.problem.runs)
               run.patterns.push_back(pattern_request(theta, phi));
           })
      .def("set_waves", &set_waves)
      .def("add_parameter", &add_parameter)
      .def_prop_ro(
          "start_m",
          [](Self self) { return column(self, &first_segment(*self.p).start_m.x, 3); })
      .def_prop_ro(
          "end_m",
          [](Self self) { return column(self, &first_segment(*self.p).end_m.x, 3); })
      .def_prop_ro(
          "radius_m",
          [](Self self) { return column(self, &first_segment(*self.p).radius_m, 1); })
      .def_prop_ro(
          "tag", [](Self self) { return column(self, &first_segment(*self.p).tag, 1); });
  m.def("expanded_deck",
        [](const std::string& text, const std::string& name, const SymbolValues& values,
           const std::string& dialect, const std::string& patches) {
          std::vector<std::string> warnings;
          SymbolValues lower;
          for (const auto& [symbol, value] : values) lower[lower_name(symbol)] = value;
          return expanded_deck(text, name, warnings, lower, reading_of(dialect, patches));
        });
  m.def("read_text",
        [](const std::string& path) { return read_deck_text(fs::path(path)); });
}

}  // namespace thinwire::python
