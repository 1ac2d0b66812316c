#include "io/result/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "io/result/hex.h"
#include "mom/polarization.h"

namespace thinwire {
namespace {

using Json = nlohmann::json;

/// JSON has no infinity: null, which reads as NaN.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}
Json pair(Complex value) {
  return Json::array({number(value.real()), number(value.imag())});
}
Complex complex_of(const Json& json) {
  return {number_of(json.at(0)), number_of(json.at(1))};
}

Json port_json(const PortResult& port) {
  return {{"tag", port.tag},
          {"segment", port.segment},
          {"segment_number", port.segment_index + 1},
          {"voltage_v", pair(port.voltage_v)},
          {"current_a", pair(port.current_a)},
          {"impedance_ohm", pair(port.impedance_ohm)},
          {"power_w", number(port.power_w)}};
}

PortResult port_of(const Json& json) {
  PortResult port;
  port.tag = json.at("tag");
  port.segment = json.at("segment");
  port.segment_index = json.at("segment_number").get<std::size_t>() - 1;
  port.voltage_v = complex_of(json.at("voltage_v"));
  port.current_a = complex_of(json.at("current_a"));
  port.impedance_ohm = complex_of(json.at("impedance_ohm"));
  port.power_w = number_of(json.at("power_w"));
  return port;
}

std::vector<Complex> currents_of(std::string_view hex) {
  const std::string bytes = bytes_of(hex);
  if (bytes.size() % sizeof(Complex) != 0)
    throw std::invalid_argument("part of a current");
  std::vector<Complex> currents(bytes.size() / sizeof(Complex));
  std::memcpy(currents.data(), bytes.data(), bytes.size());
  return currents;
}

/// All rows of a variant have the same segments, those of their ports among them.
void check_currents(const VariantRow& row, const VariantRow& first) {
  const std::size_t segments = row.segment_current_a.size();
  if (segments != first.segment_current_a.size() ||
      std::ranges::any_of(row.ports, [&](const PortResult& port) {
        return port.segment_index >= segments;
      }))
    throw std::invalid_argument("currents are missing");
}

}  // namespace

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
                   result.segment_current_a};
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

Json variant_json(const Variant& variant, bool currents) {
  Json rows = Json::array();
  for (const VariantRow& row : variant.rows) {
    Json json = {{"run", row.run},
                 {"frequency_hz", number(row.frequency_hz)},
                 {"converged", row.converged},
                 {"ports", Json::array()}};
    for (const PortResult& port : row.ports) json["ports"].push_back(port_json(port));
    if (row.model_error) json["model_error"] = number(*row.model_error);
    if (row.gain_max_dbi) json["gain_max_dbi"] = number(*row.gain_max_dbi);
    if (currents)
      json["segment_current_a"] =
          hex_of({reinterpret_cast<const char*>(row.segment_current_a.data()),
                  row.segment_current_a.size() * sizeof(Complex)});
    rows.push_back(std::move(json));
  }
  return {{"unknowns", variant.unknowns},
          {"warnings", variant.warnings},
          {"frequencies", std::move(rows)}};
}

std::string variant_text(const Variant& variant) {
  return variant_json(variant, true).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Variant variant_of(const std::string& text) {
  const Json json = Json::parse(text);
  Variant variant;
  variant.unknowns = json.at("unknowns");
  variant.warnings = json.at("warnings").get<std::vector<std::string>>();
  for (const Json& from : json.at("frequencies")) {
    VariantRow row;
    row.run = from.at("run");
    row.frequency_hz = number_of(from.at("frequency_hz"));
    row.converged = from.at("converged");
    if (from.contains("model_error")) row.model_error = number_of(from.at("model_error"));
    if (from.contains("gain_max_dbi"))
      row.gain_max_dbi = number_of(from.at("gain_max_dbi"));
    for (const Json& port : from.at("ports")) row.ports.push_back(port_of(port));
    row.segment_current_a =
        currents_of(from.at("segment_current_a").get_ref<const std::string&>());
    check_currents(row, variant.rows.empty() ? row : variant.rows.front());
    variant.rows.push_back(std::move(row));
  }
  return variant;
}

}  // namespace thinwire
