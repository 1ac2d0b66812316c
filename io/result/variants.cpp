#include "io/result/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mom/postprocess/polarization.h"
#include "mom/schedule/byte_archive.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;

/// JSON has no infinity: null.
Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json json_pair(Complex value) {
  return Json::array({json_number(value.real()), json_number(value.imag())});
}
Json port_json(const PortResult& port) {
  Json json = {{"tag", port.tag},
               {"segment", port.segment},
               {"segment_number", port.segment_index + 1},
               {"voltage_v", json_pair(port.voltage_v)},
               {"current_a", json_pair(port.current_a)},
               {"impedance_ohm", json_pair(port.impedance_ohm)},
               {"power_w", json_number(port.power_w)}};
  if (port.gap != Gap::segment) json["gap"] = gap_name(port.gap);
  return json;
}

}  // namespace

static void members(VariantRow& of, const auto& use) {
  auto& [run, frequency_hz, converged, model_error, gain, ports, currents, impedance] =
      of;
  use(run, frequency_hz, converged, model_error, gain, ports, currents, impedance);
}
static void members(Variant& of, const auto& use) {
  auto& [unknowns, rows, warnings] = of;
  use(unknowns, rows, warnings);
}

Variant Variant::of(const Solution& solution) {
  Variant variant;
  variant.unknowns = solution.unknowns;
  variant.warnings = solution.warnings;
  for (const FrequencyResult& result : solution.frequencies) {
    VariantRow row{result.run,
                   result.frequency_hz,
                   result.solver.converged,
                   result.solver.model_error,
                   {},
                   result.ports,
                   result.segment_current_a,
                   result.port_impedance_ohm};
    for (const PatternResult& pattern : result.patterns)
      row.gain_max_dbi =
          std::max(row.gain_max_dbi.value_or(-999.99), pattern_peak(pattern).gain_dbi);
    variant.rows.push_back(std::move(row));
  }
  return variant;
}

std::size_t VariantSweep::count() const {
  std::size_t product = 1;
  for (const Variation& variation : variations) product *= variation.values.size();
  return product;
}

std::vector<double> VariantSweep::values(std::size_t variant) const {
  std::vector<double> all(variations.size());
  for (std::size_t i = variations.size(); i-- > 0;) {
    const std::vector<double>& values = variations[i].values;
    all[i] = values[variant % values.size()];
    variant /= values.size();
  }
  return all;
}

std::string VariantSweep::name(std::size_t variant) const {
  const std::vector<double> here = values(variant);
  std::string text;
  for (std::size_t i = 0; i < here.size(); ++i)
    text += fmt::format("{}{}={:g}", i > 0 ? ", " : "", variations[i].name, here[i]);
  return text;
}

Json variant_json(const Variant& variant) {
  Json rows = Json::array();
  for (const VariantRow& row : variant.rows) {
    Json json = {{"run", row.run},
                 {"frequency_hz", json_number(row.frequency_hz)},
                 {"converged", row.converged},
                 {"ports", Json::array()}};
    for (const PortResult& port : row.ports) json["ports"].push_back(port_json(port));
    if (row.model_error) json["model_error"] = json_number(*row.model_error);
    if (row.gain_max_dbi) json["gain_max_dbi"] = json_number(*row.gain_max_dbi);
    rows.push_back(std::move(json));
  }
  return {{"unknowns", variant.unknowns},
          {"warnings", variant.warnings},
          {"frequencies", std::move(rows)}};
}

std::string variant_bytes(const Variant& variant) {
  return to_bytes(variant);
}

Variant variant_of(std::string_view bytes) {
  return from_bytes<Variant>(bytes);
}

}  // namespace thinwire
