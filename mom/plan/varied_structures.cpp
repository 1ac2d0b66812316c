#include "mom/plan/varied_structures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "geometry/wires_below.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

[[noreturn]] void refuse(const Problem& problem, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{}: no gradient: {}. Leave --gradient out.",
                                            problem.name, why));
}

/// Whether no wave from wire to wire is reflected further than that from the origin.
bool lies_within(double radius_m, const Structure& structure) {
  const auto inside = [&](Vec3 at) { return std::hypot(at.x, at.y) < radius_m; };
  return std::all_of(
      structure.segments().begin(), structure.segments().end(),
      [&](const Segment& s) { return inside(s.start_m) && inside(s.end_m); });
}

void check_problem(const Problem& problem) {
  if (problem.stored) refuse(problem, "the matrix is a stored one (GF)");
  for (const Run& run : problem.runs) {
    if (run.waves) refuse(problem, "the sources are incident waves (EX 1 to 3)");
    if (run.ground.screen.radials > 0 &&
        !lies_within(run.ground.screen.radius_m, problem.structure))
      refuse(problem,
             fmt::format("the radial screen of GN 0 ({:g} m) ends among the wires, and "
                         "reflection has a step there",
                         run.ground.screen.radius_m));
    if (run.ground.takes_wires() && has_wires_below(problem.structure))
      refuse(problem, "with wires in the ground none is available");
  }
}

/// Whether a number goes from one side to the other in a line; a value of zero often has
/// a meaning of its own, and beside it the impedance a step.
bool is_straight(double less, double at, double more) {
  return std::abs(less + more - 2 * at) <= 1e-3 * std::abs(more - less) ||
         (less == at && more == at);
}
bool is_straight(Complex less, Complex at, Complex more) {
  return is_straight(less.real(), at.real(), more.real()) &&
         is_straight(less.imag(), at.imag(), more.imag());
}

bool is_straight(const Load& less, const Load& at, const Load& more) {
  for (int i = 0; i < 3; ++i) {
    const double a = less.value[i], b = at.value[i], c = more.value[i];
    if (!is_straight(a, b, c) || (b == 0 && a != c)) return false;
  }
  return true;
}

/// Whether loads and networks have no step at the value.
bool are_straight(const Run& less, const Run& at, const Run& more) {
  for (std::size_t n = 0; n < at.networks.size(); ++n) {
    const Network &a = less.networks[n], &b = at.networks[n], &c = more.networks[n];
    if (!is_straight(a.length_m, b.length_m, c.length_m) ||
        !is_straight(a.impedance_ohm, b.impedance_ohm, c.impedance_ohm) ||
        !is_straight(a.y11_s, b.y11_s, c.y11_s) ||
        !is_straight(a.y12_s, b.y12_s, c.y12_s) ||
        !is_straight(a.y22_s, b.y22_s, c.y22_s))
      return false;
    for (int i = 0; i < 2; ++i)
      if (!is_straight(a.loss_np_per_m[i], b.loss_np_per_m[i], c.loss_np_per_m[i]))
        return false;
    for (std::size_t i = 0; i < b.branches.size(); ++i)
      if (!is_straight(a.branches[i].part, b.branches[i].part, c.branches[i].part))
        return false;
  }
  for (std::size_t n = 0; n < at.loads.size(); ++n)
    if (!is_straight(less.loads[n], at.loads[n], more.loads[n])) return false;
  return true;
}

bool same_source(const Source& a, const Source& b) {
  return a.same_place(b) && a.voltage_v == b.voltage_v && a.current_a == b.current_a;
}

