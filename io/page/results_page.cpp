#include "io/page/results_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "io/page/packing.h"
#include "io/page/page.h"
#include "mom/postprocess/polarization.h"

namespace thinwire {
namespace {

using nlohmann::json;

// Budgets of a page, which its results share, in numbers kept.
constexpr std::size_t max_points = 2000;  ///< frequencies of a curve
constexpr std::size_t max_gains = 2'000'000, max_currents = 300'000;
constexpr std::size_t max_segments = 12'000;                     ///< drawn of each result
constexpr std::size_t max_histories = 60, max_iterations = 400;  ///< drawn of each

/// Values of a dataset at some frequencies, [frequency][column]; null where the file
/// lacks it. Complex numbers are two columns.
json column(const StoredResult& result, const std::vector<double>& values,
            const std::vector<std::size_t>& points, int digits = 7) {
  if (values.empty()) return nullptr;
  const std::size_t width = values.size() / result.rows();
  std::vector<double> shown;
  for (const std::size_t point : points)
    for (std::size_t i = point * width; i < (point + 1) * width; ++i)
      shown.push_back(values[i]);
  return short_numbers(shown, digits);
}

std::vector<double> parts(const std::vector<Complex>& values) {
  const auto* first = reinterpret_cast<const double*>(values.data());
  return {first, first + 2 * values.size()};
}

/// Patterns of the result's file, with their derivatives, which the others lack.
json stored_patterns(const StoredResult& result, std::vector<GridPattern>& patterns) {
  json derivatives = json::array();
  const Hdf5Reader& in = result.file();
  if (result.is_variant() || !in.exists("/pattern")) return derivatives;
  const std::vector<std::int64_t> run = result.integers("/run_index");
  for (const std::string& k : in.children("/pattern")) {
    const std::string group = "/pattern/" + k;
    GridPattern pattern{in.doubles(group + "/theta_deg"),
                        in.doubles(group + "/phi_deg"),
                        in.doubles(group + "/gain_dbi"),
                        {}};
    for (std::size_t point = 0; point < run.size(); ++point)
      if (run[point] == in.attribute_integer(group, "run"))
        pattern.index.push_back(point);
    if (pattern.gain_dbi.size() !=
        pattern.index.size() * pattern.theta_deg.size() * pattern.phi_deg.size())
      result.refuse_count(group + "/gain_dbi", pattern.gain_dbi.size());
    patterns.push_back(std::move(pattern));
    derivatives.push_back(nullptr);
    if (!in.exists(group + "/gain_derivative_db")) continue;
    const auto numbers = [&](const char* name) {
      return short_numbers(in.doubles(group + name), 6);
    };
    derivatives.back() = {{"theta_deg", numbers("/gain_derivative_theta_deg")},
                          {"phi_deg", numbers("/gain_derivative_phi_deg")},
                          {"gain_db", numbers("/gain_derivative_db")},
                          {"front_to_back_db", numbers("/front_to_back_derivative_db")}};
  }
  return derivatives;
}

/// Returns the frequencies whose gains the page has: as many as `max_count` gains allow.
std::vector<std::size_t> points_of(const std::vector<GridPattern>& patterns,
                                   std::size_t max_count) {
  std::map<std::size_t, std::size_t> sizes;
  for (const GridPattern& pattern : patterns)
    for (const std::size_t point : pattern.index)
      sizes[point] += pattern.theta_deg.size() * pattern.phi_deg.size();
  std::vector<std::size_t> all;
  std::size_t largest = 1;
  for (const auto& [point, size] : sizes) {
    all.push_back(point);
    largest = std::max(largest, size);
  }
  std::vector<std::size_t> chosen;
  for (const std::size_t i :
       evenly(all.size(), std::max<std::size_t>(1, max_count / largest)))
    chosen.push_back(all[i]);
  return chosen;
}

/// Peaks at all frequencies, [index, gain, theta, phi, front to back], and the gains in
/// hundredths of dB at those of `points`.
json pattern_json(const GridPattern& pattern, const std::vector<std::size_t>& points) {
  json peaks = json::array(), at = json::array();
  std::vector<std::int16_t> centibel;
  PatternResult here;
  here.theta_deg = pattern.theta_deg;
  here.phi_deg = pattern.phi_deg;
  const std::size_t size = here.theta_deg.size() * here.phi_deg.size();
  for (std::size_t i = 0; i < pattern.index.size(); ++i) {
    const auto first = pattern.gain_dbi.begin() + static_cast<std::ptrdiff_t>(i * size);
    here.gain_dbi.assign(first, first + static_cast<std::ptrdiff_t>(size));
    const PatternPeak peak = pattern_peak(here);
    json row = short_numbers(std::vector<double>{
        peak.gain_dbi, peak.theta_deg, peak.phi_deg,
        peak.front_to_back_db.value_or(std::numeric_limits<double>::quiet_NaN())});
    row.insert(row.begin(), pattern.index[i]);
    peaks.push_back(std::move(row));
    if (!std::binary_search(points.begin(), points.end(), pattern.index[i])) continue;
    at.push_back(pattern.index[i]);
    for (const double gain : here.gain_dbi)
      centibel.push_back(
          static_cast<std::int16_t>(std::lround(100 * std::clamp(gain, -300.0, 300.0))));
  }
  return {{"theta", short_numbers(pattern.theta_deg)},
          {"phi", short_numbers(pattern.phi_deg)},
          {"peaks", peaks},
          {"at", at},
          {"centibel", packed(centibel)}};
}

/// How iterative solves at some of the page's frequencies converged: numbers of
/// iterations, the residual there, and the input impedance's deviation from its last
/// value, relative to that.
json histories_json(const StoredResult& result, const std::vector<std::size_t>& points,
                    std::size_t max_count) {
  const Hdf5Reader& in = result.file();
  const std::string residuals = "/solver/residual_history",
                    impedances = "/solver/impedance_history_ohm";
  json histories = json::array();
  std::vector<std::size_t> iterated;
  const auto iterations = result.integers("/solver/iterations");
  const auto solver = result.strings("/solver/name");
  for (const std::size_t f : points)
    if (f < std::min(iterations.size(), solver.size()) && iterations[f] > 1 &&
        solver[f] != "direct" && in.exists(fmt::format("{}/{}", residuals, f)))
      iterated.push_back(f);
  for (const std::size_t i : evenly(iterated.size(), max_count)) {
    const std::size_t f = iterated[i];
    const std::string of = fmt::format("/{}", f);
    const std::vector<double> residual = in.doubles(residuals + of);
    std::vector<Complex> z;
    if (in.exists(impedances + of)) z = in.complexes(impedances + of);
    const auto at = evenly(residual.size(), max_iterations);
    std::vector<double> shown, off;
    for (const std::size_t k : at) {
      shown.push_back(residual[k]);
      if (k < z.size()) off.push_back(std::abs(z[k] - z.back()) / std::abs(z.back()));
    }
    const auto steps = static_cast<std::int64_t>(residual.size()) - 1;
    histories.push_back({{"at", f},
                         {"of_last", iterations[f] != steps},  // of several sides
                         {"iteration", at},
                         {"residual", short_numbers(shown, 3)},
                         {"impedance_off", short_numbers(off, 3)}});
  }
  return histories;
}

/// Name, solver and so on, of every frequency.
json solver_json(const StoredResult& result, const std::vector<std::size_t>& points,
                 std::size_t share) {
  if (result.is_variant()) return nullptr;
  json solver = json::object();
  for (const char* name : {"name", "preconditioner", "operator", "why"})
    solver[name] = result.strings(fmt::format("/solver/{}", name));
  for (const char* name : {"iterations", "converged"})
    solver[name] = result.integers(fmt::format("/solver/{}", name));
  solver["relative_residual"] =
      short_numbers(result.doubles("/solver/relative_residual"), 2);
  solver["histories"] =
      histories_json(result, points, std::max<std::size_t>(1, max_histories / share));
  return solver;
}

}  // namespace

json circuit_json(const Problem& problem) {
  json antenna = {
      {"loads", json::array()}, {"networks", json::array()}, {"ground", nullptr}};
  for (const Run& run : problem.runs) {
    for (const Load& load : run.loads)
      antenna["loads"].push_back({{"kind", name_of(load.kind)},
                                  {"lumped", load.is_lumped()},
                                  {"value", short_numbers(load.value, 12)},
                                  {"gap", load.gap},
                                  {"first", load.first},
                                  {"last", load.last}});
    for (const Network& network : run.networks)
      antenna["networks"].push_back(
          {{"kind", network.kind == Network::Kind::line     ? "line"
                    : network.kind == Network::Kind::ladder ? "ladder"
                                                            : "admittance"},
           {"segment", network.segment},
           {"gap", network.gap},
           {"impedance_ohm", network.impedance_ohm},
           {"crossed", network.crossed},
           {"length_m", network.length_m}});
    if (run.ground.kind != Ground::Kind::none)
      antenna["ground"] = {{"kind", name_of(run.ground.kind)},
                           {"relative_permittivity", run.ground.relative_permittivity},
                           {"conductivity_s_per_m", run.ground.conductivity_s_per_m}};
  }
  return antenna;
}

namespace {

/// Segments, their currents at as many frequencies as make about `max_count` values,
/// loads, networks and ground.
json antenna_json(const StoredResult& result, std::size_t max_count) {
  const Segments segments = result.segments();
  const auto drawn = evenly(segments.tag.size(), max_segments);
  const auto points = evenly(
      result.points(),
      std::max<std::size_t>(1, max_count / std::max<std::size_t>(1, drawn.size())));
  std::map<std::int64_t, std::int64_t> count;
  std::vector<std::int64_t> number;  // within the tag, from 1
  for (const std::int64_t tag : segments.tag) number.push_back(++count[tag]);
  json antenna = {{"segments", segments.tag.size()},
                  {"tags", json::array()},
                  {"numbers", json::array()},
                  {"current_at", points}};
  std::vector<float> ends, current;
  for (const std::size_t i : drawn) {
    antenna["tags"].push_back(segments.tag[i]);
    antenna["numbers"].push_back(number[i]);
    for (const auto* point : {&segments.start_m, &segments.end_m})
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k)
        ends.push_back(static_cast<float>((*point)[k]));
  }
  const auto all = result.complexes("/current/segment_current_a");
  if (!all.empty() && all.size() / result.rows() < segments.tag.size())
    result.refuse_count("/current/segment_current_a", all.size());
  for (const std::size_t point : points)
    for (const std::size_t i : drawn) {
      const Complex value = all.at(point * (all.size() / result.rows()) + i);
      current.push_back(static_cast<float>(value.real()));
      current.push_back(static_cast<float>(value.imag()));
    }
  antenna["ends"] = packed(ends);
  antenna["current"] = packed(current);
  antenna.update(circuit_json(result.problem().value_or(Problem())));
  return antenna;
}

/// Program, command and date, as the file's root attributes have them.
json origin_json(const Hdf5Reader& in) {
  const std::string commit = in.attribute_text("/", "git_commit");
  return {
      {"program", fmt::format("thinwire {}{}", in.attribute_text("/", "program_version"),
                              commit == "unknown" ? "" : " (" + commit + ")")},
      {"command", in.attribute_text("/", "command_line")},
      {"created", in.attribute_text("/", "created_utc")}};
}

/// share: number of results on the page.
json result_json(const NamedResult& named, std::vector<GridPattern> more_patterns,
                 std::size_t share) {
  const StoredResult result(named.path, named.variant);
  std::vector<GridPattern> patterns;
  const json derivatives = stored_patterns(result, patterns);
  std::move(more_patterns.begin(), more_patterns.end(), std::back_inserter(patterns));

  const auto with_gains = points_of(patterns, max_gains / share),
             even = evenly(result.points(), std::max<std::size_t>(2, max_points / share));
  std::set<std::size_t> chosen(even.begin(), even.end());
  chosen.insert(with_gains.begin(), with_gains.end());
  const std::vector<std::size_t> points(chosen.begin(), chosen.end());
  const auto of = [&](const char* name, int digits = 7) {
    return column(result, result.doubles(name), points, digits);
  };
  json shown = {{"name", named.name},
                {"z0", result.reference_ohm()},
                {"device", result.device()},
                {"unknowns", result.unknowns()},
                {"warnings", result.strings("/warnings")},
                {"deck", result.file().text("/input/deck")},
                {"origin", origin_json(result.file())},
                {"timings", json::object()},
                {"solver", solver_json(result, points, share)},
                {"frequencies", result.points()},
                {"points", points},
                {"frequency_hz", of("/frequency_hz", 12)},
                {"run", of("/run_index")},
                {"wave_theta_deg", of("/incident/theta_deg")},
                {"wave_phi_deg", of("/incident/phi_deg")},
                {"gain_max_dbi", of("/pattern/gain_max_dbi")},
                {"symbols", result.strings("/parameter")},
                {"antenna", antenna_json(result, max_currents / share)},
                {"patterns", json::array()}};
  const PortPlaces ports = result.ports();
  shown["port_tag"] = ports.tag;
  shown["port_segment"] = ports.segment;
  shown["port_gap"] = ports.gap;
  for (const char* name : {"impedance_ohm", "impedance_derivative_ohm"})
    shown[name] =
        column(result, parts(result.complexes(fmt::format("/port/{}", name))), points);
  for (const char* name : {"input", "radiated", "loss", "network_loss"})
    shown["power"][name] = of(fmt::format("/power/{}_w", name).c_str());
  shown["power"]["efficiency"] = of("/power/efficiency");
  if (!result.is_variant() && result.file().exists("/timing"))
    for (const std::string& stage : result.file().children("/timing"))
      shown["timings"][stage] =
          short_numbers(result.doubles("/timing/" + stage), 4).at(0);
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    shown["patterns"].push_back(pattern_json(patterns[k], with_gains));
    if (k < derivatives.size()) shown["patterns"][k]["derivatives"] = derivatives[k];
  }
  return shown;
}

}  // namespace

std::string results_page(
    const ChosenResults& chosen,
    const std::map<std::size_t, std::vector<GridPattern>>& more_patterns) {
  json results = json::array();
  for (std::size_t k = 0; k < chosen.results.size(); ++k) {
    const auto more = more_patterns.find(k);
    results.push_back(result_json(
        chosen.results[k],
        more == more_patterns.end() ? std::vector<GridPattern>() : more->second,
        chosen.results.size()));
  }
  return page_html({{"title", chosen.title}, {"results", std::move(results)}});
}

}  // namespace thinwire
