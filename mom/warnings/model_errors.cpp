#include "mom/warnings/model_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "geometry/close_wires.h"
#include "kernels/base/constants.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"
#include "kernels/element/wire_harmonics.h"
#include "mom/discretization/proximity_neighbours.h"
#include "mom/plan/run_meshes.h"

namespace thinwire {
namespace {

/// A sharp bend acts like a wire that is shorter by so many radii at a right angle, and
/// by a power of the angle elsewhere. From surface meshes of loops and dipoles of 20
/// radii between bends (docs/theory/method.md).
constexpr double radii_at_right_angles = 0.5, power_of_bends = 1.75;
/// The proximity effect includes bends by up to 125 degrees, of wires that go on straight
/// for so many radii, to within 12 degrees (mom/discretization/proximity.h).
constexpr double included_radii = 3, straight_cosine = 0.9781476,
                 included_cosine = -0.5735764;
/// Excess inductance of a right angle, in mu / (2 pi) radii, over the length above.
constexpr double error_of_missing = 1.14 / radii_at_right_angles;
/// Share of the effect of bends that their correction misses (docs/theory/method.md).
constexpr double missed_at_included = 0.3;
/// Error for each metre by which radii step where end faces are left out.
constexpr double error_of_faces = 0.25;
/// Error for each radius at open ends beside other wires, whose proximity effect is that
/// of infinite wires.
constexpr double error_of_ends = 0.1;
/// Cosine up to which end faces are in line, and the steps that count as faces.
constexpr double in_line_cosine = 0.9961947, full_step = 1.5, least_step = 1.2;

/// The direction of an element away from its end.
Vec3 away_from(const WireMesh& mesh, ElementEnd end) {
  const MeshElement& e = mesh.elements()[end.element];
  const Vec3 along = end.end == 0 ? e.end_m - e.start_m : e.start_m - e.end_m;
  return (1 / norm(along)) * along;
}

/// Whether a wire goes on straight from an end for so many metres.
bool is_straight_for(const WireMesh& mesh, ElementEnd end, double length_m) {
  const Vec3 direction = away_from(mesh, end);
  for (double along_m = 0; along_m < length_m;) {
    const MeshElement& e = mesh.elements()[end.element];
    along_m += norm(e.end_m - e.start_m);
    const Node node = mesh.node(mesh.node_of(end.element, 1 - end.end));
    if (node.ends.size() != 2) return along_m >= length_m;
    end = node.ends[node.ends[0].element == end.element ? 1 : 0];
    if (dot(away_from(mesh, end), direction) < straight_cosine)
      return along_m >= length_m;
  }
  return true;
}

/// Error for each metre of wire beside another, at a ratio of the distance of axes to the
/// sum of radii. weight: of the proximity effect, which acts on what drives the harmonics
/// around wires, on their coupling and on the potentials that they cause.
double error_beside(double ratio, double weight) {
  const double r = std::max(ratio, 1.0), included = weight * weight;
  return (1 - included * included) * (std::log(2 * r) - std::acosh(r));
}

/// Returns the bend at node n; its radius is zero if no wires meet there.
ModelBend bend_at(const WireMesh& mesh, std::size_t n) {
  ModelBend bend{n};
  const Node node = mesh.node(n);
  if (node.ends.size() < 2 || node.grounded) return bend;
  for (const ElementEnd& end : node.ends)
    bend.radius_m = std::max(bend.radius_m, mesh.elements()[end.element].radius_m);
  for (const ElementEnd& end : node.ends) {
    double cosine = -1;
    for (const ElementEnd& other : node.ends)
      if (other.element != end.element || other.end != end.end)
        cosine = std::max(cosine, -dot(away_from(mesh, end), away_from(mesh, other)));
    const double of_end = std::acos(std::min(cosine, 1.0)) / (0.5 * pi);
    bend.angle = std::max(bend.angle, of_end);
    bend.missing_m +=
        0.5 * radii_at_right_angles * std::pow(of_end, power_of_bends) * bend.radius_m;
  }
  bend.included = node.ends.size() == 2 &&
                  -dot(away_from(mesh, node.ends[0]), away_from(mesh, node.ends[1])) >=
                      included_cosine &&
                  is_straight_for(mesh, node.ends[0], included_radii * bend.radius_m) &&
                  is_straight_for(mesh, node.ends[1], included_radii * bend.radius_m);
  return bend;
}

class ModelErrors {
 public:
  ModelErrors(const Problem& problem, const Options& options)
      : segments_(problem.structure.segments()),
        run_(problem.runs.at(0)),
        with_proximity_(includes_proximity(problem, run_, options)),
        mesh_(problem.structure, options_of(problem, run_)),
        error_m_(segments_.size(), 0.0) {
    add_bends();
    add_faces();
    if (with_proximity_) add_ends();
    for (const auto& [a, b] : close_wires(problem.structure, mesh_).pairs) add_pair(a, b);
    if (run_.ground != Ground::none) add_ground();
  }
  std::vector<double> take() { return std::move(error_m_); }

 private:
  static MeshOptions options_of(const Problem& problem, const Run& run) {
    MeshOptions options;
    options.graded = false;
    options.ground_contact = options.perfect_ground =
        problem.ground_contact && run.ground != Ground::none;
    options.wires_below = run.ground.takes_wires();
    return options;
  }

  void add_to_node(const Node& node, double error_m) {
    for (const ElementEnd& end : node.ends)
      error_m_[mesh_.elements()[end.element].segment] +=
          error_m / static_cast<double>(node.ends.size());
  }

  void add_bends() {
    for (const ModelBend& bend : model_bends(mesh_))
      add_to_node(mesh_.node(bend.node),
                  (with_proximity_ && bend.included ? missed_at_included : 1) *
                      error_of_missing * bend.missing_m);
  }

