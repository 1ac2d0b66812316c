#include "mom/warnings/model_warnings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "geometry/advice.h"
#include "geometry/wire_mesh.h"
#include "geometry/wires_below.h"
#include "kernels/base/constants.h"
#include "kernels/base/counted.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/openmp_threads.h"
#include "kernels/base/parallel.h"
#include "mom/discretization/discretization.h"
#include "mom/discretization/loops.h"
#include "mom/media/medium.h"
#include "mom/plan/run_meshes.h"
#include "mom/warnings/model_errors.h"

namespace thinwire {
namespace {

/// The search compares neighbours along one axis and takes seconds beyond this.
constexpr std::size_t max_compared = 20'000;
/// The reduced kernel breaks down below this many radii (Burke and Poggio 1981).
constexpr double shortest_reduced_radii = 2;
/// A source's antenna of fewer segments does not show the shape of its current.
constexpr std::size_t fewest_segments = 5;
/// Around thicker wires, k a, the current begins to differ from side to side.
constexpr double thick_ka = 0.3;
/// Reflection coefficients give impedances to 2 % from this many wavelengths above the
/// ground on (docs/guide/ground.md).
constexpr double coefficients_from = 0.5;
/// Limits for loops of n segments, in wavelengths around: below the first times sqrt(n),
/// the resistance is lost in rounding (1 %); below the second times n^(3/4), the
/// reactance. From experiments on square loops of 12 to 400 segments
/// (docs/theory/method.md).
constexpr double min_for_resistance = 1.5e-4, min_for_reactance = 5e-8;
/// Share of an antenna's wire that is missing at bends from which on it is warned of.
constexpr double max_lost_at_bends = 0.01;
/// Elements that a graded mesh adds to the segments of a loop, about.
constexpr double graded_elements = 12;

std::string name_of(const Structure& structure, std::size_t segment) {
  return fmt::format("tag {} segment {}", structure.segments()[segment].tag,
                     structure.within_tag(segment));
}

/// The first segment that `wanted` and how many there are, told by `tell`.
template <class Wanted, class Tell>
void warn_of(const Structure& structure, std::vector<std::string>& warnings,
             const Wanted& wanted, const Tell& tell) {
  const auto& segments = structure.segments();
  const auto first = std::find_if(segments.begin(), segments.end(), wanted);
  if (first == segments.end()) return;
  std::string line = tell(name_of(structure, first - segments.begin()), *first);
  const auto more = std::count_if(first + 1, segments.end(), wanted);
  if (more > 0) line += fmt::format(" (and {} more)", more);
  warnings.push_back(std::move(line));
}

bool all_include_proximity(const Problem& problem, const Options& options) {
  return std::all_of(problem.runs.begin(), problem.runs.end(), [&](const Run& run) {
    return includes_proximity(problem, run, options);
  });
}

double length_of(const Segment& s) {
  return norm(s.end_m - s.start_m);
}

/// The node at an end of a segment, whatever elements it has.
std::size_t node_number(const WireMesh& mesh, std::size_t segment, int end) {
  return end == 0 ? mesh.node_of(mesh.first_element(segment), 0)
                  : mesh.node_of(mesh.first_element(segment + 1) - 1, 1);
}
Node node_at(const WireMesh& mesh, std::size_t segment, int end) {
  return mesh.node(node_number(mesh, segment, end));
}

void warn_of_ground(const Problem& problem, const Options& options,
                    std::vector<std::string>& warnings) {
  if (std::none_of(problem.runs.begin(), problem.runs.end(),
                   [](const Run& run) { return run.ground != Ground::none; }))
    return;
  // A perfect ground's images are included.
  if (std::all_of(problem.runs.begin(), problem.runs.end(), [&](const Run& run) {
        return !run.ground.is_real() && includes_proximity(problem, run, options);
      }))
    return;
  // Distance of wires that neither reach the surface nor pass through it.
  const auto distance = [](const Segment& s) {
    return s.start_m.z * s.end_m.z > 0
               ? std::min(std::abs(s.start_m.z), std::abs(s.end_m.z))
               : 0;
  };
  warn_of(
      problem.structure, warnings,
      [&](const Segment& s) {
        return distance(s) > surface_tolerance_m(s) &&
               distance(s) < close_radii * s.radius_m;
      },
      [&](const std::string& name, const Segment& s) {
        std::string line = fmt::format(
            "{} nearly touches the ground (axis {:.3g} m {} it, radius "
            "{:.3g} m): the proximity effect of its image is neglected",
            name, distance(s), s.start_m.z < 0 ? "below" : "above", s.radius_m);
        if (distance(s) > s.radius_m && s.start_m.z > 0)
          line += fmt::format(", which makes the impedance of a line {:.0f} % too high",
                              100 * proximity_excess(distance(s), s.radius_m));
        return line;
      });
}

/// GE 1 over a real ground is no stake. The mesh's contacts are those of all runs.
void warn_of_contact(const Problem& problem, const WireMesh& mesh,
                     std::vector<std::string>& warnings) {
  const auto connects = [](const Run& run) {
    return run.ground.is_real() && run.ground.kind != Ground::Kind::coefficients;
  };
  if (std::none_of(problem.runs.begin(), problem.runs.end(), connects)) return;
  const auto& segments = problem.structure.segments();
  warn_of(
      problem.structure, warnings,
      [&](const Segment& s) {
        const auto segment = static_cast<std::size_t>(&s - segments.data());
        return node_at(mesh, segment, 0).grounded || node_at(mesh, segment, 1).grounded;
      },
      [](const std::string& name, const Segment&) {
        return fmt::format(
            "{} stands on real ground: GE 1 connects it without the resistance of a "
            "ground stake; add a measured resistance as LD 4, or draw the stake as a "
            "wire below (GN 2)",
            name);
      });
}

/// Reflection coefficients (GN 0) say what a ground does to wires that are far from it.
void warn_of_coefficients(const Problem& problem, std::vector<std::string>& warnings) {
  double lowest_hz = std::numeric_limits<double>::infinity();
  for (const Run& run : problem.runs)
    if (run.ground.kind == Ground::Kind::coefficients)
      for (const double frequency_hz : run.frequency_hz)
        lowest_hz = std::min(lowest_hz, frequency_hz);
  if (!std::isfinite(lowest_hz)) return;
  const double wavelength_m = speed_of_light_m_per_s / lowest_hz;
  const auto low = [](const Segment& s) { return std::min(s.start_m.z, s.end_m.z); };
  warn_of(
      problem.structure, warnings,
      [&](const Segment& s) { return low(s) < coefficients_from * wavelength_m; },
      [&](const std::string& name, const Segment& s) {
        return fmt::format(
            "{} is {:.2g} wavelengths above ground at {:g} MHz: GN 0 is accurate to 2 % "
            "from {:g} wavelengths on, and wrong close to the ground; use GN 2",
            name, low(s) / wavelength_m, lowest_hz * 1e-6, coefficients_from);
      });
}

void warn_of_thick_wires(const Problem& problem, std::vector<std::string>& warnings) {
  double highest_hz = 0;
  for (const Run& run : problem.runs)
    for (const double frequency_hz : run.frequency_hz)
      highest_hz = std::max(highest_hz, frequency_hz);
  const double k = wavenumber_rad_per_m(highest_hz);
  warn_of(
      problem.structure, warnings,
      [k](const Segment& s) { return k * s.radius_m > thick_ka; },
      [k, highest_hz](const std::string& name, const Segment& s) {
        return fmt::format(
            "{} is {:.2g} wavelengths around at {:g} MHz: its current differs from side "
            "to side (beyond {:g}), which is left out",
            name, k * s.radius_m, highest_hz * 1e-6, thick_ka);
      });
}

/// The wires as a graph: all ends on a ground are one node.
struct WireGraph {
  std::size_t nodes = 0;
  LargeVector<std::uint32_t> node_of;  ///< of end e of segment s at 2 s + e
  LargeVector<std::uint32_t> part;  ///< of each node, the same where wires connect them

