#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/converge.h"
#include "kernels/base/constants.h"

namespace thinwire {
namespace {

std::string label(const MeshStudy& mesh) {
  return fmt::format("{} x{}{}", name_of(mesh.mesh), mesh.refinement,
                     mesh.finer_integrals ? ", finer integrals" : "");
}

/// Distance from the limit over the limit, at a port.
double relative_change(const ConvergeReport& report, const MeshStudy& mesh,
                       std::size_t port) {
  if (mesh.left_out) return nan;
  const Complex limit = report.ports[port].impedance_ohm;
  return std::abs(mesh.impedance_ohm[port] - limit) / std::abs(limit);
}

Table mesh_table(const ConvergeReport& report) {
  Table table("mesh", "Meshes");
  std::vector<std::string> names, notes;
  std::vector<double> port, r, x, change, gain, unknowns, seconds;
  for (std::size_t p = 0; p < report.ports.size(); ++p)
    for (const MeshStudy& mesh : report.meshes) {
      const Complex z = mesh.left_out ? Complex(nan, nan) : mesh.impedance_ohm[p];
      names.push_back(label(mesh));
      port.push_back(static_cast<double>(p + 1));
      r.push_back(z.real());
      x.push_back(z.imag());
      change.push_back(relative_change(report, mesh, p));
      gain.push_back(mesh.left_out ? nan : mesh.gain_dbi);
      unknowns.push_back(static_cast<double>(mesh.unknowns));
      seconds.push_back(mesh.left_out ? nan : mesh.seconds);
    }
  table.add_numbers("port", "port", "1", port);
  table.add_texts("mesh", "mesh", names);
  table.add_numbers("unknowns", "unknowns", "1", unknowns);
  table.add_numbers("time_s", "time, s", "s", seconds);
  table.add_numbers("resistance_ohm", "R, ohm", "ohm", r);
  table.add_numbers("reactance_ohm", "X, ohm", "ohm", x);
  table.add_numbers("from_limit", "from limit, %", "1", change, 100);
  table.add_numbers("gain_dbi", "gain, dBi", "dBi", gain);
  return table;
}

Table limit_table(const ConvergeReport& report) {
  using Port = const PortLimit&;
  const double gain_bar = std::isfinite(report.gain_dbi) ? report.gain_bar_db : nan;
  return TableOf("limit", "Limit of an infinitely fine mesh", report.ports)
      .numbers("port", "port", "1", [&](Port p) { return &p - report.ports.data() + 1; })
      .numbers("tag", "tag", "1", &PortLimit::tag)
      .numbers("segment", "segment", "1", &PortLimit::segment)
      .numbers("resistance_ohm", "R, ohm", "ohm",
               [](Port p) { return p.impedance_ohm.real(); })
      .numbers("reactance_ohm", "X, ohm", "ohm",
               [](Port p) { return p.impedance_ohm.imag(); })
      .numbers("bar_ohm", "+-, ohm", "ohm", &PortLimit::bar_ohm)
      .numbers("bar", {"+-, %", 100}, "1",
               [](Port p) { return p.bar_ohm / std::abs(p.impedance_ohm); })
      .numbers("integrals_ohm", "of integrals, ohm", "ohm", &PortLimit::integrals_ohm)
      .numbers("model_ohm", "of the model, ohm", "ohm", &PortLimit::model_ohm)
      .numbers("gain_dbi", "gain, dBi", "dBi", [&](Port) { return report.gain_dbi; })
      .numbers("gain_bar_db", "+-, dB", "dB", [=](Port) { return gain_bar; })
      .take();
}

Table cost_table(const ConvergeReport& report) {
  return TableOf("cost", "Where the input power changes from graded x1 to x2",
                 report.costs)
      .texts("place", "place", &MeshCost::place)
      .numbers("share", {"share, %", 100}, "1", &MeshCost::share)
      .take();
}

}  // namespace

std::vector<Table> converge_tables(const ConvergeReport& report) {
  std::vector<Table> tables = {mesh_table(report), limit_table(report)};
  if (!report.costs.empty()) tables.push_back(cost_table(report));
  return tables;
}

std::vector<LinePlot> converge_plots(const ConvergeReport& report) {
  LinePlot plot;
  plot.title = fmt::format("Distance of Z from its limit at {:.6g} MHz",
                           report.frequency_hz * 1e-6);
  plot.x_label = "unknowns";
  plot.y_label = "|Z - limit| / |limit|";
  plot.log_x = plot.log_y = true;
  for (std::size_t p = 0; p < report.ports.size(); ++p) {
    const int colour = 2 * static_cast<int>(p);
    for (const MeshChoice kind : {MeshChoice::as_given, MeshChoice::graded}) {
      PlotSeries series;
      const PortLimit& port = report.ports[p];
      series.name = fmt::format("{}, {}", place_name(port.tag, port.segment, port.gap),
                                name_of(kind));
      series.colour = colour + (kind == MeshChoice::graded ? 1 : 0);
      for (const MeshStudy& mesh : report.meshes)
        if (mesh.mesh == kind && !mesh.finer_integrals) {
          series.x.push_back(static_cast<double>(mesh.unknowns));
          series.y.push_back(relative_change(report, mesh, p));
        }
      plot.series.push_back(std::move(series));
    }
    PlotSeries bar;
    bar.name = "error bar";
    bar.dashed = true;
    bar.markers = false;
    bar.colour = colour + 1;
    const PortLimit& limit = report.ports[p];
    for (const MeshStudy& mesh : report.meshes)
      if (mesh.mesh == MeshChoice::graded && !mesh.finer_integrals) {
        bar.x.push_back(static_cast<double>(mesh.unknowns));
        bar.y.push_back(limit.bar_ohm / std::abs(limit.impedance_ohm));
      }
    plot.series.push_back(std::move(bar));
  }
  return {plot};
}

std::string converge_json(const Problem& problem, const ConvergeReport& report,
                          const std::vector<std::string>& warnings) {
  using nlohmann::json;
  // JSON has no NaN.
  const auto number = [](double value) {
    return std::isfinite(value) ? json(value) : json();
  };
  json meshes = json::array(), ports = json::array(), costs = json::array();
  for (const MeshStudy& mesh : report.meshes) {
    json one = {{"mesh", name_of(mesh.mesh)},
                {"refinement", mesh.refinement},
                {"finer_integrals", mesh.finer_integrals},
                {"unknowns", mesh.unknowns},
                {"time_s", number(mesh.seconds)},
                {"left_out", mesh.left_out},
                {"gain_dbi", number(mesh.gain_dbi)},
                {"impedance_ohm", json::array()}};
    for (const Complex z : mesh.impedance_ohm)
      one["impedance_ohm"].push_back({number(z.real()), number(z.imag())});
    meshes.push_back(std::move(one));
  }
  for (const PortLimit& port : report.ports)
    ports.push_back(
        {{"tag", port.tag},
         {"segment", port.segment},
         {"gap", gap_name(port.gap)},
         {"impedance_ohm",
          {number(port.impedance_ohm.real()), number(port.impedance_ohm.imag())}},
         {"bar_ohm", number(port.bar_ohm)},
         {"integrals_ohm", number(port.integrals_ohm)},
         {"model_ohm", number(port.model_ohm)}});
  for (const MeshCost& cost : report.costs)
    costs.push_back({{"place", cost.place}, {"share", number(cost.share)}});
  const json document = {{"format", "thinwire-convergence"},
                         {"version", 1},
                         {"deck", problem.name},
                         {"run", report.run},
                         {"frequency_hz", report.frequency_hz},
                         {"meshes", std::move(meshes)},
                         {"ports", std::move(ports)},
                         {"gain_dbi", number(report.gain_dbi)},
                         {"gain_bar_db", number(report.gain_bar_db)},
                         {"costs", std::move(costs)},
                         {"warnings", warnings}};
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace thinwire