  /// Ends of thick wires at thinner ones; end faces hold where these are two in line.
  void add_faces() {
    for (std::size_t n = 0; n < mesh_.node_count(); ++n) {
      const Node node = mesh_.node(n);
      const auto radius = [&](std::size_t i) {
        return mesh_.elements()[node.ends[i].element].radius_m;
      };
      for (std::size_t i = 0; i < node.ends.size(); ++i) {
        double next_m = 0, cosine = -1;
        for (std::size_t j = 0; j < node.ends.size(); ++j)
          if (j != i) {
            next_m = std::max(next_m, radius(j));
            cosine = std::max(cosine, -dot(away_from(mesh_, node.ends[i]),
                                           away_from(mesh_, node.ends[j])));
          }
        if (next_m == 0 || radius(i) < least_step * next_m) continue;
        const bool has_face = with_proximity_ && node.ends.size() == 2 &&
                              cosine >= in_line_cosine && radius(i) >= full_step * next_m;
        if (!has_face) add_to_node(node, error_of_faces * (radius(i) - next_m));
      }
    }
  }

  /// Open ends within the reach of the proximity effect.
  void add_ends() {
    for (std::size_t n = 0; n < mesh_.node_count(); ++n) {
      const Node node = mesh_.node(n);
      if (node.ends.size() != 1 || node.grounded) continue;
      const std::size_t end = mesh_.elements()[node.ends[0].element].segment;
      const Segment& s = segments_[end];
      const Vec3 at_m = node.ends[0].end == 0 ? s.start_m : s.end_m,
                 along = away_from(mesh_, node.ends[0]);
      double weight = 0;
      for (const Segment& t : segments_) {
        const double distance_m = segment_distance({at_m, at_m, 0}, t);
        if (distance_m > proximity_radii * std::max(s.radius_m, t.radius_m)) continue;
        const Vec3 of_t = t.end_m - t.start_m, to_t = t.start_m - at_m;
        // Not on the line of the wire itself.
        if (norm(to_t - dot(to_t, along) * along) < s.radius_m) continue;
        weight =
            std::max(weight, angle_weight(dot(along, of_t) / norm(of_t)) *
                                 proximity_weight(distance_m, s.radius_m, t.radius_m));
      }
      error_m_[end] += weight * error_of_ends * s.radius_m;
    }
  }

  /// Bends make wires at an angle close.
  bool are_joined_within(std::size_t a, std::size_t b, double limit_m) const {
    const std::size_t from = mesh_.first_element(a), to = mesh_.first_element(b);
    return std::ranges::any_of(std::array{0, 1}, [&](int end) {
      return wire_between_m(mesh_, from, end, to, limit_m) <= limit_m;
    });
  }

  void add_pair(std::size_t a, std::size_t b) {
    if (mesh_.duplicate(a) || mesh_.duplicate(b)) return;
    const Segment &s = segments_[a], &t = segments_[b];
    const Vec3 of_s = s.end_m - s.start_m, of_t = t.end_m - t.start_m;
    const double long_s = norm(of_s), long_t = norm(of_t),
                 cosine = dot(of_s, of_t) / (long_s * long_t),
                 sine = std::sqrt(std::max(0.0, 1 - cosine * cosine)),
                 radii_m = s.radius_m + t.radius_m,
                 distance_m = std::max(segment_distance(s, t), radii_m);
    double beside_m = std::min(long_s, long_t);
    const double weight = angle_weight(cosine);
    if (weight > 0) {
      const double first = dot(t.start_m - s.start_m, of_s) / long_s,
                   second = dot(t.end_m - s.start_m, of_s) / long_s;
      beside_m = std::min(long_s, std::max(first, second)) -
                 std::max(0.0, std::min(first, second));
    } else {
      if (are_joined_within(a, b, 2 * close_radii * radii_m)) return;
      beside_m = std::min(beside_m, 2 * distance_m / sine);
    }
    if (beside_m <= 0) return;
    const double included =
        with_proximity_ ? weight * proximity_weight(distance_m, s.radius_m, t.radius_m)
                        : 0;
    const double error_m = beside_m * error_beside(distance_m / radii_m, included);
    error_m_[a] += error_m;
    error_m_[b] += error_m;
  }

  /// Images in a ground; perfect ones have a proximity effect.
  void add_ground() {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Segment& s = segments_[i];
      if (mesh_.duplicate(i) || s.start_m.z * s.end_m.z <= 0) continue;
      const double height_m =
          std::max(std::min(std::abs(s.start_m.z), std::abs(s.end_m.z)), s.radius_m);
      if (height_m >= close_radii * s.radius_m) continue;
      const double included = with_proximity_ && !run_.ground.is_real()
                                  ? proximity_weight(2 * height_m, s.radius_m, s.radius_m)
                                  : 0;
      const double beside_m =
          std::hypot(s.end_m.x - s.start_m.x, s.end_m.y - s.start_m.y);
      error_m_[i] += beside_m * error_beside(height_m / s.radius_m, included);
    }
  }

  const LargeVector<Segment>& segments_;
  const Run& run_;
  const bool with_proximity_;
  const WireMesh mesh_;
  std::vector<double> error_m_;
};

}  // namespace

std::vector<ModelBend> model_bends(const WireMesh& mesh) {
  std::vector<ModelBend> bends(mesh.node_count());
  for_each_cheap(bends.size(), [&](std::size_t n) { bends[n] = bend_at(mesh, n); });
  std::erase_if(bends, [](const ModelBend& bend) { return bend.radius_m == 0; });
  return bends;
}

std::vector<double> model_errors_m(const Problem& problem, const Options& options) {
  return ModelErrors(problem, options).take();
}

}  // namespace thinwire