  WireGraph(const WireMesh& mesh, std::size_t segments)
      : nodes(mesh.node_count() + 1), node_of(2 * segments) {
    for_each_cheap(node_of.size(), [&](std::size_t i) {
      const std::size_t n = node_number(mesh, i / 2, static_cast<int>(i % 2));
      node_of[i] = static_cast<std::uint32_t>(mesh.node(n).grounded ? nodes - 1 : n);
    });
    part = parts([](std::size_t) { return true; });
  }
  std::size_t segments() const { return node_of.size() / 2; }

  /// A number for every node, the same for all that the segments connect for which
  /// chosen(segment).
  template <class Chosen>
  LargeVector<std::uint32_t> parts(const Chosen& chosen) const {
    DisjointSets connected(nodes);
    for_each_cheap(segments(), [&](std::size_t s) {
      if (chosen(s)) connected.unite(node_of[2 * s], node_of[2 * s + 1]);
    });
    LargeVector<std::uint32_t> number(nodes);
    for_each_cheap(nodes, [&](std::size_t n) {
      number[n] = static_cast<std::uint32_t>(connected.root(n));
    });
    return number;
  }

  /// Whether there is a loop: a forest has as many segments as nodes beyond one a tree.
  bool has_loops() const {
    const auto trees = joined_cheap(nodes, std::size_t{0}, std::plus(),
                                    [&](std::size_t n) { return part[n] == n ? 1 : 0; });
    return segments() + trees > nodes;
  }

