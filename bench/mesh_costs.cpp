#include "bench/mesh_costs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "cg/direct/direct.h"
#include "geometry/wire_mesh.h"
#include "kernels/base/constants.h"
#include "mom/excitation.h"
#include "mom/run_meshes.h"
#include "mom/solve.h"

namespace thinwire {
namespace {

constexpr std::size_t most_places = 10;

/// The coarse functions in terms of the fine ones: fine coefficients for coarse ones.
/// Refined elements are numbered in the coarse ones' order, `pieces` for each.
class Refined {
 public:
  Refined(const Discretisation& coarse, const Discretisation& fine, double k)
      : coarse_(coarse), fine_(fine), k_(k) {
    pieces_ = fine.elements().size() / coarse.elements().size();
    // A function's coefficient is the current at an end that no other function shares.
    for (std::size_t f = 0; f < fine.unknowns(); ++f) {
      const BasisFunction& function = fine.basis().functions()[f];
      int term = 0;
      if (function.sign[1] != 0 &&
          fine.basis().at(function.element[0], function.end[0]).size() > 1)
        term = 1;
      place_.push_back({function.element[term], function.end[term],
                        static_cast<double>(function.sign[term])});
    }
  }

  std::vector<Complex> operator()(std::span<const Complex> coefficients) const {
    std::vector<Complex> fine(fine_.unknowns());
    for (std::size_t f = 0; f < fine.size(); ++f)
      fine[f] = place_[f].sign * current(coefficients, place_[f].element, place_[f].end);
    return fine;
  }

 private:
  /// Where the current is one function's alone.
  struct Place {
    std::size_t element;
    int end;
    double sign;
  };

  /// At the end of a fine element, of the coarse functions.
  Complex current(std::span<const Complex> coefficients, std::size_t element,
                  int end) const {
    const std::size_t parent = element / pieces_;
    const double length = coarse_.elements()[parent].length_m;
    const double at = length * static_cast<double>(element % pieces_ + end) /
                      static_cast<double>(pieces_);
    return (coarse_.basis().end_current(coefficients, parent, 0) *
                std::sin(k_ * (length - at)) +
            coarse_.basis().end_current(coefficients, parent, 1) * std::sin(k_ * at)) /
           std::sin(k_ * length);
  }

  const Discretisation& coarse_;
  const Discretisation& fine_;
  double k_;
  std::size_t pieces_ = 1;
  std::vector<Place> place_;
};

/// The voltages of all ports, as solved.
std::vector<Complex> port_voltages(const Ports& ports, const FrequencyResult& result) {
  std::vector<Complex> voltage;
  for (const PortResult& port : result.ports) voltage.push_back(port.voltage_v);
  for (std::size_t p = voltage.size(); p < ports.count(); ++p) {
    const std::size_t segment = ports.result(p, 0, 1).segment_index;
    for (const PortResult& port : result.network_ports)
      if (port.segment_index == segment && voltage.size() == p)
        voltage.push_back(port.voltage_v);
    voltage.resize(p + 1);
  }
  return voltage;
}

/// What to call the place that each segment belongs to: sources before junctions before
/// open ends before plain wire.
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

std::vector<MeshChange> mesh_changes(const Problem& single, Options options) {
  options.operator_choice = OperatorChoice::dense;
  options.mesh = MeshChoice::graded;
  const RunMeshes coarse(single, options);
  options.refinement = 2;
  options.save_matrix = true;
  const RunMeshes fine(single, options);
  const Solution solution = solve(single, options);
  const std::size_t n = fine.of(0).unknowns(), few = coarse.of(0).unknowns();
  const double k = 2 * pi * single.runs[0].frequency_hz[0] / speed_of_light_m_per_s;
  const std::vector<Complex>& z = solution.impedance_matrix_ohm;

  const Ports ports(fine.of(0), single.runs[0].sources, single.runs[0].networks, k);
  std::vector<Complex> v(n);
  const std::vector<Complex> voltage = port_voltages(ports, solution.frequencies[0]);
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
  // Coarse functions as columns: P; then P^T Z P and P^T V are the coarse system.
  const Refined refined(coarse.of(0), fine.of(0), k);
  std::vector<std::vector<std::pair<std::size_t, Complex>>> columns(few);
  for (std::size_t c = 0; c < few; ++c) {
    std::vector<Complex> unit(few);
    unit[c] = 1;
    const std::vector<Complex> carried = refined(unit);
    for (std::size_t i = 0; i < n; ++i)
      if (carried[i] != 0.0) columns[c].emplace_back(i, carried[i]);
  }
  std::vector<Complex> small(few * few), right(few);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t c = 0; c < few; ++c) {
    for (std::size_t d = 0; d < few; ++d)
      for (const auto& [i, a] : columns[c])
        for (const auto& [j, b] : columns[d]) small[c * few + d] += a * z[i * n + j] * b;
    for (const auto& [i, a] : columns[c]) right[c] += a * v[i];
  }
  DirectSolver(few, std::move(small)).solve(right);
  std::vector<Complex> current = v;
  DirectSolver(n, std::vector<Complex>(z)).solve(current);
  const std::vector<Complex> carried = refined(right), reached = product(carried);

  const std::vector<std::string> names = places(single);
  std::map<std::string, Complex> change;
  for (std::size_t m = 0; m < n; ++m) {
    const BasisFunction& function = fine.of(0).basis().functions()[m];
    change[names[fine.of(0).mesh().elements()[function.element[0]].segment]] +=
        (current[m] - carried[m]) * (v[m] - reached[m]);
  }
  std::vector<MeshChange> changes;
  for (const auto& [place, part] : change) changes.push_back({place, part});
  return changes;
}

std::vector<MeshCost> mesh_costs(const Problem& single, const Options& options) {
  const std::vector<MeshChange> changes = mesh_changes(single, options);
  Complex total = 0;
  for (const MeshChange& part : changes) total += part.change_va;
  std::vector<MeshCost> costs;
  for (const MeshChange& part : changes)
    costs.push_back(
        {part.place, (part.change_va * std::conj(total)).real() / std::norm(total)});
  std::sort(costs.begin(), costs.end(), [](const MeshCost& a, const MeshCost& b) {
    return std::abs(a.share) > std::abs(b.share);
  });
  if (costs.size() > most_places) costs.resize(most_places);
  return costs;
}

}  // namespace thinwire
