#include "io/result/write_variants.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/result/hdf5_file.h"
#include "io/result/hdf5_origin.h"
#include "io/result/output_file.h"
#include "kernels/base/constants.h"
#include "mom/problem/reflection.h"

namespace thinwire {
namespace {

/// Largest of a number that variants may differ in.
template <class Function>
std::size_t most(const VariantSweep& sweep, Function&& count_of) {
  std::size_t largest = 0;
  for (const auto& variant : sweep.variants)
    for (const VariantRow& row : variant->rows)
      largest = std::max<std::size_t>(largest, count_of(row));
  return largest;
}

/// Values of all variants along the axes of the variations, then results, then `columns`;
/// `fill` writes what a row has into its columns.
template <class T, class Function>
std::vector<T> gather(const VariantSweep& sweep, std::size_t results, std::size_t columns,
                      T missing, Function&& fill) {
  std::vector<T> all(sweep.variants.size() * results * columns, missing);
  for (std::size_t v = 0; v < sweep.variants.size(); ++v) {
    const std::vector<VariantRow>& rows = sweep.variants[v]->rows;
    for (std::size_t f = 0; f < rows.size(); ++f)
      fill(rows[f], all.data() + (v * results + f) * columns);
  }
  return all;
}

/// Calls body(variant, row, port) for each port.
template <class Function>
void for_ports(const VariantSweep& sweep, Function&& body) {
  for (std::size_t v = 0; v < sweep.variants.size(); ++v)
    for (const VariantRow& row : sweep.variants[v]->rows)
      for (const PortResult& port : row.ports) body(v, row, port);
}

void write_ports(Hdf5Writer& out, const VariantSweep& sweep, const Axes& of_results,
                 std::size_t results) {
  const std::size_t ports = most(sweep, [](auto& row) { return row.ports.size(); });
  if (ports == 0) return;
  out.counting_axis("/port_number", ports, 1, "port, from 1");
  Axes axes = of_results;
  axes.push_back("/port_number");
  const auto whole = [&](const char* name, auto&& number_of, Quantity quantity) {
    out.dataset(name,
                gather<std::int64_t>(sweep, results, ports, 0,
                                     [&](const VariantRow& row, std::int64_t* to) {
                                       for (const PortResult& port : row.ports)
                                         *to++ = number_of(port);
                                     }),
                axes, quantity);
  };
  whole("/port/tag", [](auto& port) { return std::int64_t{port.tag}; },
        {"1", "tag of the fed segment"});
  whole("/port/segment", [](auto& port) { return port.segment; },
        {"1", "number of the fed segment within its tag, from 1"});
  whole("/port/gap", [](auto& port) { return static_cast<std::int64_t>(port.gap); },
        {"1", "place on the fed segment: 0 all of it, 1 its start, 2 its end"});
  const auto values = [&](const char* name, Complex PortResult::*member,
                          Quantity quantity) {
    out.dataset(name,
                gather<Complex>(sweep, results, ports, {nan, nan},
                                [&](const VariantRow& row, Complex* to) {
                                  for (const PortResult& port : row.ports)
                                    *to++ = port.*member;
                                }),
                axes, quantity);
  };
  values("/port/voltage_v", &PortResult::voltage_v, {"V", "port voltage, peak"});
  values("/port/current_a", &PortResult::current_a, {"A", "port current, peak"});
  values("/port/impedance_ohm", &PortResult::impedance_ohm, {"ohm", "input impedance"});
}

/// Returns a line with the number of results that a fast sweep modelled and their
/// accuracy; empty where all were solved.
std::string modelled_line(const char* before, const VariantSweep& sweep) {
  std::size_t all = 0, modelled = 0;
  double error = 0;
  for (const auto& variant : sweep.variants)
    for (const VariantRow& row : variant->rows) {
      ++all;
      if (!row.model_error) continue;
      ++modelled;
      error = std::max(error, *row.model_error);
    }
  if (modelled == 0) return "";
  return fmt::format(
      "{}{} of {} frequencies were solved, the others are modelled within "
      "{:.0e}\n",
      before, all - modelled, all, error);
}

std::string csv_names(const VariantSweep& sweep) {
  std::string names;
  for (const Variation& variation : sweep.variations) names += variation.name + ',';
  return names;
}

}  // namespace

void write_variants_hdf5(const std::filesystem::path& path, const VariantSweep& sweep,
                         const std::string& command_line, const std::atomic<bool>* stop) {
  Hdf5Writer out(path);
  write_origin(out, command_line, "sweep");
  write_deck(out, sweep.deck_text, sweep.deck_name, sweep.deck_dialect,
             sweep.deck_patches);
  out.text("/input/settings", sweep.settings, "values of symbols and options as JSON");
  Axes axes;
  for (const Variation& variation : sweep.variations) {
    axes.push_back("/symbol_" + variation.name);
    out.axis(axes.back(), variation.values, {"1", "value of the deck's symbol"});
  }
  std::vector<std::int64_t> unknowns;
  std::size_t results = 0;
  for (const auto& variant : sweep.variants) {
    unknowns.push_back(static_cast<std::int64_t>(variant->unknowns));
    results = std::max(results, variant->rows.size());
  }
  if (!axes.empty())
    out.dataset("/unknowns", unknowns, axes, {"1", "unknowns of the variant"});
  out.counting_axis("/result_number", results, 1,
                    "frequency of a run, or incident wave, from 1");
  axes.emplace_back("/result_number");
  const auto of_rows = [&](const char* name, auto&& value_of, Quantity quantity) {
    out.dataset(
        name,
        gather<double>(sweep, results, 1, nan,
                       [&](const VariantRow& row, double* to) { *to = value_of(row); }),
        axes, quantity);
  };
  of_rows("/frequency_hz", [](auto& row) { return row.frequency_hz; },
          {"Hz", "frequency"});
  of_rows("/run_index", [](auto& row) { return static_cast<double>(row.run); },
          {"1", "execute group of the deck, from 0"});
  of_rows("/solver/converged", [](auto& row) { return row.converged ? 1.0 : 0.0; },
          {"1", "1 where the tolerance was reached"});
  of_rows("/solver/model_error", [](auto& row) { return row.model_error.value_or(nan); },
          {"1", "estimated relative error of modelled currents; NaN where solved"});
  of_rows("/pattern/gain_max_dbi",
          [](auto& row) { return row.gain_max_dbi.value_or(nan); },
          {"dBi", "largest gain of the patterns asked for; NaN where there are none"});
  write_ports(out, sweep, axes, results);
  const std::size_t segments =
      most(sweep, [](auto& row) { return row.segment_current_a.size(); });
  if (segments > 0) {
    out.counting_axis("/segment_number", segments, 1, "NEC segment number, from 1");
    axes.emplace_back("/segment_number");
    out.dataset("/current/segment_current_a",
                gather<Complex>(sweep, results, segments, {nan, nan},
                                [](const VariantRow& row, Complex* to) {
                                  std::copy(row.segment_current_a.begin(),
                                            row.segment_current_a.end(), to);
                                }),
                axes, {"A", "current at the segment's centre, peak"});
  }
  write_result_file(path, out.take_image(), stop);
}

std::string variants_table(const VariantSweep& sweep, double reference_ohm) {
  std::string out;
  for (const Variation& variation : sweep.variations)
    out += fmt::format("{:>12}", variation.name);
  out += fmt::format("{:>12} {:>5} {:>12} {:>11} {:>11} {:>9} {:>12}\n", "MHz", "run",
                     "tag/segment", "R ohm", "X ohm",
                     fmt::format("VSWR {:.4g}", reference_ohm), "gain max dBi");
  for_ports(sweep, [&](std::size_t v, const VariantRow& row, const PortResult& port) {
    for (const double value : sweep.values(v)) out += fmt::format("{:>12.6g}", value);
    const Complex z = port.impedance_ohm;
    out += fmt::format("{:>12.6g} {:>5} {:>12} {:>11.5g} {:>11.5g} {:>9.2f} {:>12}{}\n",
                       row.frequency_hz / 1e6, row.run, port_name(port), z.real(),
                       z.imag(), vswr(reflection(z, reference_ohm)),
                       row.gain_max_dbi ? fmt::format("{:.2f}", *row.gain_max_dbi) : "-",
                       row.converged ? "" : "  not converged");
  });
  return out + modelled_line("\n", sweep);
}

std::string variants_csv(const VariantSweep& sweep, double reference_ohm) {
  std::string out = fmt::format(
      "# {} {} sweep from {}\n# z in ohm, vswr for {} ohm, gain_max in dBi; run from 0\n"
      "{}{}mhz,run,tag,segment,zreal,zimag,vswr,gain_max,gap\n",
      text_signature, THINWIRE_VERSION, sweep.deck_name, reference_ohm,
      modelled_line("# ", sweep), csv_names(sweep));
  for_ports(sweep, [&](std::size_t v, const VariantRow& row, const PortResult& port) {
    for (const double value : sweep.values(v)) out += fmt::format("{:.12g},", value);
    const Complex z = port.impedance_ohm;
    out += fmt::format("{:.9g},{},{},{},{:.9g},{:.9g},{:.6g},{},{}\n",
                       row.frequency_hz / 1e6, row.run, port.tag, port.segment, z.real(),
                       z.imag(), vswr(reflection(z, reference_ohm)),
                       row.gain_max_dbi ? fmt::format("{:.4f}", *row.gain_max_dbi) : "",
                       gap_name(port.gap));
  });
  return out;
}

std::string variants_json(const VariantSweep& sweep, double reference_ohm) {
  using Json = nlohmann::ordered_json;
  Json vary = Json::array(), variants = Json::array();
  for (const Variation& variation : sweep.variations)
    vary.push_back({{"name", variation.name}, {"values", variation.values}});
  for (std::size_t v = 0; v < sweep.variants.size(); ++v) {
    Json json = {{"values", Json::object()}};
    const std::vector<double> values = sweep.values(v);
    for (std::size_t i = 0; i < values.size(); ++i)
      json["values"][sweep.variations[i].name] = values[i];
    const nlohmann::json solved = variant_json(*sweep.variants[v]);
    json.update(Json(solved));
    variants.push_back(std::move(json));
  }
  return Json({{"format", "thinwire-sweep"},
               {"version", 1},
               {"deck", sweep.deck_name},
               {"reference_impedance_ohm", reference_ohm},
               {"vary", std::move(vary)},
               {"variants", std::move(variants)}})
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace thinwire