  /// Whether each segment is left when all that ends in the open is taken away: loops,
  /// and what connects them.
  std::vector<char> in_loops() const {
    // For each node: how many ends are left there, and the exclusive or of their
    // segments, which is the last segment's number at the end.
    std::vector<std::uint32_t> degree(nodes, 0), at(nodes, 0);
    for (std::size_t i = 0; i < node_of.size(); ++i) {
      ++degree[node_of[i]];
      at[node_of[i]] ^= static_cast<std::uint32_t>(i / 2);
    }
    std::vector<char> left(segments(), 1);
    std::vector<std::size_t> leaves;
    for (std::size_t n = 0; n < nodes; ++n)
      if (degree[n] == 1) leaves.push_back(n);
    while (!leaves.empty()) {
      const std::size_t n = leaves.back();
      leaves.pop_back();
      if (degree[n] != 1) continue;  // taken away from its other end
      const std::uint32_t s = at[n];
      left[s] = 0;
      for (const std::size_t end : {node_of[2 * s], node_of[2 * s + 1]}) {
        at[end] ^= s;
        if (--degree[end] == 1 && end != n) leaves.push_back(end);
      }
    }
    return left;
  }
};

/// Wires that lose much at sharp bends; the proximity effect leaves out the sharpest,
/// bends that follow each other closely and junctions of three wires and more.
void warn_of_bends(const Problem& problem, const Options& options, const WireMesh& mesh,
                   const WireGraph& graph, std::vector<std::string>& warnings) {
  const Structure& structure = problem.structure;
  const bool with_proximity = all_include_proximity(problem, options);
  struct Antenna {
    double wire_m = 0, lost_m = 0, largest_m = 0;
    double included_m = 0;    ///< of what is lost, with the proximity effect
    std::size_t segment = 0;  ///< at the bend that loses most
    double bend = 0;          ///< in right angles
  };
  std::vector<Antenna> antennas(graph.nodes);
  const auto& segments = structure.segments();
  for (std::size_t s = 0; s < segments.size(); ++s)
    if (!mesh.duplicate(s))
      antennas[graph.part[graph.node_of[2 * s]]].wire_m += length_of(segments[s]);
  for (const ModelBend& bend : model_bends(mesh)) {
    if (with_proximity && bend.included) continue;
    const std::size_t segment =
        mesh.elements()[mesh.node(bend.node).ends[0].element].segment;
    Antenna& antenna = antennas[graph.part[graph.node_of[2 * segment]]];
    antenna.lost_m += bend.missing_m;
    if (bend.included) antenna.included_m += bend.missing_m;
    if (bend.missing_m <= antenna.largest_m) continue;
    antenna.largest_m = bend.missing_m;
    antenna.segment = segment;
    antenna.bend = bend.angle;
  }
  const auto fraction = [](const Antenna& a) {
    return a.wire_m > 0 ? a.lost_m / a.wire_m : 0;
  };
  const auto worst = std::max_element(
      antennas.begin(), antennas.end(),
      [&](const Antenna& a, const Antenna& b) { return fraction(a) < fraction(b); });
  if (worst == antennas.end() || fraction(*worst) <= max_lost_at_bends) return;
  warnings.push_back(fmt::format(
      "{} ({}) bends by {:.0f} degrees: bends of wires this thick (radius {:.3g} m on "
      "{:.3g} m of wire) act as if {:.2g} % of the wire were missing, which is left out; "
      "expect errors of about that size{}",
      name_of(structure, worst->segment), structure.origin(worst->segment),
      90 * worst->bend, segments[worst->segment].radius_m, worst->wire_m,
      100 * fraction(*worst),
      options.proximity == SwitchChoice::off && worst->included_m > 0.5 * worst->lost_m
          ? ", or leave out --proximity off"
          : ""));
}

/// Whether, as far as the options tell, the run's loops are solved apart.
bool may_solve_loops_apart(const Problem& problem, const Run& run,
                           const Options& options) {
  return !(run.ground.takes_wires() && has_wires_below(problem.structure)) &&
         problem.stored == nullptr &&
         (options.operator_choice == OperatorChoice::automatic ||
          options.operator_choice == OperatorChoice::dense) &&
         problem.structure.segments().size() <= max_segments_of_loops;
}

/// Whether rounding leaves the resistance of loops that are solved apart. Iterations
/// without a preconditioner end at a residual that keeps the reactance alone.
bool keeps_resistance(const Options& options) {
  return options.solver == SolverChoice::automatic ||
         options.solver == SolverChoice::direct ||
         options.preconditioner != PreconditionerChoice::none;
}

void warn_of_small_loops(const Problem& problem, const Options& options,
                         const WireGraph& graph, std::vector<std::string>& warnings) {
  if (!graph.has_loops()) return;
  const std::vector<Element> whole = segments_of(problem.structure);
  const bool keeps_all = keeps_resistance(options);
  // Lowest frequency at which the resistance is not kept, and the reactance.
  double lowest_hz = 1e300, lowest_not_apart_hz = 1e300;
  for (const Run& run : problem.runs) {
    const bool may = may_solve_loops_apart(problem, run, options);
    for (const double frequency_hz : run.frequency_hz) {
      const bool apart = may && is_small_for_loops(whole, image_medium_of(run.ground),
                                                   wavenumber_rad_per_m(frequency_hz));
      if (!apart) lowest_not_apart_hz = std::min(lowest_not_apart_hz, frequency_hz);
      if (!apart || !keeps_all) lowest_hz = std::min(lowest_hz, frequency_hz);
    }
  }
  if (lowest_hz == 1e300) return;
  const auto& segments = problem.structure.segments();
  const std::vector<char> looped = graph.in_loops();
  const auto part = graph.parts([&](std::size_t s) { return looped[s] != 0; });
  std::vector<double> around_m(graph.nodes, 0), count(graph.nodes, 0);
  std::vector<std::size_t> first(graph.nodes, segments.size());
  for (std::size_t s = segments.size(); s-- > 0;) {
    if (!looped[s]) continue;
    const std::size_t loop = part[graph.node_of[2 * s]];
    around_m[loop] += length_of(segments[s]);
    ++count[loop];
    first[loop] = s;
  }
  for (std::size_t n = 0; n < graph.nodes; ++n) {
    if (count[n] == 0) continue;
    const double wavelengths = around_m[n] * lowest_hz / speed_of_light_m_per_s,
                 elements = count[n] + graded_elements;
    if (wavelengths > min_for_resistance * std::sqrt(elements)) continue;
    const bool all_lost = wavelengths * lowest_not_apart_hz / lowest_hz <
                          min_for_reactance * std::pow(elements, 0.75);
    warnings.push_back(fmt::format(
        "the closed loop of {} is {:.2g} wavelengths around at {:g} MHz: rounding "
        "decides {}",
        name_of(problem.structure, first[n]), wavelengths, lowest_hz * 1e-6,
        all_lost ? "its impedance and its currents" : "its resistance, power and gain"));
  }
}

bool has_network(const Run& run, const Source& source) {
  return std::any_of(run.networks.begin(), run.networks.end(), [&](const Network& n) {
    return (n.segment[0] == source.segment && n.gap[0] == source.gap) ||
           (n.segment[1] == source.segment && n.gap[1] == source.gap);
  });
}

bool is_open(const WireMesh& mesh, std::size_t segment, int end) {
  const Node node = node_at(mesh, segment, end);
  return node.ends.size() == 1 && !node.grounded;
}

void warn_of_sources(const Problem& problem, const WireMesh& mesh, const WireGraph& graph,
                     std::vector<std::string>& warnings) {
  std::vector<std::uint32_t> count(graph.nodes, 0);
  for (std::size_t s = 0; s < graph.segments(); ++s)
    ++count[graph.part[graph.node_of[2 * s]]];
  std::set<std::size_t> seen;
  for (const Run& run : problem.runs)
    for (const Source& source : run.sources) {
      const std::size_t s = mesh.original(source.segment),
                        of_antenna = count[graph.part[graph.node_of[2 * s]]];
      // The current goes through a network there: 4nec2 draws current sources that way.
      if (!seen.insert(s).second || has_network(run, source)) continue;
      // A gap at an open end is refused.
      if (source.gap == Gap::segment && (is_open(mesh, s, 0) || is_open(mesh, s, 1)))
        warnings.push_back(
            fmt::format("{} is fed and has an open end, where no current can flow: feed "
                        "another segment",
                        name_of(problem.structure, s)));
      if (of_antenna < fewest_segments)
        warnings.push_back(fmt::format("{} feeds an antenna of {}: use {} or more",
                                       name_of(problem.structure, s),
                                       counted(of_antenna, "segment"), fewest_segments));
    }
}

}  // namespace

std::vector<std::string> run_warnings(const Problem& problem, const Options& options) {
  const Structure& structure = problem.structure;
  std::vector<std::string> warnings;
  if (structure.segments().empty()) return warnings;
  const OpenMpThreads threads(thread_count(options));
  options.monitor.report("check", 0);
  if (options.kernel == GreensKernel::reduced)
    warn_of(
        structure, warnings,
        [](const Segment& s) {
          return length_of(s) < shortest_reduced_radii * s.radius_m;
        },
        [](const std::string& name, const Segment& s) {
          return fmt::format(
              "{} is {:.3g} radii long: the reduced kernel breaks down below {:g}; use "
              "fewer segments or the exact kernel",
              name, length_of(s) / s.radius_m, shortest_reduced_radii);
        });

  warn_of_ground(problem, options, warnings);
  warn_of_coefficients(problem, warnings);
  warn_of_thick_wires(problem, warnings);
  MeshOptions as_given;
  as_given.graded = false;
  as_given.ground_contact = as_given.perfect_ground =
      problem.ground_contact &&
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground != Ground::none; });
  as_given.wires_below =
      std::any_of(problem.runs.begin(), problem.runs.end(),
                  [](const Run& run) { return run.ground.takes_wires(); });
  const WireMesh mesh(structure, as_given, options.monitor.part(0.1, 0.6));
  warn_of_contact(problem, mesh, warnings);
  options.monitor.report("check", 0.6);
  const WireGraph graph(mesh, structure.segments().size());
  options.monitor.report("check", 0.8);
  warn_of_sources(problem, mesh, graph, warnings);
  warn_of_small_loops(problem, options, graph, warnings);
  warn_of_bends(problem, options, mesh, graph, warnings);
  return warnings;
}

std::vector<std::string> model_warnings(const Problem& problem, const Options& options) {
  const OpenMpThreads threads(thread_count(options));
  std::vector<std::string> warnings;
  if (problem.structure.segments().size() <= max_compared)
    warnings = serious_advice(problem.structure, 1, options.monitor.part(0, 0.7),
                              all_include_proximity(problem, options));
  Options rest = options;
  rest.monitor = options.monitor.part(0.7, 1);
  for (std::string& line : run_warnings(problem, rest))
    warnings.push_back(std::move(line));
  return warnings;
}

}  // namespace thinwire
