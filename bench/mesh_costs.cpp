#include "bench/mesh_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "cg/direct/direct.h"
#include "geometry/wire_mesh.h"
#include "mom/excitation/excitation.h"

namespace thinwire {
namespace {

constexpr std::size_t max_places = 10;

/// The voltages of all ports, as solved.
std::vector<Complex> port_voltages(const Ports& ports, const FrequencyResult& result) {
  std::vector<Complex> voltage;
  for (const PortResult& port : result.ports) voltage.push_back(port.voltage_v);
  for (std::size_t p = voltage.size(); p < ports.count(); ++p) {
    const PortResult place = ports.result(p, 0, 1);
    for (const PortResult& port : result.network_ports)
      if (port.same_place(place) && voltage.size() == p)
        voltage.push_back(port.voltage_v);
    voltage.resize(p + 1);
  }
  return voltage;
}

/// Names the place that each segment belongs to: sources before junctions before open
/// ends before plain wire.
std::vector<std::string> places(const Problem& single) {
  const Structure& structure = single.structure;
  const std::size_t count = structure.segments().size();
  MeshOptions as_given;
  as_given.graded = false;
  as_given.perfect_ground = single.runs[0].ground != Ground::none;
  as_given.ground_contact = single.ground_contact && as_given.perfect_ground;
  as_given.wires_below = single.runs[0].ground.takes_wires();
  const WireMesh mesh(structure, as_given);
  std::vector<std::string> names(count);
  const auto tag = [&](std::size_t s) { return structure.segments()[s].tag; };
  const auto number = [&](std::size_t s) { return structure.within_tag(s); };
  for (std::size_t n = 0; n < mesh.node_count(); ++n) {
    const Node node = mesh.node(n);
    if (node.ends.size() == 2 || (node.ends.size() == 1 && node.grounded)) continue;
    const auto segment = [&](const ElementEnd& end) {
      return mesh.elements()[end.element].segment;
    };
    const std::size_t first = segment(node.ends[0]);
    for (const ElementEnd& end : node.ends) {
      std::string& name = names[segment(end)];
      if (node.ends.size() > 2)
        name = fmt::format("junction at tag {} segment {}", tag(first), number(first));
      else if (name.empty())
        name = fmt::format("open end of tag {}", tag(first));
    }
  }
  for (const Source& source : single.runs[0].sources) {
    const std::string name = fmt::format("source at tag {} segment {}",
                                         tag(source.segment), number(source.segment));
    names[source.segment] = name;
    for (std::size_t e = mesh.first_element(source.segment);
         e < mesh.first_element(source.segment + 1); ++e)
      for (const int end : {0, 1})
        for (const ElementEnd& other : mesh.node(mesh.node_of(e, end)).ends)
          names[mesh.elements()[other.element].segment] = name;
  }
  for (std::size_t s = 0; s < count; ++s)
    if (names[s].empty()) names[s] = fmt::format("wire of tag {}", tag(s));
  return names;
}

}  // namespace

std::vector<MeshChange> mesh_changes(const Problem& single, const HalvedMesh& halved) {
  const Discretization& halves = halved.halves();
  const std::size_t n = halves.unknowns();
  const std::vector<Complex>& z = halved.matrix();
  const Ports ports(halves, single.runs[0].sources, single.runs[0].networks,
                    halved.k_rad_per_m());
  std::vector<Complex> v(n);
  const std::vector<Complex> voltage = port_voltages(ports, halved.result());
  for (std::size_t p = 0; p < ports.count(); ++p) {
    const std::vector<Complex> unit = ports.unit_excitation(p);
    for (std::size_t i = 0; i < n; ++i) v[i] += voltage[p] * unit[i];
  }
  const auto product = [&](const std::vector<Complex>& x) {
    std::vector<Complex> y(n);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) y[i] += z[i * n + j] * x[j];
    return y;
  };
  std::vector<Complex> conjugate = v;
  for (Complex& value : conjugate) value = std::conj(value);
  const DirectSolver whole(halved.whole().unknowns(), halved.matrix_on_whole()),
      halves_solver(n, std::vector<Complex>(z));
  const auto carried_currents = [&](const std::vector<Complex>& voltages) {
    std::vector<Complex> coarse = halved.on_whole(voltages);
    whole.solve(coarse);
    return halved.in_halves(coarse);
  };
  const std::vector<Complex> reached = product(carried_currents(v)),
                             carried = carried_currents(conjugate);
  std::vector<Complex> current = conjugate;
  halves_solver.solve(current);

  const std::vector<std::string> names = places(single);
  std::map<std::string, Complex> change;
  for (std::size_t m = 0; m < n; ++m) {
    const BasisFunction& function = halves.basis().functions()[m];
    change[names[halves.mesh().elements()[function.element[0]].segment]] +=
        (current[m] - carried[m]) * (v[m] - reached[m]);
  }
  std::vector<MeshChange> changes;
  for (const auto& [place, part] : change) changes.push_back({place, part});
  return changes;
}

std::vector<MeshCost> mesh_costs(const Problem& single, const HalvedMesh& halved) {
  const std::vector<MeshChange> changes = mesh_changes(single, halved);
  double sum = 0;
  for (const MeshChange& part : changes) sum += std::abs(part.change_va);
  std::vector<MeshCost> costs;
  for (const MeshChange& part : changes)
    costs.push_back({part.place, sum > 0 ? std::abs(part.change_va) / sum : 0});
  std::sort(costs.begin(), costs.end(),
            [](const MeshCost& a, const MeshCost& b) { return a.share > b.share; });
  if (costs.size() > max_places) costs.resize(max_places);
  return costs;
}

}  // namespace thinwire