/// Whether only wires, loads and networks differ.
bool same_runs(const Problem& a, const Problem& b) {
  return std::equal(
      a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(),
      [](const Run& x, const Run& y) {
        const auto same_ends = [](const Network& n, const Network& m) {
          return n.kind == m.kind && std::equal(n.segment, n.segment + 2, m.segment) &&
                 std::equal(n.gap, n.gap + 2, m.gap) &&
                 std::equal(n.branches.begin(), n.branches.end(), m.branches.begin(),
                            m.branches.end(),
                            [](const LadderBranch& p, const LadderBranch& q) {
                              return p.place == q.place && p.part.kind == q.part.kind;
                            });
        };
        return x.frequency_hz == y.frequency_hz && x.ground == y.ground &&
               x.waves.has_value() == y.waves.has_value() &&
               std::equal(x.sources.begin(), x.sources.end(), y.sources.begin(),
                          y.sources.end(), same_source) &&
               x.loads.size() == y.loads.size() &&
               std::equal(x.networks.begin(), x.networks.end(), y.networks.begin(),
                          y.networks.end(), same_ends);
      });
}

bool same_connections(const Discretization& a, const Discretization& b) {
  const auto same = [](const BasisFunction& f, const BasisFunction& g) {
    return std::equal(f.element, f.element + 2, g.element) &&
           std::equal(f.end, f.end + 2, g.end) && std::equal(f.sign, f.sign + 2, g.sign);
  };
  const auto &of_a = a.basis().functions(), &of_b = b.basis().functions();
  return a.elements().size() == b.elements().size() &&
         std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), same);
}

std::vector<ElementMotion> element_motions(const Discretization& less,
                                           const Discretization& more, double step) {
  const auto &from = less.mesh().elements(), &to = more.mesh().elements();
  std::vector<ElementMotion> motions(from.size());
  // Differences of coordinates below this are rounding.
  double size_m = 0;
  for (const MeshElement& e : from)
    size_m = std::max({size_m, norm(e.start_m), norm(e.end_m)});
  const double rounding = 4e-16 * size_m;
  const auto derivative = [&](double a, double b) {
    return std::abs(b - a) <= rounding ? 0 : (b - a) / (2 * step);
  };
  const auto derivatives = [&](Vec3 a, Vec3 b) {
    return Vec3{derivative(a.x, b.x), derivative(a.y, b.y), derivative(a.z, b.z)};
  };
  for (std::size_t e = 0; e < from.size(); ++e)
    motions[e] = {derivatives(from[e].start_m, to[e].start_m),
                  derivatives(from[e].end_m, to[e].end_m),
                  (to[e].radius_m - from[e].radius_m) / (2 * step)};
  return motions;
}

}  // namespace

VariedStructures::VariedStructures(const Problem& problem, const Options& options,
                                   const RunMeshes& meshes) {
  if (problem.parameters.empty()) return;
  check_problem(problem);
  motions_.resize(problem.runs.size());
  for (const Parameter& parameter : problem.parameters) {
    if (!same_runs(*parameter.less, problem) || !same_runs(*parameter.more, problem))
      refuse(problem,
             fmt::format("{} changes frequencies, ground or sources, and only wires, "
                         "loads and networks can be differentiated",
                         parameter.name));
    meshes_.push_back({&parameter, std::make_unique<RunMeshes>(*parameter.less, options),
                       std::make_unique<RunMeshes>(*parameter.more, options)});
    for (std::size_t r = 0; r < problem.runs.size(); ++r) {
      if (!are_straight(parameter.less->runs[r], problem.runs[r],
                        parameter.more->runs[r]))
        refuse(problem, fmt::format("a load or network has a step at {} = {:g}",
                                    parameter.name, parameter.value));
      const Discretization &less = meshes_.back().less->of(r),
                           &more = meshes_.back().more->of(r);
      if (!same_connections(less, meshes.of(r)) || !same_connections(more, meshes.of(r)))
        throw Error(
            ErrorKind::geometry,
            fmt::format("{}: no gradient: at {} = {:g} the mesh changes, so that the "
                        "impedance has a step there. Choose a value nearby, or --mesh "
                        "as-given.",
                        problem.name, parameter.name, parameter.value));
      motions_[r].push_back(element_motions(less, more, parameter.step));
    }
  }
}

VariedStructures::Pair VariedStructures::of(std::size_t parameter,
                                            std::size_t run) const {
  const Meshes& meshes = meshes_[parameter];
  return {meshes.less->of(run), meshes.more->of(run), meshes.parameter->less->runs[run],
          meshes.parameter->more->runs[run], meshes.parameter->step};
}

}  // namespace thinwire
